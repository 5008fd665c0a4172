// From a CompareApproximationsRequest to a plan that cannot fail: all of its validation.
#ifndef ACTIVATION_SERVER_COMPARE_PLAN_H_
#define ACTIVATION_SERVER_COMPARE_PLAN_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/activation.h"
#include "server/elements.h"
#include "server/limits.h"

namespace activation::server {

struct ComparePlan {
  engine::Function reference;
  std::vector<engine::Function> candidates;
  engine::DataType type = engine::DataType::kFloat64;
  engine::Quantity quantity = engine::Quantity::kValue;
  // How many points, at least 1.
  int64_t count = 0;
  // The points: evenly spaced from `from` to `to`, or these, in one piece.
  double from = 0;
  double to = 0;
  std::optional<Elements> points;
};

// Errors name fields with `prefix` before them, as "comparison.". The plan points into the request.
absl::StatusOr<ComparePlan> MakeComparePlan(absl::string_view prefix,
                                            const v1::CompareApproximationsRequest& request,
                                            const Limits& limits);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PLAN_H_
