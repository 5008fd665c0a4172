// How far candidates are from a reference over the points of a domain.
//
// The points are taken in blocks that are compared on any threads; every figure is the same
// whatever their number, but for the time. The truth is computed to more than twice float64's
// precision for comparisons in FLOAT64, and in float64 for the narrower types, of whose errors it
// leaves 2^-28 ULP uncertain; it is not rounded. The fields of the report are defined in the
// contract.
#ifndef ACTIVATION_SERVER_COMPARE_COMPARISON_H_
#define ACTIVATION_SERVER_COMPARE_COMPARISON_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/compare/block.h"
#include "server/compare/plan.h"
#include "server/evaluate/evaluate.h"

namespace activation::server {

class Comparison {
 public:
  // The plan, and what it points into, must outlive it. Up to `width` threads work on a step.
  Comparison(const ComparePlan& plan, int width);

  // Most bytes that one takes, but for a few hundred KiB for each of `width` and for what the plan
  // holds.
  static int64_t MostBytes(const ComparePlan& plan);

  // Compares the next `blocks` blocks for each of `width`; fewer at the end. Where it was cancelled
  // meanwhile, or for_each did not run all, no more can be done with this comparison.
  void Step(int64_t blocks, const std::atomic<bool>& cancelled, ForEachBlock for_each);
  int64_t done() const { return done_; }
  bool is_done() const { return done_ == plan_.subject.domain.count; }

  // The largest error in ULP of each candidate so far; 0 where there is none.
  std::vector<double> WorstUlp() const;

  // The report on the points done so far.
  v1::CompareApproximationsResponse Report() const;

 private:
  const ComparePlan& plan_;
  const RegionBounds bounds_;
  int64_t done_ = 0;
  std::deque<SharedDistribution> distributions_;
  std::vector<BlockComparer> comparers_;
  // Sums of errors of each candidate, by region.
  std::vector<std::vector<ErrorSums>> sums_;
  // The curve of each candidate, by stretch.
  std::vector<std::vector<CurvePoint>> curves_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_COMPARISON_H_
