// CompareApproximations and its stream: a comparison runs a step at a time on threads for
// comparisons, and goes back to the end of their queue after each, so that long ones do not keep
// short ones waiting.
#ifndef ACTIVATION_SERVER_RPC_COMPARISON_CALLS_H_
#define ACTIVATION_SERVER_RPC_COMPARISON_CALLS_H_

#include <grpcpp/support/server_callback.h>

#include "activation/v1/activation.pb.h"
#include "server/rpc/backend.h"

namespace activation::server {

// The reactors of one call each; they delete themselves.
grpc::ServerUnaryReactor* ServeComparison(const v1::CompareApproximationsRequest& request,
                                          v1::CompareApproximationsResponse& response,
                                          Backend& backend);
grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse>* ServeComparisonStream(
    const v1::CompareApproximationsStreamRequest& request, Backend& backend);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_COMPARISON_CALLS_H_
