// From a CompareApproximationsRequest to a plan that cannot fail: all of its validation.
#ifndef ACTIVATION_SERVER_COMPARE_PLAN_H_
#define ACTIVATION_SERVER_COMPARE_PLAN_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/activation.h"
#include "server/domain.h"
#include "server/limits.h"

namespace activation::server {

// Computes the results of a candidate: input and output are packed arrays of the comparison's type,
// `first` the index of the first point. May be called from many threads at once.
using CandidateKernel =
    std::function<void(int64_t first, const std::byte* input, std::byte* output, size_t count)>;

struct Candidate {
  // Of the catalogue; else there is a label.
  std::optional<engine::Function> function = {};
  std::string label = {};
  CandidateKernel run = {};
  // Whether the time that it takes says something about it.
  bool is_timed = true;
};

struct ComparePlan {
  engine::Function reference;
  std::vector<Candidate> candidates;
  engine::Quantity quantity = engine::Quantity::kValue;
  // At least one point.
  Domain domain;
  // Ascending.
  std::vector<double> region_bounds;
  int64_t curve_points = 0;
};

// Which of a curve's points stands for the point of this index.
inline int64_t CurveStretchOf(const ComparePlan& plan, int64_t index) {
  return index * plan.curve_points / plan.domain.count;
}

// Errors name fields with `prefix` before them, as "comparison.". The plan points into the request.
absl::StatusOr<ComparePlan> MakeComparePlan(absl::string_view prefix,
                                            const v1::CompareApproximationsRequest& request,
                                            const Limits& limits);

// The same for a call that reports progress, which may have kMostStreamedPoints points.
inline constexpr int64_t kMostStreamedPoints = int64_t{1} << 32;
absl::StatusOr<ComparePlan> MakeStreamedComparePlan(absl::string_view prefix,
                                                    const v1::CompareApproximationsRequest& request,
                                                    Limits limits);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PLAN_H_
