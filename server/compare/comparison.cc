#include "server/compare/comparison.h"

#include <algorithm>

#include "server/compare/report.h"
#include "server/wire/messages.h"

namespace activation::server {
namespace {

// The places of mirrored errors are looked for on either side of 0.
RegionBounds WithZero(RegionBounds bounds) {
  const auto place = std::ranges::lower_bound(bounds, 0);
  if (place == bounds.end() || *place != 0) bounds.insert(place, 0);
  return bounds;
}

}  // namespace

Comparison::Comparison(const ComparePlan& plan, int width)
    : plan_(plan),
      bounds_(WithZero(plan.region_bounds)),
      distributions_(plan.candidates.size()),
      sums_(plan.candidates.size(), std::vector<ErrorSums>(RegionCount(bounds_))),
      curves_(plan.candidates.size(),
              std::vector<CurvePoint>(static_cast<size_t>(plan.curve_points))) {
  comparers_.reserve(static_cast<size_t>(width));
  for (int i = 0; i < width; ++i) comparers_.emplace_back(plan, bounds_, distributions_);
}

int64_t Comparison::MostBytes(const ComparePlan& plan) {
  // The curve stands here and in the reply.
  const int64_t curve = 2 * plan.curve_points * static_cast<int64_t>(sizeof(CurvePoint));
  return static_cast<int64_t>(plan.candidates.size()) * (ErrorDistribution::kMostBytes + curve);
}

void Comparison::Step(int64_t blocks, const std::atomic<bool>& cancelled, ForEachBlock for_each) {
  const int64_t points = blocks * kComparePointsPerBlock;
  const auto begin_of = [this, points](size_t i) {
    return std::min(done_ + static_cast<int64_t>(i) * points, plan_.subject.domain.count);
  };
  for_each(comparers_.size(),
           [&](size_t i) { comparers_[i].Run(begin_of(i), begin_of(i + 1), cancelled); });
  if (cancelled) return;
  for (const BlockComparer& comparer : comparers_) {
    for (size_t k = 0; k < sums_.size(); ++k) {
      const BlockComparer::Ordered& run = comparer.last_run()[k];
      for (const auto& [region, sums] : run.sums) sums_[k][region].Add(sums);
      for (const auto& [stretch, point] : run.curve) {
        curves_[k][static_cast<size_t>(stretch)].Offer(point);
      }
    }
  }
  done_ = begin_of(comparers_.size());
}

std::vector<double> Comparison::WorstUlp() const {
  std::vector<double> worst(plan_.candidates.size());
  for (const BlockComparer& comparer : comparers_) {
    for (size_t k = 0; k < worst.size(); ++k) {
      for (const ErrorFigures& region : comparer.figures()[k].regions) {
        worst[k] = std::max(worst[k], region.ulp.error);
      }
    }
  }
  return worst;
}

v1::CompareApproximationsResponse Comparison::Report() const {
  v1::CompareApproximationsResponse response;
  *response.mutable_reference() = ToProto(plan_.subject.reference);
  for (size_t k = 0; k < plan_.candidates.size(); ++k) {
    CandidateFigures figures(RegionCount(bounds_));
    for (const BlockComparer& comparer : comparers_) figures.Add(comparer.figures()[k]);
    v1::ApproximationReport& report = *response.add_reports();
    const Candidate& candidate = plan_.candidates[k];
    if (candidate.function) {
      *report.mutable_candidate() = ToProto(*candidate.function);
    } else {
      report.set_label(candidate.label);
    }
    FillReport({.plan = plan_,
                .bounds = bounds_,
                .figures = figures,
                .distribution = distributions_[k].distribution,
                .sums = sums_[k],
                .curve = curves_[k],
                .is_timed = candidate.is_timed},
               report);
  }
  return response;
}

}  // namespace activation::server
