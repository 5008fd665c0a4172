// From a request's bytes to its reply's: what every method on raw bytes does with a message.
#ifndef ACTIVATION_SERVER_ANSWER_H_
#define ACTIVATION_SERVER_ANSWER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <memory>
#include <optional>

#include "server/evaluate.h"
#include "server/limits.h"
#include "server/metrics.h"
#include "server/plan.h"
#include "server/work_queue.h"

namespace activation::server {

// What all calls share.
struct Backend {
  Limits limits;
  WorkQueue queue;
  // Of comparisons, a step of which may take long: threads of their own, so that no other call
  // waits behind them. What they hold is admitted by `queue`.
  WorkQueue comparisons;
  Metrics& metrics;
};

// What a stream carries from chunk to chunk.
struct StreamState {
  // Of the chunk before; null before the first.
  std::shared_ptr<const Activation> activation;
  std::optional<StreamSums> sums;
  // Of what these hold, where it is as large as a tensor's axis.
  std::optional<WorkQueue::Admission> admission;
};

// The reply, never empty. `stream` is null for a unary call. Large requests are computed by the
// calling thread and idle workers together. Cancelled, soon after the flag is set.
absl::StatusOr<grpc::ByteBuffer> Answer(const RequestKind& kind, const grpc::ByteBuffer& request,
                                        const std::atomic<bool>& cancelled, Backend& backend,
                                        StreamState* stream);

// The one place where a status leaves the server.
grpc::Status ToGrpcStatus(const absl::Status& status);

// The refusal of a request for which WorkQueue::Admit has no room.
absl::Status BusyStatus(size_t bytes, const Backend& backend);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_ANSWER_H_
