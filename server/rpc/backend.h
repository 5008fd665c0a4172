// What all calls share, and the one conversion of a status where it leaves the server.
#ifndef ACTIVATION_SERVER_RPC_BACKEND_H_
#define ACTIVATION_SERVER_RPC_BACKEND_H_

#include <absl/status/status.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <optional>

#include "server/rpc/metrics.h"
#include "server/rpc/work_queue.h"
#include "server/wire/limits.h"

namespace activation::server {

struct Backend {
  Limits limits;
  WorkQueue queue;
  // Comparisons, a step of which may take long, have threads of their own, so that no other call
  // waits behind them. What they hold is admitted by `queue`.
  WorkQueue comparisons;
  Metrics& metrics;
};

// Sets `admission`, which keeps the bytes counted as pending as long as it lives;
// RESOURCE_EXHAUSTED where there is no room.
absl::Status Admit(size_t bytes, Backend& backend, std::optional<WorkQueue::Admission>& admission);

grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_BACKEND_H_
