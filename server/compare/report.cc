#include "server/compare/report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proto/element_type.h"

namespace activation::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999, 1};

// Figures of some regions together.
struct Together {
  ErrorFigures figures;
  ErrorSums sums;
};
Together AddUp(const ReportedFigures& reported, size_t begin, size_t end) {
  Together total;
  for (size_t i = begin; i < end; ++i) {
    total.figures.Add(reported.figures.regions[i]);
    total.sums.Add(reported.sums[i]);
  }
  return total;
}

void FillPoint(DataType type, const Maximum& maximum, v1::ErrorPoint& point) {
  point.set_error(maximum.error);
  point.set_x(maximum.at.x);
  point.set_reference(maximum.at.hi);
  point.set_candidate(maximum.at.candidate);
  point.set_x_bits(ToBits(type, maximum.at.x));
  point.set_reference_bits(ToBits(type, maximum.at.rounded));
  point.set_candidate_bits(ToBits(type, maximum.at.candidate));
}

// What reports and regions have in common.
template <class Report>
void FillFigures(DataType type, const Together& total, Report& report) {
  const ErrorFigures& figures = total.figures;
  report.set_points(figures.points);
  report.set_non_finite_mismatches(figures.mismatches);
  if (figures.absolute.IsSet()) {
    FillPoint(type, figures.absolute, *report.mutable_max_absolute_error());
  }
  if (figures.relative.IsSet()) {
    FillPoint(type, figures.relative, *report.mutable_max_relative_error());
  }
  if (figures.ulp.IsSet()) FillPoint(type, figures.ulp, *report.mutable_max_ulp_error());
  if (figures.finite_points == 0) return;
  const auto mean = [&](const CompensatedSum& sum) {
    return sum.Total() / static_cast<long double>(figures.finite_points);
  };
  report.set_mean_error(static_cast<double>(mean(total.sums.signed_errors)));
  report.set_mean_absolute_error(static_cast<double>(mean(total.sums.absolute_errors)));
  report.set_root_mean_square_error(static_cast<double>(std::sqrt(mean(total.sums.squares))));
}

// Adds the largest error on the other side of 0, where it lies opposite.
void FillMirror(DataType type, const Maximum& below, const Maximum& above, v1::ErrorPoint& point) {
  if (!below.IsSet() || !above.IsSet() || below.at.x != -above.at.x || above.at.x == 0) return;
  FillPoint(type, point.x() < 0 ? above : below, *point.mutable_mirror());
}

void FillIncidents(DataType type, const IncidentFigures& figures, v1::Incidents& out) {
  out.set_count(figures.count);
  if (figures.count == 0) return;
  out.set_lowest_x(figures.lowest_x);
  out.set_highest_x(figures.highest_x);
  if (figures.ulp.IsSet()) FillPoint(type, figures.ulp, *out.mutable_max_ulp_error());
}

void FillDistribution(const ErrorDistribution& distribution, int64_t points, double largest,
                      v1::ApproximationReport& report) {
  int64_t within = 0;
  for (size_t bucket = 0; within < points; ++bucket) {
    within += distribution.InUlpBucket(bucket);
    v1::UlpBucket& out = *report.add_ulp_histogram();
    out.set_upper_bound(ErrorDistribution::UlpBound(bucket));
    out.set_count(distribution.InUlpBucket(bucket));
    out.set_share_within(static_cast<double>(within) / static_cast<double>(points));
  }
  if (points == 0) return;
  for (const double quantile : kQuantiles) {
    const auto errors = static_cast<int64_t>(
        std::ceil(static_cast<long double>(quantile) * static_cast<long double>(points)));
    v1::Quantile& out = *report.add_absolute_error_quantiles();
    out.set_quantile(quantile);
    out.set_absolute_error(std::min(distribution.AbsoluteQuantile(errors), largest));
  }
}

void FillRegions(const ReportedFigures& reported, v1::ApproximationReport& report) {
  const RegionBounds& bounds = reported.plan.region_bounds;
  size_t begin = 0;
  for (size_t i = 0; i <= bounds.size(); ++i) {
    const double from = i == 0 ? -kInfinity : bounds[i - 1];
    const double to = i == bounds.size() ? kInfinity : bounds[i];
    size_t end = begin + 1;
    // 0 may divide it although the plan does not.
    if (end <= reported.bounds.size() && reported.bounds[end - 1] < to) ++end;
    const Together total = AddUp(reported, begin, end);
    begin = end;
    if (total.figures.points == 0) continue;
    v1::RegionReport& region = *report.add_regions();
    region.set_from(from);
    region.set_to(to);
    FillFigures(reported.plan.subject.domain.type, total, region);
  }
}

void FillCurve(const std::vector<CurvePoint>& curve, v1::Curve& out) {
  for (const CurvePoint& point : curve) {
    if (!point.is_set) continue;
    out.add_x(point.x);
    out.add_reference(point.reference);
    out.add_candidate(point.candidate);
    out.add_error(point.error);
    out.add_ulp_error(point.ulp);
  }
}

}  // namespace

void FillReport(const ReportedFigures& reported, v1::ApproximationReport& report) {
  const DataType type = reported.plan.subject.domain.type;
  const CandidateFigures& figures = reported.figures;
  const Together total = AddUp(reported, 0, figures.regions.size());
  FillFigures(type, total, report);
  report.set_finite_points(total.figures.finite_points);
  report.set_correctly_rounded(total.figures.correctly_rounded);

  const auto zero = std::ranges::lower_bound(reported.bounds, 0) - reported.bounds.begin();
  const size_t middle = static_cast<size_t>(zero) + 1;
  const ErrorFigures below = AddUp(reported, 0, middle).figures;
  const ErrorFigures above = AddUp(reported, middle, figures.regions.size()).figures;
  if (total.figures.absolute.IsSet()) {
    FillMirror(type, below.absolute, above.absolute, *report.mutable_max_absolute_error());
    FillMirror(type, below.ulp, above.ulp, *report.mutable_max_ulp_error());
  }
  if (total.figures.relative.IsSet()) {
    FillMirror(type, below.relative, above.relative, *report.mutable_max_relative_error());
  }

  const auto& incidents = total.figures.incidents;
  FillIncidents(type, incidents[kWrongSign], *report.mutable_wrong_sign());
  FillIncidents(type, incidents[kFlushedToZero], *report.mutable_flushed_to_zero());
  FillIncidents(type, incidents[kOverflowed], *report.mutable_overflowed());
  FillIncidents(type, incidents[kUnexpectedNan], *report.mutable_unexpected_nan());
  FillDistribution(reported.distribution, total.figures.finite_points, total.figures.absolute.error,
                   report);
  report.mutable_reversals()->set_checked(reported.plan.subject.domain.IsAscending());
  report.mutable_reversals()->set_count(figures.reversals);
  if (figures.reversals > 0) {
    report.mutable_reversals()->set_first_x(figures.first_reversal);
    report.mutable_reversals()->set_last_x(figures.last_reversal);
  }
  FillRegions(reported, report);
  if (reported.plan.curve_points > 0) FillCurve(reported.curve, *report.mutable_curve());
  if (reported.is_timed) report.set_nanoseconds_per_point(figures.nanoseconds_per_point);
}

}  // namespace activation::server
