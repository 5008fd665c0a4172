#include "client/tensor_call.h"

namespace activation {

absl::Status ValidateValues(const Activation& activation, const std::optional<AxisTensor>& bias) {
  for (const auto& [name, tensor] : activation.parameter_tensors) {
    if (absl::Status status = Validate(tensor.values); !status.ok()) return status;
  }
  return bias.has_value() ? Validate(bias->values) : absl::OkStatus();
}

Activation TakeActivation(const Chunks& chunks, const v1::Activation& reply) {
  Activation activation = FromProto(reply);
  if (activation.axis.has_value()) activation.axis = chunks.ForWhole(*activation.axis);
  return activation;
}

}  // namespace activation
