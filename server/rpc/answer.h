// From a request's bytes to its reply's: what every method on raw bytes does with a message.
#ifndef ACTIVATION_SERVER_RPC_ANSWER_H_
#define ACTIVATION_SERVER_RPC_ANSWER_H_

#include <absl/status/statusor.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <memory>
#include <optional>

#include "server/evaluate/evaluate.h"
#include "server/evaluate/plan.h"
#include "server/rpc/backend.h"
#include "server/rpc/work_queue.h"

namespace activation::server {

// What a stream carries from chunk to chunk.
struct StreamState {
  // The activation of the chunk before; null before the first.
  std::shared_ptr<const Activation> activation;
  std::optional<StreamSums> sums;
  // Counts what these hold, where it is as large as a tensor's axis.
  std::optional<WorkQueue::Admission> admission;
};

// The reply, never empty. `stream` is null for a unary call. Large requests are computed by the
// calling thread and idle workers together. Cancelled, soon after the flag is set.
absl::StatusOr<grpc::ByteBuffer> Answer(const RequestKind& kind, const grpc::ByteBuffer& request,
                                        const std::atomic<bool>& cancelled, Backend& backend,
                                        StreamState* stream);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_ANSWER_H_
