// The calls behind Client: unary ones, and tensors that go as one message or, where they are
// larger than a chunk, as a stream of chunks.
#ifndef ACTIVATION_CLIENT_TENSOR_CALLS_H_
#define ACTIVATION_CLIENT_TENSOR_CALLS_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "activation/v1/activation.grpc.pb.h"
#include "client/client.h"
#include "client/convert.h"
#include "client/options.h"
#include "grpcpp/grpcpp.h"

namespace activation {

// Starts the clock of options.timeout.
inline void SetDeadline(const ClientOptions& options, grpc::ClientContext& context) {
  if (options.timeout < absl::InfiniteDuration()) {
    context.set_deadline(absl::ToChronoTime(absl::Now() + options.timeout));
  }
}

// One unary call.
template <class Response, class Request, class Stub>
absl::StatusOr<Response> Call(const ClientOptions& options, Stub& stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              const Request& request) {
  grpc::ClientContext context;
  SetDeadline(options, context);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status);
  return response;
}

absl::StatusOr<EvaluateResult> RunEvaluate(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options,
                                           const Activation& activation, Tensor input,
                                           std::optional<DataType> output_type,
                                           const std::optional<AxisTensor>& bias);

absl::StatusOr<GradientResult> RunGradient(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options, GradientRequest request);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_TENSOR_CALLS_H_
