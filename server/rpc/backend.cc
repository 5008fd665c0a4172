#include "server/rpc/backend.h"

#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>
#include <string>

#include "server/evaluate/errors.h"

namespace activation::server {

absl::Status Admit(size_t bytes, Backend& backend, std::optional<WorkQueue::Admission>& admission) {
  admission = backend.queue.Admit(static_cast<int64_t>(bytes));
  if (admission) return absl::OkStatus();
  return errors::Busy(bytes, backend.queue.pending_bytes(), backend.queue.max_pending_bytes());
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  const absl::string_view message = status.message();
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(message.data(), message.size()));
}

}  // namespace activation::server
