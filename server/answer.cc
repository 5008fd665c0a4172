#include "server/answer.h"

#include <absl/strings/string_view.h>

#include <new>
#include <string>
#include <utility>

#include "server/errors.h"
#include "server/wire.h"

namespace activation::server {
namespace {

void Count(const Plan& plan, Metrics& metrics) {
  for (size_t i = 0; i < plan.items.size(); ++i) {
    metrics.AddElements(*plan.reply[i].function.spec, plan.items[i].input.type,
                        plan.items[i].input.count);
  }
}

}  // namespace

absl::StatusOr<grpc::ByteBuffer> Answer(const RequestKind& kind, const grpc::ByteBuffer& request,
                                        const std::atomic<bool>& cancelled, Backend& backend,
                                        StreamState* stream) try {
  if (cancelled.load(std::memory_order_relaxed)) return errors::Cancelled();
  auto raw = ReadRequest(request, kind.is_stream ? Cardinality::kSingle : Cardinality::kBatch,
                         backend.limits.max_batch_items);
  if (!raw) return errors::MalformedRequest();
  const engine::Function* const inherited =
      stream != nullptr && stream->activation ? &*stream->activation : nullptr;
  const auto plan = MakePlan(*std::move(raw), kind, backend.limits, inherited);
  if (!plan.ok()) return plan.status();
  Reply reply = MakeReply(plan->reply);
  const auto for_each = [&](size_t count, BlockRunner run) {
    if (request.Length() > kMaxInlineBytes) return backend.queue.ForEach(count, run);
    for (size_t i = 0; i < count; ++i) run(i);
  };
  const absl::Status status = Evaluate(*plan, reply.destinations, cancelled, for_each,
                                       stream != nullptr ? &stream->sums : nullptr);
  if (!status.ok()) return status;
  if (stream != nullptr) stream->activation = plan->reply.front().function;
  Count(*plan, backend.metrics);
  return std::move(reply.buffer);
} catch (const std::bad_alloc&) {
  return errors::OutOfMemory();
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  const absl::string_view message = status.message();
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(message.data(), message.size()));
}

absl::Status BusyStatus(size_t bytes, const Backend& backend) {
  return errors::Busy(bytes, backend.queue.pending_bytes(), backend.queue.max_pending_bytes());
}

}  // namespace activation::server
