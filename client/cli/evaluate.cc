#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/tensor_options.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation evaluate gelu -- -5.5 -6 -inf
  activation evaluate gelu --dtype float64 --format hex -- 0x1p-149
  activation evaluate elu --param alpha=2 --input x.npy --output y.npy --output-dtype bfloat16
  seq -5 0.5 5 | activation evaluate tanh --input - --format csv
  activation evaluate gelu --input - --format npy < x.npy > y.npy
  activation evaluate leaky_relu --param-tensor negative_slope=slopes.npy --bias b.npy --input x.npy
  activation evaluate --formula 'x*tanh(a*x)' --param a=2 -- -1 0 1
  activation evaluate softmax --axis 0 --input x.npy --output y.npy)";

absl::StatusOr<std::string> RenderJson(const TensorTask& task, const EvaluateResult& result) {
  v1::EvaluateResponse response;
  v1::EvaluationResult& only = *response.add_results();
  *only.mutable_activation() = ToProto(result.activation);
  *only.mutable_output() = ToReply(result.output, task.input);
  return FormatJson(response, JsonStyle::kCompact);
}

absl::StatusOr<std::string> Render(const TensorTask& task, const EvaluateResult& result) {
  return task.format->render({
      .title = absl::StrCat(FormatActivation(result.activation), ", ", NameOf(result.output.type)),
      .columns = {{"x", task.input.tensor, /*is_input=*/true}, {"value", result.output}},
      .output = result.output,
      .input = task.input,
      .json = [&] { return RenderJson(task, result); },
  });
}

absl::Status Run(const Globals& globals, const TensorOptions& options) {
  absl::StatusOr<TensorTask> task = MakeTensorTask(options);
  if (!task.ok()) return task.status();
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<EvaluateResult> result =
      client->Evaluate(task->activation, task->input.tensor, task->output_type, task->bias);
  if (!result.ok()) return result.status();
  return WriteIfOk(options.output_file, Render(*task, *result));
}

}  // namespace

Command AddEvaluate(CLI::App& app, const Globals& globals) {
  CLI::App* command = app.add_subcommand("evaluate", "f(x) for each number");
  command->footer(kExamples);
  const auto options = std::make_shared<TensorOptions>();
  AddTensorOptions(*command, *options);
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
