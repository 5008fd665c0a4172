// Client::Evaluate, as calls of the service.
#ifndef ACTIVATION_CLIENT_EVALUATE_CALL_H_
#define ACTIVATION_CLIENT_EVALUATE_CALL_H_

#include <optional>

#include "absl/status/statusor.h"
#include "activation/v1/activation.grpc.pb.h"
#include "client/options.h"
#include "client/requests.h"

namespace activation {

absl::StatusOr<EvaluateResult> RunEvaluate(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options,
                                           const Activation& activation, Tensor input,
                                           std::optional<DataType> output_type,
                                           const std::optional<AxisTensor>& bias);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_EVALUATE_CALL_H_
