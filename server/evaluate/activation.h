// From an Activation message to one that is known to be right, but for what depends on an input.
#ifndef ACTIVATION_SERVER_EVALUATE_ACTIVATION_H_
#define ACTIVATION_SERVER_EVALUATE_ACTIVATION_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/engine/rows.h"
#include "server/evaluate/elements.h"
#include "server/evaluate/own_formula.h"
#include "server/wire/request.h"

namespace activation::server {

// A parameter that differs along an axis; every value is allowed.
struct ParameterTensor {
  // Its place in Spec::parameters.
  int parameter = 0;
  // As asked for.
  std::optional<int32_t> axis = std::nullopt;
  std::vector<double> values = {};
  // The shape of the values, which the gradient for them has, too.
  Shape shape = {};
  Encoding encoding = Encoding::kBytes;

  bool operator==(const ParameterTensor&) const = default;
};

// Either a row function, an elementwise one, or a formula.
struct Activation {
  const engine::RowSpec* row = nullptr;
  // The axis of a row function, as asked for.
  std::optional<int32_t> axis = std::nullopt;
  engine::Function function = {};
  std::vector<ParameterTensor> tensors = {};
  std::shared_ptr<const OwnFormula> formula = nullptr;
};

// Whether both are the same function, at any x.
bool IsSame(const Activation& a, const Activation& b);

// Errors name fields below `field`.
absl::StatusOr<Activation> MakeActivation(absl::string_view field, RawActivation raw);

// The flat values of an AxisTensor, which are required.
absl::StatusOr<Elements> MakeAxisValues(absl::string_view field, RawAxisTensor raw);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ACTIVATION_H_
