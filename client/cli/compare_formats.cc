#include "client/cli/compare_formats.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/compare_figures.h"
#include "client/cli/output.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

using Row = std::vector<std::string>;

std::string Indented(const std::string& lines) {
  std::string text;
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "  ", absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

Row ErrorHeading(const char* name) {
  Row heading;
  for (const char* part : {"", "_x", "_reference", "_candidate"}) {
    heading.push_back(absl::StrCat(name, part));
  }
  return heading;
}

void Append(Row& row, const Row& cells) { row.insert(row.end(), cells.begin(), cells.end()); }

Row CsvHeading() {
  Row row = {"candidate", "points"};
  for (const char* error : {"max_absolute_error", "max_relative_error", "max_ulp_error"}) {
    Append(row, ErrorHeading(error));
  }
  Append(row, {"mean_absolute_error", "root_mean_square_error", "non_finite_mismatches",
               "finite_points", "mean_error", "correctly_rounded"});
  for (const IncidentKind& kind : kIncidents) {
    for (const char* part : {"", "_lowest_x", "_highest_x"}) {
      row.push_back(absl::StrCat(kind.column, part));
    }
  }
  Append(row, {"reversals", "reversals_first_x", "reversals_last_x", "nanoseconds_per_point"});
  return row;
}

Row CsvRow(const v1::ApproximationReport& report) {
  Row row = {NameOf(report), absl::StrCat(report.points())};
  for (const v1::ErrorPoint* point :
       {&report.max_absolute_error(), &report.max_relative_error(), &report.max_ulp_error()}) {
    Append(row, {FormatNumber(point->error()), FormatNumber(point->x()),
                 FormatNumber(point->reference()), FormatNumber(point->candidate())});
  }
  Append(row,
         {FormatNumber(report.mean_absolute_error()), FormatNumber(report.root_mean_square_error()),
          absl::StrCat(report.non_finite_mismatches()), absl::StrCat(report.finite_points()),
          FormatNumber(report.mean_error()), absl::StrCat(report.correctly_rounded())});
  // A place that doesn't exist is an empty cell.
  for (const IncidentKind& kind : kIncidents) {
    const v1::Incidents& incidents = (report.*kind.of)();
    const bool any = incidents.count() > 0;
    Append(row, {absl::StrCat(incidents.count()), any ? FormatNumber(incidents.lowest_x()) : "",
                 any ? FormatNumber(incidents.highest_x()) : ""});
  }
  const v1::Reversals& reversals = report.reversals();
  const bool any = reversals.count() > 0;
  Append(row,
         {reversals.checked() ? absl::StrCat(reversals.count()) : "",
          any ? FormatNumber(reversals.first_x()) : "", any ? FormatNumber(reversals.last_x()) : "",
          FormatNumber(report.nanoseconds_per_point())});
  return row;
}

std::string Summary(const v1::CompareApproximationsResponse& response) {
  std::vector<Row> rows = {{"candidate", "max abs", "at x", "max rel", "at x", "max ulp", "at x",
                            "mean abs", "rms", "non-finite"}};
  for (const v1::ApproximationReport& report : response.reports()) {
    Row row = {NameOf(report)};
    for (const v1::ErrorPoint* point :
         {&report.max_absolute_error(), &report.max_relative_error(), &report.max_ulp_error()}) {
      Append(row, {Rounded(point->error()), Rounded(point->x())});
    }
    Append(row, {Rounded(report.mean_absolute_error()), Rounded(report.root_mean_square_error()),
                 absl::StrCat(report.non_finite_mismatches())});
    rows.push_back(std::move(row));
  }
  return FormatTable(rows, Align::kLeft);
}

absl::StatusOr<std::string> RenderTable(const v1::CompareApproximationsResponse& response) {
  const int64_t points = response.reports_size() > 0 ? response.reports(0).points() : 0;
  std::string text = absl::StrCat("against ", FormatActivation(FromProto(response.reference())),
                                  ", ", points, " points\n", Summary(response));
  for (const v1::ApproximationReport& report : response.reports()) {
    std::vector<Row> figures;
    for (const auto& [name, value] : Figures(report)) figures.push_back({name, value});
    absl::StrAppend(&text, "\n", NameOf(report), "\n",
                    Indented(FormatTable(figures, Align::kLeft)));
    for (const std::vector<Row>& rows : {HistogramRows(report), RegionRows(report)}) {
      if (!rows.empty()) {
        absl::StrAppend(&text, "\n", Indented(FormatTable(rows, Align::kLeft)));
      }
    }
  }
  return text;
}

absl::StatusOr<std::string> RenderCsv(const v1::CompareApproximationsResponse& response) {
  std::vector<Row> rows = {CsvHeading()};
  for (const v1::ApproximationReport& report : response.reports()) rows.push_back(CsvRow(report));
  return FormatCsv(rows);
}

constexpr Format<v1::CompareApproximationsResponse> kFormats[] = {
    {"table", RenderTable},
    kJson<v1::CompareApproximationsResponse>,
    {"csv", RenderCsv},
};

}  // namespace

std::span<const Format<v1::CompareApproximationsResponse>> CompareFormats() { return kFormats; }

}  // namespace activation::cli
