#include "server/rpc/answer.h"

#include <absl/status/status.h>

#include <new>
#include <utility>

#include "server/evaluate/errors.h"
#include "server/wire/read_request.h"
#include "server/wire/write_reply.h"

namespace activation::server {
namespace {

void Count(const Plan& plan, Metrics& metrics) {
  for (size_t i = 0; i < plan.items.size(); ++i) {
    const PlanItem& item = plan.items[i];
    if (item.activation->formula != nullptr) {
      metrics.AddFormulaElements(item.input.type, item.input.count);
    } else if (item.activation->row != nullptr) {
      metrics.AddElements(*item.activation->row, item.input.type, item.input.count);
    } else {
      metrics.AddElements(*item.activation->function.spec, item.input.type, item.input.count);
    }
  }
}

// Bytes of what goes along axes, and of a formula.
size_t SizeToKeep(const Activation& activation) {
  size_t size = activation.formula != nullptr ? activation.formula->SizeInBytes() : 0;
  for (const ParameterTensor& tensor : activation.tensors) {
    size += tensor.values.size() * sizeof(double);
  }
  return size;
}
size_t SizeToKeep(const StreamSums& sums) {
  size_t size = SizeToKeep(*sums.activation) + (sums.bias ? sums.bias->values.size() : 0);
  for (const auto& target : sums.sums) size += target.size() * sizeof(engine::PreciseSum);
  return size;
}

// Keeps for the next chunk what it may leave out. What is large counts as pending as long.
absl::Status Keep(const std::shared_ptr<const Activation>& activation, Backend& backend,
                  StreamState& stream) {
  // Like the work that a request below this size takes, not worth a count.
  constexpr size_t kSmall = kMaxInlineBytes;
  stream.activation = activation;
  const size_t size = SizeToKeep(*activation) + (stream.sums ? SizeToKeep(*stream.sums) : 0);
  stream.admission.reset();
  if (size <= kSmall) return absl::OkStatus();
  return Admit(size, backend, stream.admission);
}

}  // namespace

absl::StatusOr<grpc::ByteBuffer> Answer(const RequestKind& kind, const grpc::ByteBuffer& request,
                                        const std::atomic<bool>& cancelled, Backend& backend,
                                        StreamState* stream) try {
  if (cancelled.load(std::memory_order_relaxed)) return errors::Cancelled();
  auto raw = ReadRequest(request, kind.is_stream ? Cardinality::kSingle : Cardinality::kBatch,
                         backend.limits.max_batch_items);
  if (!raw) return errors::MalformedRequest();
  const auto plan = MakePlan(*std::move(raw), kind, backend.limits,
                             stream != nullptr ? stream->activation : nullptr);
  if (!plan.ok()) return plan.status();
  Reply reply = MakeReply(plan->reply);
  const auto for_each = [&](size_t count, BlockRunner run) {
    if (request.Length() > kMaxInlineBytes) return backend.queue.ForEach(count, run);
    for (size_t i = 0; i < count; ++i) run(i);
  };
  const absl::Status status = Evaluate(*plan, reply.destinations, cancelled, for_each,
                                       stream != nullptr ? &stream->sums : nullptr);
  if (!status.ok()) return status;
  if (stream != nullptr) {
    const absl::Status kept = Keep(plan->items.front().activation, backend, *stream);
    if (!kept.ok()) return kept;
  }
  Count(*plan, backend.metrics);
  return std::move(reply.buffer);
} catch (const std::bad_alloc&) {
  return errors::OutOfMemory();
}

}  // namespace activation::server
