#include "client/cli/compare_picture.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/compare_figures.h"

namespace activation::cli {
namespace {

// Errors of float64 at 2^1000 ULP would leave no room for the others: what is above the first 24
// doublings stands in one bar.
constexpr int kMaxBars = 26;

// "0.5", "512", "2^10": buckets end at powers of two.
std::string BoundName(double bound) {
  constexpr double kLong = 1'000;
  return bound < kLong ? absl::StrFormat("%g", bound)
                       : absl::StrFormat("2^%g", std::round(std::log2(bound)));
}

Panel SignedError(const v1::ApproximationReport& report) {
  const v1::Curve& curve = report.curve();
  const v1::ErrorPoint& worst = report.max_absolute_error();
  Panel panel{.title = NameOf(report), .y_label = "candidate - truth"};
  panel.series.push_back({.title = "error",
                          .x = {curve.x().begin(), curve.x().end()},
                          .y = {curve.error().begin(), curve.error().end()}});
  const double error = worst.candidate() - worst.reference();
  panel.series.push_back(
      {.title = "worst",
       .x = {worst.x()},
       .y = {std::copysign(worst.error(), error)},
       .mark = Mark::kPoint,
       .label = absl::StrFormat("%.3g at x = %.5g", std::copysign(worst.error(), error), worst.x()),
       .look = 2});
  return panel;
}

Panel AbsoluteError(const v1::ApproximationReport& report) {
  const v1::Curve& curve = report.curve();
  Panel panel{.title = absl::StrCat(NameOf(report), ", absolute"),
              .y_label = "|candidate - truth|",
              .log_y = true};
  Series series{.title = "absolute error"};
  for (int i = 0; i < curve.x_size(); ++i) {
    const double error = std::abs(curve.error(i));
    series.x.push_back(curve.x(i));
    // 0 has no logarithm: a gap.
    series.y.push_back(error > 0 ? error : std::nan(""));
  }
  panel.series.push_back(std::move(series));
  return panel;
}

Panel Histogram(const v1::ApproximationReport& report) {
  Panel panel{.title = absl::StrCat(NameOf(report), ", points by error"),
              .x_label = "error up to, ULP",
              .y_label = "share of points, %"};
  Series series{.mark = Mark::kBar, .look = 1};
  double finite = 0;
  for (const v1::UlpBucket& bucket : report.ulp_histogram()) {
    finite += static_cast<double>(bucket.count());
  }
  for (int i = 0; i < report.ulp_histogram_size(); ++i) {
    const v1::UlpBucket& bucket = report.ulp_histogram(i);
    const double share = 100 * static_cast<double>(bucket.count()) / finite;
    if (i >= kMaxBars) {
      panel.x_names.back() = "more";
      series.y.back() += share;
      continue;
    }
    panel.x_names.push_back(BoundName(bucket.upper_bound()));
    series.x.push_back(i);
    series.y.push_back(share);
  }
  panel.x_range = {-1, static_cast<double>(series.x.size())};
  panel.series.push_back(std::move(series));
  return panel;
}

}  // namespace

Picture ComparePicture(const v1::CompareApproximationsResponse& response, std::string title) {
  Picture picture{.title = std::move(title), .columns = 3};
  for (const v1::ApproximationReport& report : response.reports()) {
    picture.panels.push_back(SignedError(report));
    picture.panels.push_back(AbsoluteError(report));
    picture.panels.push_back(Histogram(report));
  }
  return picture;
}

}  // namespace activation::cli
