// The RPCs of activation.v1.ActivationService, to be registered with a grpc::ServerBuilder.
//
// Evaluate, Gradient and their streams work on the raw slices of request and reply, so that tensor
// bytes are never copied through messages. Requests that take longer than a few microseconds are
// computed on a pool of worker threads that the service owns; bytes of requests that wait or are in
// work are bounded by Limits::max_pending_bytes.
#ifndef ACTIVATION_SERVER_RPC_SERVICE_H_
#define ACTIVATION_SERVER_RPC_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "server/wire/limits.h"

namespace activation::server {

class Metrics;

// `threads` is the number of workers, at least 1. `metrics` must outlive the service, and the
// service must outlive the grpc::Server that it is registered with; once that server is destroyed
// no work is left. The builder should allow messages of limits.max_message_bytes in both
// directions.
std::unique_ptr<grpc::Service> MakeService(const Limits& limits, int threads, Metrics& metrics);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_SERVICE_H_
