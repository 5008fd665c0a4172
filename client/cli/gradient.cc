#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/command.h"
#include "client/cli/npy.h"
#include "client/cli/output.h"
#include "client/cli/tensor_command.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation gradient gelu -- -1 0 1
  activation gradient gelu_sigma --param sigma=0.5 --input x.npy --upstream g.npy --output dx.npy
  activation gradient gelu_sigma --parameter-gradients --value --format json -- -1 0 1

Parameter gradients come after the result, as lines NAME=VALUE on standard output (with --format json:
in the message). With npy and csv that needs --output, so that both can be told apart.)";

struct Options {
  TensorOptions tensor;
  std::string upstream_file;
  bool parameter_gradients = false;
  bool value = false;
  std::string value_file;
};

// Combinations in which two results would end up in one stream of bytes.
absl::Status CheckOutputs(const Options& options, Format format) {
  const bool to_stdout = options.tensor.output_file.empty() || options.tensor.output_file == "-";
  if (options.parameter_gradients && to_stdout &&
      (format == Format::kNpy || format == Format::kCsv)) {
    return absl::InvalidArgumentError(
        "--parameter-gradients with npy or csv: add --output FILE, since the parameter gradients "
        "go to standard output; or use --format json");
  }
  if (options.value && options.value_file.empty() && format == Format::kNpy) {
    return absl::InvalidArgumentError(
        "--value with npy: use --value-output FILE, since a .npy file holds one array");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RenderJson(const TensorTask& task, const GradientResult& result) {
  v1::GradientResponse response;
  v1::GradientResult& only = *response.add_results();
  *only.mutable_activation() = ToProto(result.activation);
  *only.mutable_gradient() = ToReply(result.gradient, task.input);
  if (result.value.has_value()) *only.mutable_value() = ToReply(*result.value, task.input);
  only.mutable_parameter_gradients()->insert(result.parameter_gradients.begin(),
                                             result.parameter_gradients.end());
  return FormatJson(response, JsonStyle::kCompact);
}

absl::StatusOr<std::string> Render(const TensorTask& task, const std::optional<Tensor>& upstream,
                                   const GradientResult& result) {
  if (task.format == Format::kJson) return RenderJson(task, result);
  if (task.format == Format::kNpy) {
    return EncodeNpy(result.gradient.type, task.input.shape, result.gradient.data);
  }
  std::vector<Column> columns = {{"x", task.input.tensor}};
  if (upstream.has_value() && task.format != Format::kHex) {
    columns.push_back({"upstream", *upstream});
  }
  columns.push_back({"gradient", result.gradient});
  if (result.value.has_value()) columns.push_back({"value", *result.value});
  return FormatColumns(task.format,
                       absl::StrCat("gradient of ", FormatActivation(result.activation), ", ",
                                    NameOf(result.gradient.type)),
                       columns);
}

std::string RenderParameterGradients(Format format, const Parameters& gradients) {
  std::string text;
  for (const auto& [name, value] : gradients) {
    absl::StrAppend(
        &text, name, "=",
        format == Format::kHex ? FormatHex(value) : FormatDecimal(DataType::kFloat64, value), "\n");
  }
  return text;
}

absl::Status Run(const Globals& globals, const Options& options) {
  absl::StatusOr<TensorTask> task = MakeTensorTask(options.tensor);
  if (!task.ok()) return task.status();
  if (absl::Status status = CheckOutputs(options, task->format); !status.ok()) return status;
  GradientRequest request{
      .activation = task->activation,
      .input = task->input.tensor,
      .output_type = task->output_type,
      .return_value = options.value || !options.value_file.empty(),
      .return_parameter_gradients = options.parameter_gradients,
  };
  if (!options.upstream_file.empty()) {
    absl::StatusOr<InputTensor> upstream =
        ReadInput(options.upstream_file, task->input.tensor.type);
    if (!upstream.ok()) return upstream.status();
    if (upstream->from_npy && task->input.from_npy && upstream->shape != task->input.shape) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", options.upstream_file, "': has shape (", absl::StrJoin(upstream->shape, ", "),
          "), but the input has (", absl::StrJoin(task->input.shape, ", "),
          "): give --upstream the input's shape"));
    }
    request.upstream = std::move(upstream->tensor);
  }
  const std::optional<Tensor> upstream = request.upstream;
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<GradientResult> result = client->Gradient(std::move(request));
  if (!result.ok()) return result.status();

  if (!options.value_file.empty()) {
    const Tensor& value = *result->value;
    absl::Status status =
        Write(options.value_file, EncodeNpy(value.type, task->input.shape, value.data));
    if (!status.ok()) return status;
    result->value.reset();
  }
  absl::StatusOr<std::string> text = Render(*task, upstream, *result);
  if (!text.ok()) return text.status();
  if (absl::Status status = Write(options.tensor.output_file, *text); !status.ok()) return status;
  if (task->format == Format::kJson) return absl::OkStatus();
  return Write("-", RenderParameterGradients(task->format, result->parameter_gradients));
}

}  // namespace

Command AddGradient(CLI::App& app, const Globals& globals) {
  CLI::App* command = app.add_subcommand("gradient", "f'(x) for each number, times --upstream");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  AddTensorOptions(*command, options->tensor);
  command
      ->add_option("--upstream", options->upstream_file,
                   "Multiply with these, of the input's type and shape (.npy or text)")
      ->type_name("FILE");
  command->add_flag("--parameter-gradients", options->parameter_gradients,
                    "Also the gradient for each parameter, summed over the elements");
  command->add_flag("--value", options->value, "Also f(x), as one more column");
  command->add_option("--value-output", options->value_file, "Also f(x), into this .npy file")
      ->type_name("FILE");
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
