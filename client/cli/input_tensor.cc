#include "client/cli/input_tensor.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/npy.h"
#include "client/cli/values.h"
#include "client/read_file.h"

namespace activation::cli {
namespace {

InputTensor Flat(Tensor tensor) {
  const auto count = static_cast<int64_t>(tensor.size());
  return {.tensor = std::move(tensor), .shape = {count}};
}

}  // namespace

absl::StatusOr<InputTensor> ParseInput(DataType type, std::span<const std::string> texts) {
  absl::StatusOr<Tensor> tensor = ParseValues(type, texts);
  if (!tensor.ok()) return tensor.status();
  return Flat(*std::move(tensor));
}

absl::StatusOr<InputTensor> ReadInput(const std::string& path, std::optional<DataType> type,
                                      DataType text_type) {
  const bool from_stdin = path == "-";
  absl::StatusOr<std::string> bytes = from_stdin ? ReadStandardInput() : ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  const bool npy = IsNpy(*bytes) || absl::EndsWith(path, ".npy");
  absl::StatusOr<Tensor> tensor =
      npy ? DecodeNpy(*bytes, type) : ParseValues(type.value_or(text_type), SplitWords(*bytes));
  if (!tensor.ok()) {
    return absl::Status(tensor.status().code(),
                        absl::StrCat(from_stdin ? "standard input" : absl::StrCat("'", path, "'"),
                                     ": ", tensor.status().message()));
  }
  if (!npy) return Flat(*std::move(tensor));
  std::vector<int64_t> shape = tensor->shape;
  return InputTensor{.tensor = *std::move(tensor), .shape = std::move(shape), .from_npy = true};
}

absl::StatusOr<std::pair<std::string, std::string>> SplitNameAndFile(const char* option,
                                                                     const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " '", text, "': NAME=FILE is needed, as in alpha=alpha.npy"));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

absl::StatusOr<AxisTensors> ReadAxisTensors(const std::vector<std::string>& texts,
                                            std::optional<int32_t> axis) {
  AxisTensors tensors;
  for (const std::string& text : texts) {
    const auto split = SplitNameAndFile("--param-tensor", text);
    if (!split.ok()) return split.status();
    absl::StatusOr<InputTensor> read = ReadInput(split->second, std::nullopt, DataType::kFloat64);
    if (!read.ok()) return read.status();
    const bool is_new =
        tensors.emplace(split->first, AxisTensor{.values = std::move(read->tensor), .axis = axis})
            .second;
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat("--param-tensor '", text, "': ", split->first, " is given twice"));
    }
  }
  return tensors;
}

}  // namespace activation::cli
