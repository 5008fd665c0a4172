#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/catalogue.h"
#include "client/cli/command.h"
#include "client/cli/compare_picture.h"
#include "client/cli/curves.h"
#include "client/cli/gnuplot.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/report_page.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Approximations are compared at 100001 points from -10 to 10, or with --every-value at all values of
--dtype: minutes for each activation with float32, seconds with the 16-bit types.

Examples:
  activation report gelu --output gelu.html
  activation report gelu --every-value --dtype bfloat16 --output gelu.html
  activation report --all --output reports)";

constexpr double kPlotBound = 5;
constexpr double kGridBound = 10;
constexpr int64_t kGridPoints = 100'001;

struct Options {
  std::string name;
  bool all = false;
  bool every_value = false;
  std::string type = "float32";
  std::string output;
};

// Each panel as a picture of its own, so that a narrow screen can show them one below the other.
absl::StatusOr<std::vector<ReportPicture>> DrawPanels(const Picture& picture) {
  std::vector<ReportPicture> pictures;
  for (const Panel& panel : picture.panels) {
    absl::StatusOr<std::string> svg = Draw(Picture{.panels = {panel}}, PictureType::kSvg);
    if (!svg.ok()) return svg.status();
    pictures.push_back({.title = panel.title, .svg = *std::move(svg)});
  }
  return pictures;
}

absl::Status AddCurves(const Client& client, ReportContent& content) {
  const std::string& name = content.info.name();
  const Sampler sampler(client, -kPlotBound, kPlotBound);
  absl::StatusOr<Picture> picture =
      FunctionPicture(sampler, std::vector<Activation>{{.name = name}});
  if (!picture.ok()) return picture.status();
  for (Panel& panel : picture->panels) panel.title = absl::StrCat(name, ", ", panel.title);
  absl::StatusOr<std::vector<ReportPicture>> curves = DrawPanels(*picture);
  if (!curves.ok()) return curves.status();
  content.curves = *std::move(curves);
  return absl::OkStatus();
}

v1::CompareApproximationsRequest MakeRequest(const v1::ListActivationsResponse& catalogue,
                                             const v1::ActivationInfo& info,
                                             const Options& options) {
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name(info.name());
  for (const std::string& name : info.approximations()) request.add_candidates()->set_name(name);
  for (const v1::PresetInfo& preset : catalogue.presets()) {
    if (preset.reference() != info.name()) continue;
    request.add_approximations()->mutable_preset()->set_name(preset.name());
  }
  request.set_data_type(ToProto(FindDataType(options.type)));
  request.set_curve_points(kCurvePoints);
  if (options.every_value) {
    request.mutable_every_value();
  } else {
    request.mutable_grid()->set_from(-kGridBound);
    request.mutable_grid()->set_to(kGridBound);
    request.mutable_grid()->set_points(kGridPoints);
  }
  return request;
}

absl::Status AddErrors(const Client& client, const v1::CompareApproximationsRequest& request,
                       const std::stop_token& stop, ReportContent& content) {
  ProgressLine line(/*always=*/false);
  absl::StatusOr<v1::CompareApproximationsResponse> comparison = client.Compare(
      request, [&line](const v1::CompareProgress& progress) { line.Show(progress); }, stop);
  if (!comparison.ok()) return comparison.status();
  content.comparison = *std::move(comparison);
  for (const v1::ApproximationReport& report : content.comparison.reports()) {
    v1::CompareApproximationsResponse one;
    *one.add_reports() = report;
    absl::StatusOr<std::vector<ReportPicture>> pictures = DrawPanels(ComparePicture(one, ""));
    if (!pictures.ok()) return pictures.status();
    content.errors.push_back(*std::move(pictures));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> MakePage(const Client& client,
                                     const v1::ListActivationsResponse& catalogue,
                                     const v1::ActivationInfo& info, const Options& options,
                                     const std::stop_token& stop) {
  if (stop.stop_requested()) return absl::CancelledError("stopped before the end, as asked for");
  ReportContent content{.info = info};
  absl::Status status;
  if (info.kind() == v1::ACTIVATION_KIND_ELEMENTWISE) status = AddCurves(client, content);
  const v1::CompareApproximationsRequest request = MakeRequest(catalogue, info, options);
  if (status.ok() && request.candidates_size() + request.approximations_size() > 0) {
    content.domain = options.every_value ? absl::StrCat("every value of ", options.type)
                                         : absl::StrCat(kGridPoints, " points from ", -kGridBound,
                                                        " to ", kGridBound, ", in ", options.type);
    status = AddErrors(client, request, stop, content);
  }
  if (!status.ok()) return status;
  return ReportPage(content);
}

absl::Status WriteAll(const Client& client, const v1::ListActivationsResponse& catalogue,
                      const Options& options, const std::stop_token& stop) {
  const std::filesystem::path folder = options.output;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot make '", options.output, "'"));
  }
  for (const v1::ActivationInfo& info : catalogue.activations()) {
    absl::Status status = WriteIfOk(folder / ReportFileName(info.name()),
                                    MakePage(client, catalogue, info, options, stop));
    if (!status.ok()) return status;
  }
  return Write(folder / "index.html", IndexPage(catalogue));
}

absl::Status Run(const Globals& globals, const Options& options) {
  if (options.name.empty() != options.all) {
    return absl::InvalidArgumentError("one activation's name is needed, or --all");
  }
  const Interruption interruption;
  absl::StatusOr<Client> client = globals.Connect(absl::InfiniteDuration());
  if (!client.ok()) return client.status();
  absl::StatusOr<v1::ListActivationsResponse> catalogue = client->List();
  if (!catalogue.ok()) return catalogue.status();
  if (options.all) return WriteAll(*client, *catalogue, options, interruption.token());
  absl::StatusOr<v1::ActivationInfo> info = FindActivation(*catalogue, options.name);
  if (!info.ok()) return info.status();
  return WriteIfOk(options.output,
                   MakePage(*client, *catalogue, *info, options, interruption.token()));
}

}  // namespace

Command AddReport(CLI::App& app, const Globals& globals) {
  CLI::App* command =
      app.add_subcommand("report", "A web page about an activation, or all of them");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  CLI::Option* name = command->add_option("name", options->name, "A name or alias");
  command->add_flag("--all", options->all, "One page for each, and an index")->excludes(name);
  command->add_option("--output", options->output, "HTML file, or with --all a folder")
      ->type_name("FILE")
      ->required();
  command->add_flag("--every-value", options->every_value, "Compare at every value of --dtype");
  AddDataType(*command, "--dtype", options->type, "Type of points and candidate values")
      ->capture_default_str();
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
