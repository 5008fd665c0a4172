// From a request to a plan that cannot fail: all validation of Evaluate, Gradient and their
// streams.
//
// A Plan has nothing left to check: every activation is in the catalogue with allowed parameters,
// every tensor's elements are there, as many as its shape says, and the reply is within its limit.
// Where there is no such plan, the status names the field at fault.
#ifndef ACTIVATION_SERVER_PLAN_H_
#define ACTIVATION_SERVER_PLAN_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/limits.h"
#include "server/request.h"

namespace activation::server {

// The elements of a tensor: packed, little-endian, of `type`.
struct Elements {
  engine::DataType type = engine::DataType::kFloat32;
  Encoding encoding = Encoding::kBytes;
  Shape shape;
  int64_t count = 0;
  // They point into the request, or into one of the next three, which stay put when this moves.
  Pieces pieces;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<uint16_t> halves;

  Elements() = default;
  Elements(Elements&&) = default;
  Elements& operator=(Elements&&) = default;
};

struct PlanItem {
  engine::Quantity quantity = engine::Quantity::kValue;
  Elements input;
  // As many as input, of the same type.
  std::optional<Elements> upstream;
};

// items[i] is computed into what reply[i] describes.
struct Plan {
  std::vector<PlanItem> items;
  std::vector<ReplyItem> reply;
};

// What an RPC's requests look like, apart from what they share.
struct RequestKind {
  // Of the items, as the contract names it.
  absl::string_view field;
  bool is_stream;
  engine::Quantity quantity;
};
inline constexpr RequestKind kEvaluate = {"evaluations", false, engine::Quantity::kValue};
inline constexpr RequestKind kGradient = {"gradients", false, engine::Quantity::kDerivative};
inline constexpr RequestKind kEvaluateStream = {"evaluation", true, engine::Quantity::kValue};
inline constexpr RequestKind kGradientStream = {"gradient", true, engine::Quantity::kDerivative};

// `inherited` is the activation of the stream's chunk before, null where there is none. The plan
// points into what the request points into.
absl::StatusOr<Plan> MakePlan(RawRequest request, const RequestKind& kind, const Limits& limits,
                              const engine::Function* inherited);

// The parts of it that comparisons share; `field` is the path of what is looked at.
absl::StatusOr<engine::Function> MakeFunction(absl::string_view field,
                                              const RawActivation& activation);
absl::StatusOr<Elements> MakeElements(absl::string_view field, RawTensor tensor);
// `fallback` stands for "unspecified".
absl::StatusOr<engine::DataType> MakeDataType(absl::string_view field, int number,
                                              engine::DataType fallback);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PLAN_H_
