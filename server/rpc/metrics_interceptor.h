// Measures each call of a gRPC server: what came, what went, the status, and the time from the
// arrival of the request to the status. It cannot fail a call.
//
// A call counts as handled when its status is sent, or with CANCELLED when it ends without one, as
// a call does whose client went away. So each call that started is handled exactly once. Calls of
// methods that Metrics doesn't know are not measured.
#ifndef ACTIVATION_SERVER_RPC_METRICS_INTERCEPTOR_H_
#define ACTIVATION_SERVER_RPC_METRICS_INTERCEPTOR_H_

#include <grpcpp/support/server_interceptor.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "server/rpc/metrics.h"

namespace activation::server {

// For ServerBuilder. `calls` is kept at the number of ActivationService's calls that are not wholly
// over, replies and statuses sent included. It and the metrics must outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeMetricsInterceptor(
    const Metrics& metrics, std::atomic<int64_t>& calls);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_METRICS_INTERCEPTOR_H_
