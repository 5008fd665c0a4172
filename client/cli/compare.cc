#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/compare_formats.h"
#include "client/cli/compare_options.h"
#include "client/cli/compare_picture.h"
#include "client/cli/compare_request.h"
#include "client/cli/gnuplot.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Progress is shown where standard error is a terminal. Ctrl-C stops the work, at the server too. There
is no time limit unless --timeout gives one.

Examples:
  activation compare gelu
  activation compare gelu --with gelu_tanh --with gelu_sigmoid --from -10 --to 10 --points 2000001
  activation compare elu --param alpha=2 --with elu:alpha=1.9 --derivative --format csv
  activation compare gelu --with gelu_tanh --points-file x.npy --dtype float32 --format json
  activation compare gelu --formula '0.5*x*(1 + tanh(0.79788456*(x + 0.044715*x^3)))' --dtype float32
  activation compare silu --outputs y.npy --points-file x.npy --dtype bfloat16
  activation compare tanh --table table.json --from 0 --to 4 --plot errors.svg
  activation compare gelu --with gelu_tanh --dtype bfloat16 --every-value
  activation compare gelu --with gelu_sigmoid --normal 0,1 --points 1000000 --seed 7 --regions -1,0,1)";

struct Options {
  CompareOptions comparison;
  bool progress = false;
  std::string plot_file;
  std::string format = "table";
};

absl::StatusOr<v1::CompareApproximationsResponse> Compare(
    const Globals& globals, const Options& options,
    const v1::CompareApproximationsRequest& request) {
  const Interruption interruption;
  absl::StatusOr<Client> client = globals.Connect(absl::InfiniteDuration());
  if (!client.ok()) return client.status();
  ProgressLine line(options.progress);
  return client->Compare(
      request, [&line](const v1::CompareProgress& progress) { line.Show(progress); },
      interruption.token());
}

absl::Status Plot(const Options& options, PictureType type,
                  const v1::CompareApproximationsResponse& response) {
  const std::string title =
      absl::StrCat("Errors against ", options.comparison.derivative ? "f' of " : "",
                   FormatActivation(FromProto(response.reference())));
  return WriteIfOk(options.plot_file, Draw(ComparePicture(response, title), type));
}

absl::Status Run(const Globals& globals, const Options& options) {
  absl::StatusOr<v1::CompareApproximationsRequest> request = MakeCompareRequest(options.comparison);
  if (!request.ok()) return request.status();
  absl::StatusOr<PictureType> type = PictureTypeOf(options.plot_file);
  if (!type.ok()) return type.status();
  const bool plot = !options.plot_file.empty();
  if (plot) request->set_curve_points(kCurvePoints);
  absl::StatusOr<v1::CompareApproximationsResponse> response = Compare(globals, options, *request);
  if (!response.ok()) return response.status();
  // The report may have taken long: it is not lost where the picture can't be drawn.
  absl::Status printed = WriteIfOk("-", Render(CompareFormats(), options.format, *response));
  if (!printed.ok() || !plot) return printed;
  return Plot(options, *type, *response);
}

}  // namespace

Command AddCompare(CLI::App& app, const Globals& globals) {
  CLI::App* command =
      app.add_subcommand("compare", "How far approximations are from an activation");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  AddCompareOptions(*command, options->comparison);
  command->add_option("--plot", options->plot_file, "Picture of the errors: .png, .svg or .pdf")
      ->type_name("FILE");
  command->add_flag("--progress", options->progress,
                    "Lines of progress, also where standard error is no terminal");
  AddFormat(*command, CompareFormats(), options->format, "Form of the report");
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
