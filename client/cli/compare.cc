#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/tensor_command.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation compare gelu
  activation compare gelu --with gelu_tanh --with gelu_sigmoid --from -10 --to 10 --points 2000001
  activation compare elu --param alpha=2 --with elu:alpha=1.9 --derivative --format csv
  activation compare gelu --with gelu_tanh --points-file x.npy --dtype float32 --format json)";

struct Options {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> candidates;
  std::string from = "-10";
  std::string to = "10";
  std::string points = "100001";
  std::string points_file;
  bool derivative = false;
  std::string type;
  std::string format = "table";
};

absl::Status SetGrid(const Options& options, v1::Grid& grid) {
  absl::StatusOr<double> from = ParseNumber(options.from);
  if (!from.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--from ", from.status().message()));
  }
  absl::StatusOr<double> to = ParseNumber(options.to);
  if (!to.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--to ", to.status().message()));
  }
  int64_t points = 0;
  if (!absl::SimpleAtoi(options.points, &points)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--points '", options.points, "' is not a whole number"));
  }
  grid.set_from(*from);
  grid.set_to(*to);
  grid.set_points(points);
  return absl::OkStatus();
}

absl::StatusOr<v1::CompareApproximationsRequest> MakeRequest(const Options& options) {
  v1::CompareApproximationsRequest request;
  absl::StatusOr<Parameters> parameters = ParseParameters(options.parameters);
  if (!parameters.ok()) return parameters.status();
  *request.mutable_reference() = ToProto(Activation{options.name, *std::move(parameters)});
  for (const std::string& text : options.candidates) {
    absl::StatusOr<Activation> candidate = ParseActivation(text);
    if (!candidate.ok()) return candidate.status();
    *request.add_candidates() = ToProto(*candidate);
  }
  std::optional<DataType> type = FindDataType(options.type);
  if (options.points_file.empty()) {
    absl::Status status = SetGrid(options, *request.mutable_grid());
    if (!status.ok()) return status;
  } else {
    absl::StatusOr<InputTensor> points = ReadInput(options.points_file, type, DataType::kFloat64);
    if (!points.ok()) return points.status();
    type = points->tensor.type;
    *request.mutable_points() = ToProto(std::move(points->tensor));
  }
  request.set_data_type(ToProto(type));
  if (options.derivative) request.set_quantity(v1::QUANTITY_DERIVATIVE);
  return request;
}

std::string Exact(double value) { return FormatDecimal(DataType::kFloat64, value); }
std::string Rounded(double value) { return absl::StrFormat("%.5g", value); }

using Row = std::vector<std::string>;

std::string RenderTable(const v1::CompareApproximationsResponse& response) {
  std::vector<Row> rows = {{"candidate", "max abs", "at x", "max rel", "at x", "max ulp", "at x",
                            "mean abs", "rms", "non-finite"}};
  for (const v1::ApproximationReport& report : response.reports()) {
    Row row = {FormatActivation(FromProto(report.candidate()))};
    for (const v1::ErrorPoint* point :
         {&report.max_absolute_error(), &report.max_relative_error(), &report.max_ulp_error()}) {
      row.push_back(Rounded(point->error()));
      row.push_back(Rounded(point->x()));
    }
    row.push_back(Rounded(report.mean_absolute_error()));
    row.push_back(Rounded(report.root_mean_square_error()));
    row.push_back(absl::StrCat(report.non_finite_mismatches()));
    rows.push_back(std::move(row));
  }
  const int64_t points = response.reports_size() > 0 ? response.reports(0).points() : 0;
  return absl::StrCat("against ", FormatActivation(FromProto(response.reference())), ", ", points,
                      " points\n", FormatTable(rows, Align::kLeft));
}

std::string RenderCsv(const v1::CompareApproximationsResponse& response) {
  Row heading = {"candidate", "points"};
  for (const char* error : {"max_absolute_error", "max_relative_error", "max_ulp_error"}) {
    for (const char* part : {"", "_x", "_reference", "_candidate"}) {
      heading.push_back(absl::StrCat(error, part));
    }
  }
  for (const char* name :
       {"mean_absolute_error", "root_mean_square_error", "non_finite_mismatches"}) {
    heading.emplace_back(name);
  }
  std::vector<Row> rows = {std::move(heading)};
  for (const v1::ApproximationReport& report : response.reports()) {
    Row row = {FormatActivation(FromProto(report.candidate())), absl::StrCat(report.points())};
    for (const v1::ErrorPoint* point :
         {&report.max_absolute_error(), &report.max_relative_error(), &report.max_ulp_error()}) {
      for (const double value :
           {point->error(), point->x(), point->reference(), point->candidate()}) {
        row.push_back(Exact(value));
      }
    }
    row.push_back(Exact(report.mean_absolute_error()));
    row.push_back(Exact(report.root_mean_square_error()));
    row.push_back(absl::StrCat(report.non_finite_mismatches()));
    rows.push_back(std::move(row));
  }
  return FormatCsv(rows);
}

absl::Status Run(const Globals& globals, const Options& options) {
  absl::StatusOr<v1::CompareApproximationsRequest> request = MakeRequest(options);
  if (!request.ok()) return request.status();
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<v1::CompareApproximationsResponse> response = client->Compare(*request);
  if (!response.ok()) return response.status();
  if (options.format == "csv") return Write("-", RenderCsv(*response));
  if (options.format == "table") return Write("-", RenderTable(*response));
  absl::StatusOr<std::string> json = FormatJson(*response, JsonStyle::kFull);
  if (!json.ok()) return json.status();
  return Write("-", *json);
}

}  // namespace

Command AddCompare(CLI::App& app, const Globals& globals) {
  CLI::App* command =
      app.add_subcommand("compare", "How far approximations are from an activation");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  command->add_option("name", options->name, "The reference: a name or alias")->required();
  command->add_option("--param", options->parameters, "Parameter of the reference; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--with", options->candidates,
                   "Candidate, with parameters as elu:alpha=2,...; repeatable (default: the "
                   "reference's known approximations)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  CLI::Option* from =
      command->add_option("--from", options->from, "Lowest point")->capture_default_str();
  CLI::Option* to =
      command->add_option("--to", options->to, "Highest point")->capture_default_str();
  CLI::Option* points =
      command
          ->add_option("--points", options->points, "How many, evenly spaced, both ends included")
          ->capture_default_str();
  command->add_option("--points-file", options->points_file, "The points themselves: .npy or text")
      ->type_name("FILE")
      ->excludes(from)
      ->excludes(to)
      ->excludes(points);
  command->add_flag("--derivative", options->derivative, "Compare f' instead of f");
  command
      ->add_option("--dtype", options->type,
                   "Type of points and candidate values (default: the .npy file's, or float64)")
      ->check(CLI::IsMember({"float32", "float64", "float16", "bfloat16"}))
      ->type_name("TYPE");
  command->add_option("--format", options->format, "Form of the report")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
