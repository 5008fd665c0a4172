#include "client/cli/compare_figures.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/values.h"
#include "client/convert.h"

namespace activation::cli {
namespace {

using Row = std::vector<std::string>;

constexpr int kBarWidth = 30;

// As "99.9987 %": all digits that say how much is missing.
std::string Percent(double share) { return absl::StrFormat("%.6g %%", 100 * share); }

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

}  // namespace

std::string Rounded(double value) { return absl::StrFormat("%.5g", value); }

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

}  // namespace activation::cli
