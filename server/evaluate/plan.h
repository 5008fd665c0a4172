// From a request to a plan that cannot fail: all validation of Evaluate, Gradient and their
// streams.
//
// A Plan has nothing left to check: every activation is in the catalogue with allowed parameters,
// every tensor's elements are there, as many as its shape says, values along an axis are as many as
// its extent, and the reply is within its limit.
// Where there is no such plan, the status names the field at fault.
#ifndef ACTIVATION_SERVER_EVALUATE_PLAN_H_
#define ACTIVATION_SERVER_EVALUATE_PLAN_H_

#include <absl/container/inlined_vector.h>
#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <memory>
#include <optional>
#include <vector>

#include "proto/element_type.h"
#include "server/evaluate/activation.h"
#include "server/evaluate/axis.h"
#include "server/evaluate/elements.h"
#include "server/wire/limits.h"
#include "server/wire/reply.h"
#include "server/wire/request.h"

namespace activation::server {

// One addend for each index of an axis, of the input's type.
struct Bias {
  AxisLayout layout;
  DataType type = DataType::kFloat32;
  // Packed.
  std::vector<std::byte> values;
};

struct PlanItem {
  engine::Quantity quantity = engine::Quantity::kValue;
  std::shared_ptr<const Activation> activation;
  Elements input;
  // As many as the value has, of the input's type.
  std::optional<Elements> upstream;
  // Where the rows of a row function lie.
  AxisLayout rows;
  // Where the values of activation->tensors lie, in their order.
  absl::InlinedVector<AxisLayout, 1> tensors;
  std::optional<Bias> bias;
};

// items[i] is computed into what reply[i] describes.
struct Plan {
  std::vector<PlanItem> items;
  std::vector<ReplyItem> reply;
};

// What an RPC's requests look like, apart from what they share.
struct RequestKind {
  // The field of the items, as the contract names it.
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
                              const std::shared_ptr<const Activation>& inherited);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_PLAN_H_
