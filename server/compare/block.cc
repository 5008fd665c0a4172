#include "server/compare/block.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "proto/element_type.h"
#include "server/engine/packed.h"

namespace activation::server {
namespace {

using Clock = std::chrono::steady_clock;

size_t RegionOf(const RegionBounds& bounds, double x) {
  if (std::isnan(x)) return RegionCount(bounds) - 1;
  return static_cast<size_t>(std::ranges::upper_bound(bounds, x) - bounds.begin());
}

}  // namespace

void CandidateFigures::Add(const CandidateFigures& other) {
  for (size_t i = 0; i < regions.size(); ++i) regions[i].Add(other.regions[i]);
  reversals += other.reversals;
  first_reversal = std::min(first_reversal, other.first_reversal);
  last_reversal = std::max(last_reversal, other.last_reversal);
  nanoseconds_per_point = std::min(nanoseconds_per_point, other.nanoseconds_per_point);
}

void CurvePoint::Offer(const CurvePoint& later) {
  if (later.is_set && (!is_set || std::fabs(later.error) > std::fabs(error))) *this = later;
}

BlockComparer::BlockComparer(const ComparePlan& plan, const RegionBounds& bounds,
                             std::deque<SharedDistribution>& distributions)
    : plan_(plan),
      bounds_(bounds),
      distributions_(distributions),
      last_run_(plan.candidates.size()) {
  for (size_t k = 0; k < plan.candidates.size(); ++k) figures_.emplace_back(RegionCount(bounds));
  const size_t room =
      static_cast<size_t>(std::min(plan.subject.domain.count, kComparePointsPerBlock)) + 1;
  for (std::vector<double>* doubles : {&x_, &hi_, &lo_, &rounded_, &candidate_, &error_, &ulp_}) {
    doubles->resize(room);
  }
  points_.resize(room * SizeOf(plan.subject.domain.type));
  results_.resize(points_.size());
}

void BlockComparer::Run(int64_t first, int64_t end, const std::atomic<bool>& cancelled) {
  for (Ordered& ordered : last_run_) {
    ordered.sums.clear();
    ordered.curve.clear();
  }
  for (; first < end && !cancelled; first += kComparePointsPerBlock) {
    RunBlock(first, std::min(first + kComparePointsPerBlock, end), cancelled);
  }
}

void BlockComparer::RunBlock(int64_t first, int64_t end, const std::atomic<bool>& cancelled) {
  begin_ = first > 0 ? 1 : 0;
  first_ = first - static_cast<int64_t>(begin_);
  end_ = static_cast<size_t>(end - first_);
  plan_.subject.domain.Fill(first_, end_, points_.data());
  Decode(plan_.subject.domain.type, points_.data(), end_, x_.data());
  ComputeTruth();
  MakeStretches();
  for (size_t k = 0; k < figures_.size() && !cancelled; ++k) RunCandidate(k);
}

void BlockComparer::ComputeTruth() {
  if (IsPrecise()) {
    engine::RunPrecise(plan_.subject.reference, plan_.subject.quantity, x_.data(), hi_.data(),
                       lo_.data(), end_);
    rounded_ = hi_;
    return;
  }
  engine::Operation operation = {.function = plan_.subject.reference,
                                 .quantity = plan_.subject.quantity,
                                 .input_type = plan_.subject.domain.type,
                                 .output_type = plan_.subject.domain.type};
  engine::Run(operation, {.input = points_.data(), .output = results_.data()}, end_);
  Decode(operation.output_type, results_.data(), end_, rounded_.data());
  // From float64 to float64 the engine is fastest, unless it has to find out how far below its
  // range a result is: what rounds to 0 counts as 0.
  size_t nonzero = 0;
  for (size_t i = 0; i < end_; ++i) {
    if (rounded_[i] != 0) error_[nonzero++] = x_[i];
  }
  operation.input_type = DataType::kFloat64;
  operation.output_type = DataType::kFloat64;
  engine::Run(operation,
              {.input = reinterpret_cast<const std::byte*>(error_.data()),
               .output = reinterpret_cast<std::byte*>(ulp_.data())},
              nonzero);
  const double* truth = ulp_.data();
  for (size_t i = 0; i < end_; ++i) hi_[i] = rounded_[i] != 0 ? *truth++ : rounded_[i];
}

void BlockComparer::MakeStretches() {
  stretches_.clear();
  for (size_t begin = begin_; begin < end_;) {
    const size_t region = RegionOf(bounds_, x_[begin]);
    size_t end = begin + 1;
    if (plan_.subject.domain.IsAscending() && RegionOf(bounds_, x_[end_ - 1]) == region) end = end_;
    while (end < end_ && RegionOf(bounds_, x_[end]) == region) ++end;
    stretches_.push_back({begin, end, region});
    begin = end;
  }
}

void BlockComparer::RunCandidate(size_t k) {
  CandidateFigures& figures = figures_[k];
  Ordered& ordered = last_run_[k];
  const Clock::time_point start = Clock::now();
  plan_.candidates[k].run(first_, points_.data(), results_.data(), end_);
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  figures.nanoseconds_per_point =
      std::min(figures.nanoseconds_per_point, took.count() / static_cast<double>(end_));
  Decode(plan_.subject.domain.type, results_.data(), end_, candidate_.data());

  const ComparedArrays arrays = {.type = plan_.subject.domain.type,
                                 .first_index = first_,
                                 .x = x_.data(),
                                 .hi = hi_.data(),
                                 .lo = IsPrecise() ? lo_.data() : nullptr,
                                 .rounded = rounded_.data(),
                                 .candidate = candidate_.data(),
                                 .error = error_.data(),
                                 .ulp = ulp_.data()};
  ComputeErrors(arrays, end_);
  for (const Stretch& stretch : stretches_) {
    ErrorSums& sums = ordered.sums.emplace_back(stretch.region, ErrorSums()).second;
    AddPoints(arrays, stretch.begin, stretch.end, figures.regions[stretch.region], sums);
  }
  {
    SharedDistribution& shared = distributions_[k];
    const std::lock_guard lock(shared.mutex);
    AddPoints(arrays, begin_, end_, shared.distribution);
  }
  if (plan_.subject.domain.IsAscending()) CountReversals(figures);
  if (plan_.curve_points > 0) DrawCurve(ordered.curve);
}

bool BlockComparer::Rises(size_t from, size_t to) const {
  if (IsPrecise()) return hi_[to] > hi_[from] || (hi_[to] == hi_[from] && lo_[to] > lo_[from]);
  // hi is not quite the truth, and may rise where that does not; what is correctly rounded can't.
  return hi_[to] > hi_[from] && rounded_[to] >= rounded_[from];
}

void BlockComparer::CountReversals(CandidateFigures& figures) const {
  for (size_t i = 1; i < end_; ++i) {
    const double before = candidate_[i - 1];
    const double after = candidate_[i];
    if (before == after) continue;
    if (!(after < before && Rises(i - 1, i)) && !(after > before && Rises(i, i - 1))) continue;
    ++figures.reversals;
    figures.first_reversal = std::min(figures.first_reversal, x_[i - 1]);
    figures.last_reversal = std::max(figures.last_reversal, x_[i - 1]);
  }
}

void BlockComparer::DrawCurve(std::vector<std::pair<int64_t, CurvePoint>>& curve) const {
  for (size_t i = begin_; i < end_; ++i) {
    if (std::isnan(error_[i])) continue;
    const int64_t stretch = CurveStretchOf(plan_, first_ + static_cast<int64_t>(i));
    if (curve.empty() || curve.back().first != stretch) curve.emplace_back(stretch, CurvePoint());
    curve.back().second.Offer({.is_set = true,
                               .x = x_[i],
                               .reference = hi_[i],
                               .candidate = candidate_[i],
                               .error = error_[i],
                               .ulp = ulp_[i]});
  }
}

}  // namespace activation::server
