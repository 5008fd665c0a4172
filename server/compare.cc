#include "server/compare.h"

#include <algorithm>

#include "server/compare_report.h"
#include "server/describe.h"

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
      sums_(plan.candidates.size(), std::vector<ErrorSums>(RegionCount(bounds_))),
      curves_(plan.candidates.size(),
              std::vector<CurvePoint>(static_cast<size_t>(plan.curve_points))) {
  const int64_t blocks = (plan.domain.count - 1) / kComparePointsPerBlock + 1;
  for (int64_t i = 0; i < std::min<int64_t>(width, blocks); ++i) {
    comparers_.emplace_back(plan, bounds_);
  }
}

void Comparison::Step(ForEachIndex for_each) {
  const int64_t left =
      (plan_.domain.count - done_ + kComparePointsPerBlock - 1) / kComparePointsPerBlock;
  const size_t blocks = std::min(static_cast<size_t>(left), comparers_.size());
  for_each(blocks, [this](size_t i) {
    comparers_[i].Run(done_ + static_cast<int64_t>(i) * kComparePointsPerBlock);
  });
  for (size_t i = 0; i < blocks; ++i) {
    for (size_t k = 0; k < sums_.size(); ++k) {
      const BlockComparer::Ordered& block = comparers_[i].last_block()[k];
      for (const auto& [region, sums] : block.sums) sums_[k][region].Add(sums);
      for (const auto& [stretch, point] : block.curve) {
        curves_[k][static_cast<size_t>(stretch)].Offer(point);
      }
    }
  }
  done_ =
      std::min(done_ + static_cast<int64_t>(blocks) * kComparePointsPerBlock, plan_.domain.count);
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
  *response.mutable_reference() = ToProto(plan_.reference);
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
                .sums = sums_[k],
                .curve = curves_[k],
                .is_timed = candidate.is_timed},
               report);
  }
  return response;
}

}  // namespace activation::server
