#include "client/cli/tensor_formats.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/npy.h"
#include "client/cli/output.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

using Row = std::vector<std::string>;

// Line by line. cell: how a number of this type is written.
std::vector<Row> Rows(const std::vector<Column>& columns, std::string (*cell)(DataType, double)) {
  std::vector<std::vector<double>> numbers;
  numbers.reserve(columns.size());
  size_t longest = 0;
  for (const Column& column : columns) {
    longest = std::max(longest, numbers.emplace_back(ToDoubles(column.tensor)).size());
  }
  std::vector<Row> rows(longest);
  for (size_t i = 0; i < longest; ++i) {
    for (size_t j = 0; j < columns.size(); ++j) {
      rows[i].push_back(i < numbers[j].size() ? cell(columns[j].tensor.type, numbers[j][i])
                                              : std::string());
    }
  }
  return rows;
}

std::vector<Row> DecimalRows(const std::vector<Column>& columns) {
  std::vector<Row> rows = Rows(columns, FormatDecimal);
  Row heading;
  for (const Column& column : columns) heading.push_back(column.name);
  rows.insert(rows.begin(), std::move(heading));
  return rows;
}

absl::StatusOr<std::string> RenderTable(const TensorResult& result) {
  return absl::StrCat(result.title, "\n", FormatTable(DecimalRows(result.columns), Align::kRight));
}

absl::StatusOr<std::string> RenderJson(const TensorResult& result) { return result.json(); }

absl::StatusOr<std::string> RenderCsv(const TensorResult& result) {
  return FormatCsv(DecimalRows(result.columns));
}

// Without the input and without a heading.
absl::StatusOr<std::string> RenderHex(const TensorResult& result) {
  std::vector<Column> answers;
  for (const Column& column : result.columns) {
    if (!column.is_input) answers.push_back(column);
  }
  return FormatTable(Rows(answers, [](DataType, double value) { return FormatHex(value); }),
                     Align::kLeft);
}

absl::StatusOr<std::string> RenderNpy(const TensorResult& result) {
  return EncodeNpyResult(result.output, result.input);
}

constexpr TensorFormat kFormats[] = {
    {"table", ".txt", RenderTable},
    {"json", ".json", RenderJson, ParameterGradients::kInside},
    {"csv", ".csv", RenderCsv, ParameterGradients::kApart},
    {"hex", ".hex", RenderHex, ParameterGradients::kBelow, FormatHex},
    {"npy", ".npy", RenderNpy, ParameterGradients::kApart, FormatNumber, /*is_npy=*/true},
};

}  // namespace

std::span<const TensorFormat> TensorFormats() { return kFormats; }

absl::StatusOr<const TensorFormat*> ChooseTensorFormat(const std::string& name,
                                                       const std::string& output_file) {
  const TensorFormat* asked = nullptr;
  const TensorFormat* by_suffix = nullptr;
  for (const TensorFormat& candidate : kFormats) {
    if (name == candidate.name) asked = &candidate;
    if (absl::EndsWith(output_file, candidate.suffix)) by_suffix = &candidate;
  }
  if (by_suffix != nullptr && by_suffix->is_npy && asked != nullptr && !asked->is_npy) {
    return absl::InvalidArgumentError(absl::StrCat("--format ", name, " does not fit --output ",
                                                   output_file,
                                                   ": drop --format, or choose another file name"));
  }
  if (asked != nullptr) return asked;
  return by_suffix != nullptr ? by_suffix : &kFormats[0];
}

std::string EncodeNpyResult(const Tensor& tensor, const InputTensor& input) {
  if (tensor.size() == input.tensor.size()) {
    return EncodeNpy(tensor.type, input.shape, tensor.data);
  }
  const std::vector<int64_t> flat = {static_cast<int64_t>(tensor.size())};
  return EncodeNpy(tensor.type, tensor.shape.empty() ? flat : tensor.shape, tensor.data);
}

v1::Tensor ToReply(const Tensor& tensor, const InputTensor& input) {
  if (input.from_npy) return ToProto(tensor);
  v1::Tensor reply;
  reply.set_data_type(ToProto(tensor.type));
  reply.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
  for (const double value : ToDoubles(tensor)) {
    if (tensor.type == DataType::kFloat64) {
      reply.add_double_values(value);
    } else {
      reply.add_float_values(static_cast<float>(value));
    }
  }
  return reply;
}

}  // namespace activation::cli
