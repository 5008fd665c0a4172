#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/command.h"
#include "client/cli/npy.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/tensor_options.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation gradient gelu -- -1 0 1
  activation gradient gelu_sigma --param sigma=0.5 --input x.npy --upstream g.npy --output dx.npy
  activation gradient gelu_sigma --parameter-gradients --value --format json -- -1 0 1
  activation gradient elu --param-tensor alpha=a.npy --param-gradient alpha=da.npy --bias b.npy \
    --bias-gradient db.npy --input x.npy --upstream g.npy --output dx.npy
  activation gradient --formula 'x*tanh(x)' --value -- -1 0 1
  activation gradient softmax --input x.npy --upstream g.npy --output dx.npy

Parameter gradients come after the result, as lines NAME=VALUE on standard output (with --format json:
in the message), NAME[INDEX]=VALUE for each value of a --param-tensor, bias[INDEX]=VALUE for the bias,
unless --param-gradient and --bias-gradient send those to files. With npy and csv lines need --output,
so that both can be told apart.)";

struct Options {
  TensorOptions tensor;
  std::string upstream_file;
  bool parameter_gradients = false;
  bool value = false;
  std::string value_file;
  std::vector<std::string> parameter_gradient_files;
  std::string bias_gradient_file;

  bool asks_for_parameter_gradients() const {
    return parameter_gradients || !parameter_gradient_files.empty() || !bias_gradient_file.empty();
  }
};

// Combinations in which two results would end up in one stream of bytes.
absl::Status CheckOutputs(const Options& options, const TensorFormat& format) {
  const bool to_stdout = options.tensor.output_file.empty() || options.tensor.output_file == "-";
  if (options.parameter_gradients && to_stdout &&
      format.parameter_gradients == ParameterGradients::kApart) {
    return absl::InvalidArgumentError(
        "--parameter-gradients with npy or csv: add --output FILE, since the parameter gradients "
        "go to standard output; or use --format json");
  }
  if (options.value && options.value_file.empty() && format.is_npy) {
    return absl::InvalidArgumentError(
        "--value with npy: use --value-output FILE, since a .npy file holds one array");
  }
  if (!options.bias_gradient_file.empty() && options.tensor.bias_file.empty()) {
    return absl::InvalidArgumentError("--bias-gradient: there is no --bias");
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
  for (const auto& [name, sums] : result.parameter_tensor_gradients) {
    (*only.mutable_parameter_tensor_gradients())[name] = ToReply(sums, task.input);
  }
  if (result.bias_gradient.has_value()) {
    *only.mutable_bias_gradient() = ToReply(*result.bias_gradient, task.input);
  }
  return FormatJson(response, JsonStyle::kCompact);
}

absl::StatusOr<std::string> Render(const TensorTask& task, const std::optional<Tensor>& upstream,
                                   const GradientResult& result) {
  std::vector<Column> columns = {{"x", task.input.tensor, /*is_input=*/true}};
  if (upstream.has_value()) columns.push_back({"upstream", *upstream, /*is_input=*/true});
  columns.push_back({"gradient", result.gradient});
  if (result.value.has_value()) columns.push_back({"value", *result.value});
  return task.format->render({
      .title = absl::StrCat("gradient of ", FormatActivation(result.activation), ", ",
                            NameOf(result.gradient.type)),
      .columns = std::move(columns),
      .output = result.gradient,
      .input = task.input,
      .json = [&] { return RenderJson(task, result); },
  });
}

std::string RenderParameterGradients(const TensorFormat& format, const GradientResult& result) {
  std::string text;
  const auto add = [&](const std::string& name, double value) {
    absl::StrAppend(&text, name, "=", format.line(value), "\n");
  };
  const auto add_all = [&](const std::string& name, const Tensor& sums) {
    const std::vector<double> values = ToDoubles(sums);
    for (size_t i = 0; i < values.size(); ++i) add(absl::StrCat(name, "[", i, "]"), values[i]);
  };
  for (const auto& [name, value] : result.parameter_gradients) add(name, value);
  for (const auto& [name, sums] : result.parameter_tensor_gradients) add_all(name, sums);
  if (result.bias_gradient.has_value()) add_all("bias", *result.bias_gradient);
  return text;
}

absl::Status WriteSums(const std::string& file, const Tensor& sums) {
  const std::vector<int64_t> shape = {static_cast<int64_t>(sums.size())};
  return Write(file, EncodeNpy(sums.type, shape, sums.data));
}

// Writes what has a file of its own, and takes it out of the result.
absl::Status WriteFiles(const TensorTask& task, const Options& options, GradientResult& result) {
  if (!options.value_file.empty()) {
    const std::string npy = EncodeNpyResult(*result.value, task.input);
    if (absl::Status status = Write(options.value_file, npy); !status.ok()) return status;
    result.value.reset();
  }
  for (const std::string& text : options.parameter_gradient_files) {
    const auto split = SplitNameAndFile("--param-gradient", text);
    if (!split.ok()) return split.status();
    const auto sums = result.parameter_tensor_gradients.extract(split->first);
    if (sums.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--param-gradient '", text, "': there is no --param-tensor of this name"));
    }
    absl::Status status = WriteSums(split->second, sums.mapped());
    if (!status.ok()) return status;
  }
  if (options.bias_gradient_file.empty()) return absl::OkStatus();
  absl::Status status = WriteSums(options.bias_gradient_file, *result.bias_gradient);
  result.bias_gradient.reset();
  return status;
}

absl::StatusOr<Tensor> ReadUpstream(const std::string& path, const InputTensor& input) {
  absl::StatusOr<InputTensor> upstream = ReadInput(path, input.tensor.type);
  if (!upstream.ok()) return upstream.status();
  // One of another size may be right for a gated row function; the client looks at that.
  if (upstream->from_npy && input.from_npy && upstream->shape != input.shape &&
      upstream->tensor.size() == input.tensor.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path, "': has shape (", absl::StrJoin(upstream->shape, ", "), "), but the input has (",
        absl::StrJoin(input.shape, ", "), "): give --upstream the input's shape"));
  }
  return std::move(upstream->tensor);
}

