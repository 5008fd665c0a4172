#include "client/cli/tensor_options.h"

#include <utility>

#include "absl/status/status.h"
#include "client/cli/formats.h"
#include "client/cli/options.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

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
  return ParseInput(type.value_or(DataType::kFloat32), options.values);
}

}  // namespace

void AddTensorOptions(CLI::App& app, TensorOptions& options) {
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
  AddDataType(app, "--dtype", options.type,
              "Type of the input (default: the .npy file's, otherwise float32); bfloat16 takes a "
              "uint16 .npy file");
  AddDataType(app, "--output-dtype", options.output_type,
              "Type of the result, rounded once (default: the input's)");
  AddEach(app, "--param", options.parameters, "NAME=VALUE",
          "Parameter of the activation; repeatable");
  AddEach(app, "--param-tensor", options.parameter_tensors, "NAME=FILE",
          "Parameter with a value for each index of an axis of the input: a .npy file or text; "
          "repeatable");
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
      ->check(CLI::IsMember(NamesOf(TensorFormats())))
      ->type_name("FORMAT");
  app.add_option("--output", options.output_file,
                 "Write the result to this file; .npy, .json, .csv, .hex choose the form")
      ->type_name("FILE");
}

absl::StatusOr<TensorTask> MakeTensorTask(TensorOptions options) {
  if (absl::Status status = MoveName(options); !status.ok()) return status;
  absl::StatusOr<const TensorFormat*> format =
      ChooseTensorFormat(options.format, options.output_file);
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

}  // namespace activation::cli
