#include "client/cli/tensor_command.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/npy.h"
#include "client/cli/output.h"
#include "client/cli/values.h"
#include "client/convert.h"
#include "client/read_file.h"

namespace activation::cli {
namespace {

struct FormatName {
  const char* name;
  Format format;
  // The file names that ask for it.
  const char* suffix;
};
constexpr FormatName kFormats[] = {
    {"table", Format::kTable, ".txt"}, {"json", Format::kJson, ".json"},
    {"csv", Format::kCsv, ".csv"},     {"hex", Format::kHex, ".hex"},
    {"npy", Format::kNpy, ".npy"},
};

// With --formula, what stands where the name would is the first of the values.
absl::Status MoveName(TensorOptions& options) {
  if (options.formula.empty()) {
    return options.name.empty()
               ? absl::InvalidArgumentError("no activation: give its name, or --formula")
               : absl::OkStatus();
  }
  if (!options.name.empty()) options.values.insert(options.values.begin(), options.name);
  options.name.clear();
  return absl::OkStatus();
}

// What --format says, or else what the output file's name says, or else a table.
absl::StatusOr<Format> ChooseFormat(const TensorOptions& options) {
  std::optional<Format> asked;
  std::optional<Format> by_suffix;
  for (const FormatName& candidate : kFormats) {
    if (options.format == candidate.name) asked = candidate.format;
    if (absl::EndsWith(options.output_file, candidate.suffix)) by_suffix = candidate.format;
  }
  if (by_suffix == Format::kNpy && asked.value_or(Format::kNpy) != Format::kNpy) {
    return absl::InvalidArgumentError(absl::StrCat("--format ", options.format,
                                                   " does not fit --output ", options.output_file,
                                                   ": drop --format, or choose another file name"));
  }
  if (asked.has_value()) return *asked;
  return by_suffix.value_or(Format::kTable);
}

InputTensor Flat(Tensor tensor) {
  const auto count = static_cast<int64_t>(tensor.size());
  return {.tensor = std::move(tensor), .shape = {count}};
}

absl::StatusOr<InputTensor> ReadValues(const TensorOptions& options) {
  const std::optional<DataType> type = FindDataType(options.type);
  if (!options.input_file.empty()) {
    if (!options.values.empty()) {
      return absl::InvalidArgumentError("give values, or --input, but not both");
    }
    return ReadInput(options.input_file, type);
  }
  if (options.values.empty()) {
    return absl::InvalidArgumentError(
        "no input: give values after --, as in `-- -5.5 0 1`, or --input FILE (.npy or text), or "
        "--input - for standard input");
  }
  absl::StatusOr<Tensor> tensor = ParseValues(type.value_or(DataType::kFloat32), options.values);
  if (!tensor.ok()) return tensor.status();
  return Flat(*std::move(tensor));
}

}  // namespace

void AddTensorOptions(CLI::App& app, TensorOptions& options) {
  const CLI::IsMember data_types({"float32", "float64", "float16", "bfloat16"});
  app.add_option("name", options.name,
                 "Activation: a name or alias that `activation list` shows; none with --formula");
  app.add_option("values", options.values,
                 "Numbers, after -- : decimal, hex floats (0x1.8p+1), inf, nan");
  app.add_option("--formula", options.formula,
                 "In place of a name: a function of x and of the numbers that --param gives")
      ->type_name("FORMULA");
  app.add_option("--input", options.input_file,
                 "Read the numbers from a .npy file, or from text; - is standard input")
      ->type_name("FILE");
  app.add_option("--dtype", options.type,
                 "Type of the input (default: the .npy file's, otherwise float32); bfloat16 takes "
                 "a uint16 .npy file")
      ->check(data_types)
      ->type_name("TYPE");
  app.add_option("--output-dtype", options.output_type,
                 "Type of the result, rounded once (default: the input's)")
      ->check(data_types)
      ->type_name("TYPE");
  app.add_option("--param", options.parameters, "Parameter of the activation; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option(
         "--param-tensor", options.parameter_tensors,
         "Parameter with a value for each index of an axis of the input: a .npy file or text; "
         "repeatable")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  app.add_option("--param-axis", options.parameter_axis,
                 "That axis, from 0 or from -1 backwards (default: 1, or 0 of one axis)")
      ->type_name("AXIS");
  app.add_option("--bias", options.bias_file,
                 "Add these first, one for each index of an axis of the input (.npy or text)")
      ->type_name("FILE");
  app.add_option("--bias-axis", options.bias_axis, "That axis (default: -1, the last)")
      ->type_name("AXIS");
  app.add_option("--axis", options.axis,
                 "Axis of the rows of softmax, glu and the like (default: -1, the last)")
      ->type_name("AXIS");
  app.add_option("--format", options.format,
                 "Form of the result (default: by --output's name, otherwise a table)")
      ->check(CLI::IsMember({"table", "json", "csv", "hex", "npy"}))
      ->type_name("FORMAT");
  app.add_option("--output", options.output_file,
                 "Write the result to this file; .npy, .json, .csv, .hex choose the form")
      ->type_name("FILE");
}

absl::StatusOr<TensorTask> MakeTensorTask(TensorOptions options) {
  if (absl::Status status = MoveName(options); !status.ok()) return status;
  absl::StatusOr<Format> format = ChooseFormat(options);
  if (!format.ok()) return format.status();
  absl::StatusOr<Parameters> parameters = ParseParameters(options.parameters);
  if (!parameters.ok()) return parameters.status();
  absl::StatusOr<InputTensor> input = ReadValues(options);
  if (!input.ok()) return input.status();
  absl::StatusOr<AxisTensors> tensors =
      ReadAxisTensors(options.parameter_tensors, options.parameter_axis);
  if (!tensors.ok()) return tensors.status();
  std::optional<AxisTensor> bias;
  if (!options.bias_file.empty()) {
    absl::StatusOr<InputTensor> read = ReadInput(options.bias_file, input->tensor.type);
    if (!read.ok()) return read.status();
    bias = AxisTensor{.values = std::move(read->tensor), .axis = options.bias_axis};
  }
  return TensorTask{
      .activation = {.name = options.name,
                     .parameters = *std::move(parameters),
                     .parameter_tensors = *std::move(tensors),
                     .axis = options.axis,
                     .formula = options.formula},
      .input = *std::move(input),
      .output_type = FindDataType(options.output_type),
      .bias = std::move(bias),
      .format = *format,
  };
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

std::string EncodeNpyResult(const Tensor& tensor, const InputTensor& input) {
  if (tensor.size() == input.tensor.size()) {
    return EncodeNpy(tensor.type, input.shape, tensor.data);
  }
  const std::vector<int64_t> flat = {static_cast<int64_t>(tensor.size())};
  return EncodeNpy(tensor.type, tensor.shape.empty() ? flat : tensor.shape, tensor.data);
}

std::string FormatColumns(Format format, const std::string& title,
                          const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> heading;
  heading.reserve(columns.size());
  for (const Column& column : columns) heading.push_back(column.name);
  if (format != Format::kHex) rows.push_back(std::move(heading));
  const size_t first = format == Format::kHex ? 1 : 0;
  std::vector<std::vector<double>> numbers;
  numbers.reserve(columns.size());
  for (const Column& column : columns) numbers.push_back(ToDoubles(column.tensor));
  size_t longest = 0;
  for (size_t i = first; i < columns.size(); ++i) longest = std::max(longest, numbers[i].size());
  for (size_t row = 0; row < longest; ++row) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (size_t i = first; i < columns.size(); ++i) {
      if (row >= numbers[i].size()) {
        cells.emplace_back();
        continue;
      }
      const double number = numbers[i][row];
      cells.push_back(format == Format::kHex ? FormatHex(number)
                                             : FormatDecimal(columns[i].tensor.type, number));
    }
  }
  switch (format) {
    case Format::kCsv:
      return FormatCsv(rows);
    case Format::kHex:
      return FormatTable(rows, Align::kLeft);
    default:
      return absl::StrCat(title, "\n", FormatTable(rows, Align::kRight));
  }
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
