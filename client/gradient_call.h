// Client::Gradient, as calls of the service.
#ifndef ACTIVATION_CLIENT_GRADIENT_CALL_H_
#define ACTIVATION_CLIENT_GRADIENT_CALL_H_

#include "absl/status/statusor.h"
#include "activation/v1/activation.grpc.pb.h"
#include "client/options.h"
#include "client/requests.h"

namespace activation {

absl::StatusOr<GradientResult> RunGradient(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options, GradientRequest request);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_GRADIENT_CALL_H_