absl::StatusOr<GradientRequest> MakeRequest(const TensorTask& task, const Options& options) {
  GradientRequest request{
      .activation = task.activation,
      .input = task.input.tensor,
      .output_type = task.output_type,
      .return_value = options.value || !options.value_file.empty(),
      .return_parameter_gradients = options.asks_for_parameter_gradients(),
      .bias = task.bias,
  };
  if (!options.upstream_file.empty()) {
    absl::StatusOr<Tensor> upstream = ReadUpstream(options.upstream_file, task.input);
    if (!upstream.ok()) return upstream.status();
    request.upstream = *std::move(upstream);
  }
  return request;
}

absl::Status WriteAll(const TensorTask& task, const Options& options,
                      const std::optional<Tensor>& upstream, GradientResult& result) {
  absl::Status status = WriteFiles(task, options, result);
  if (!status.ok()) return status;
  status = WriteIfOk(options.tensor.output_file, Render(task, upstream, result));
  if (!status.ok() || !options.parameter_gradients ||
      task.format->parameter_gradients == ParameterGradients::kInside) {
    return status;
  }
  return Write("-", RenderParameterGradients(*task.format, result));
}

absl::Status Run(const Globals& globals, const Options& options) {
  absl::StatusOr<TensorTask> task = MakeTensorTask(options.tensor);
  if (!task.ok()) return task.status();
  if (absl::Status status = CheckOutputs(options, *task->format); !status.ok()) return status;
  absl::StatusOr<GradientRequest> request = MakeRequest(*task, options);
  if (!request.ok()) return request.status();
  const std::optional<Tensor> upstream = request->upstream;
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<GradientResult> result = client->Gradient(*std::move(request));
  if (!result.ok()) return result.status();
  return WriteAll(*task, options, upstream, *result);
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
  AddEach(*command, "--param-gradient", options->parameter_gradient_files, "NAME=FILE",
          "The gradient for a --param-tensor, into this .npy file; repeatable");
  command
      ->add_option("--bias-gradient", options->bias_gradient_file,
                   "The gradient for the bias, into this .npy file")
      ->type_name("FILE");
  command->add_flag("--value", options->value, "Also f(x), as one more column");
  command->add_option("--value-output", options->value_file, "Also f(x), into this .npy file")
      ->type_name("FILE");
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
