// From a CompareApproximationsRequest to a plan that cannot fail: all of its validation.
#ifndef ACTIVATION_SERVER_COMPARE_PLAN_H_
#define ACTIVATION_SERVER_COMPARE_PLAN_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/compare/candidate.h"
#include "server/wire/limits.h"

namespace activation::server {

struct ComparePlan {
  Subject subject;
  std::vector<Candidate> candidates;
  // Ascending.
  std::vector<double> region_bounds;
  int64_t curve_points = 0;
};

// Which of a curve's points stands for the point of this index.
inline int64_t CurveStretchOf(const ComparePlan& plan, int64_t index) {
  return index * plan.curve_points / plan.subject.domain.count;
}

// Errors name fields with `prefix` before them, as "comparison.". The plan points into the request.
absl::StatusOr<ComparePlan> MakeComparePlan(absl::string_view prefix,
                                            const v1::CompareApproximationsRequest& request,
                                            const Limits& limits);

// The same for a call that reports progress, which may have kMostStreamedPoints points.
absl::StatusOr<ComparePlan> MakeStreamedComparePlan(absl::string_view prefix,
                                                    const v1::CompareApproximationsRequest& request,
                                                    Limits limits);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PLAN_H_
