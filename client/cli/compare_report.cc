#include "client/cli/compare_report.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/output.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

using Row = std::vector<std::string>;

constexpr int kBarWidth = 30;

std::string Exact(double value) { return FormatDecimal(DataType::kFloat64, value); }
std::string Rounded(double value) { return absl::StrFormat("%.5g", value); }

// As "99.9987 %": all digits that say how much is missing.
std::string Percent(double share) { return absl::StrFormat("%.6g %%", 100 * share); }

struct IncidentKind {
  const char* name;    // for people
  const char* column;  // of CSV
  const v1::Incidents& (v1::ApproximationReport::*of)() const;
};
constexpr IncidentKind kIncidents[] = {
    {"wrong sign", "wrong_sign", &v1::ApproximationReport::wrong_sign},
    {"flushed to zero", "flushed_to_zero", &v1::ApproximationReport::flushed_to_zero},
    {"overflowed", "overflowed", &v1::ApproximationReport::overflowed},
    {"unexpected NaN", "unexpected_nan", &v1::ApproximationReport::unexpected_nan},
};

std::string Place(const v1::ErrorPoint& point) {
  return absl::StrCat(Rounded(point.error()), " at x = ", Rounded(point.x()), " (",
                      Rounded(point.candidate()), " for ", Rounded(point.reference()), ")");
}

std::string Describe(const v1::Incidents& incidents) {
  if (incidents.count() == 0) return "none";
  std::string text = absl::StrCat(incidents.count(), ", x from ", Rounded(incidents.lowest_x()),
                                  " to ", Rounded(incidents.highest_x()));
  if (incidents.has_max_ulp_error()) {
    absl::StrAppend(&text, ", up to ", Rounded(incidents.max_ulp_error().error()),
                    " ULP at x = ", Rounded(incidents.max_ulp_error().x()));
  }
  return text;
}

std::string Describe(const v1::Reversals& reversals) {
  if (!reversals.checked()) return "not counted: points are not in ascending order";
  if (reversals.count() == 0) return "none";
  return absl::StrCat(reversals.count(), ", x from ", Rounded(reversals.first_x()), " to ",
                      Rounded(reversals.last_x()));
}

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
    Append(row, {Exact(point->error()), Exact(point->x()), Exact(point->reference()),
                 Exact(point->candidate())});
  }
  Append(row, {Exact(report.mean_absolute_error()), Exact(report.root_mean_square_error()),
               absl::StrCat(report.non_finite_mismatches()), absl::StrCat(report.finite_points()),
               Exact(report.mean_error()), absl::StrCat(report.correctly_rounded())});
  // A place that doesn't exist is an empty cell.
  for (const IncidentKind& kind : kIncidents) {
    const v1::Incidents& incidents = (report.*kind.of)();
    const bool any = incidents.count() > 0;
    Append(row, {absl::StrCat(incidents.count()), any ? Exact(incidents.lowest_x()) : "",
                 any ? Exact(incidents.highest_x()) : ""});
  }
  const v1::Reversals& reversals = report.reversals();
  const bool any = reversals.count() > 0;
  Append(row, {reversals.checked() ? absl::StrCat(reversals.count()) : "",
               any ? Exact(reversals.first_x()) : "", any ? Exact(reversals.last_x()) : "",
               Exact(report.nanoseconds_per_point())});
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

}  // namespace

std::string NameOf(const v1::ApproximationReport& report) {
  return report.has_candidate() ? FormatActivation(FromProto(report.candidate())) : report.label();
}

std::vector<std::pair<std::string, std::string>> Figures(const v1::ApproximationReport& report) {
  std::vector<std::pair<std::string, std::string>> figures = {
      {"points", absl::StrCat(report.points(), ", ", report.finite_points(), " finite, ",
                              report.non_finite_mismatches(), " non-finite mismatches")},
      {"largest absolute error", Place(report.max_absolute_error())},
      {"largest relative error", Place(report.max_relative_error())},
      {"largest error in ULP", Place(report.max_ulp_error())},
      {"mean error", absl::StrCat(Rounded(report.mean_error()), "; absolute ",
                                  Rounded(report.mean_absolute_error()), "; root mean square ",
                                  Rounded(report.root_mean_square_error()))},
      {"correctly rounded",
       absl::StrCat(report.correctly_rounded(), ", ",
                    Percent(report.points() > 0 ? static_cast<double>(report.correctly_rounded()) /
                                                      static_cast<double>(report.points())
                                                : 0))},
  };
  if (report.absolute_error_quantiles_size() > 0) {
    figures.emplace_back("absolute error within",
                         absl::StrJoin(report.absolute_error_quantiles(), ", ",
                                       [](std::string* out, const v1::Quantile& quantile) {
                                         absl::StrAppend(out, Rounded(quantile.absolute_error()),
                                                         " for ", Percent(quantile.quantile()));
                                       }));
  }
  for (const IncidentKind& kind : kIncidents) {
    figures.emplace_back(kind.name, Describe((report.*kind.of)()));
  }
  figures.emplace_back("reversals", Describe(report.reversals()));
  if (report.nanoseconds_per_point() > 0) {
    figures.emplace_back("time", absl::StrCat(Rounded(report.nanoseconds_per_point()),
                                              " ns per point on one thread"));
  }
  return figures;
}

std::vector<Row> HistogramRows(const v1::ApproximationReport& report) {
  std::vector<Row> rows;
  int64_t largest = 1;
  for (const v1::UlpBucket& bucket : report.ulp_histogram()) {
    largest = std::max(largest, bucket.count());
  }
  for (const v1::UlpBucket& bucket : report.ulp_histogram()) {
    if (bucket.count() == 0) continue;
    if (rows.empty()) rows.push_back({"ULP up to", "points", "share within", ""});
    const auto bar = static_cast<size_t>((bucket.count() * kBarWidth + largest - 1) / largest);
    rows.push_back({Rounded(bucket.upper_bound()), absl::StrCat(bucket.count()),
                    Percent(bucket.share_within()), std::string(bar, '#')});
  }
  return rows;
}

std::vector<Row> RegionRows(const v1::ApproximationReport& report) {
  std::vector<Row> rows;
  for (const v1::RegionReport& region : report.regions()) {
    if (rows.empty()) {
      rows.push_back({"x from", "to below", "points", "max abs", "max rel", "max ulp", "at x",
                      "mean error", "rms"});
    }
    rows.push_back({Rounded(region.from()), Rounded(region.to()), absl::StrCat(region.points()),
                    Rounded(region.max_absolute_error().error()),
                    Rounded(region.max_relative_error().error()),
                    Rounded(region.max_ulp_error().error()), Rounded(region.max_ulp_error().x()),
                    Rounded(region.mean_error()), Rounded(region.root_mean_square_error())});
  }
  return rows;
}

std::string FormatCompareTable(const v1::CompareApproximationsResponse& response) {
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

std::string FormatCompareCsv(const v1::CompareApproximationsResponse& response) {
  std::vector<Row> rows = {CsvHeading()};
  for (const v1::ApproximationReport& report : response.reports()) rows.push_back(CsvRow(report));
  return FormatCsv(rows);
}

}  // namespace activation::cli
