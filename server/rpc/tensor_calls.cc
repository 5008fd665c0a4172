#include "server/rpc/tensor_calls.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <optional>
#include <utility>

#include "server/evaluate/errors.h"
#include "server/rpc/answer.h"
#include "server/rpc/call.h"

namespace activation::server {
namespace {

// A request on its way to a reply: both are counted as pending, small ones are answered on the
// thread that received them, others on a worker.
template <typename Reactor>
class TensorCall : public Call<Reactor> {
 protected:
  TensorCall(const RequestKind& kind, Backend& backend) : Call<Reactor>(backend), kind_(kind) {}

  // Counts a request that has arrived; where there is no room, Begin() says so.
  void Receive(const grpc::ByteBuffer& request) {
    admitted_ = Admit(request.Length(), this->backend_, request_admission_);
  }

  // Goes on with OnAnswer(), here or on a worker.
  void Begin(const grpc::ByteBuffer& request, StreamState* stream) {
    if (!admitted_.ok()) return this->Finish(admitted_);
    const auto run = [this, &request, stream] {
      OnAnswer(Answer(kind_, request, this->cancelled_, this->backend_, stream));
    };
    if (request.Length() <= kMaxInlineBytes) return run();
    this->backend_.queue.Post(run);
  }

  virtual void OnAnswer(absl::StatusOr<grpc::ByteBuffer> answer) = 0;

  // Counts the reply until the client has read it, however long that takes.
  absl::Status HoldReply(const grpc::ByteBuffer& reply) {
    return Admit(reply.Length(), this->backend_, reply_admission_);
  }
  void ReleaseReply() { reply_admission_.reset(); }
  void ReleaseRequest() { request_admission_.reset(); }

 private:
  const RequestKind& kind_;
  // Whether there is a request, and room for it.
  absl::Status admitted_ = errors::Cancelled();
  std::optional<WorkQueue::Admission> request_admission_;
  std::optional<WorkQueue::Admission> reply_admission_;
};

class UnaryCall final : public TensorCall<grpc::ServerUnaryReactor> {
 public:
  UnaryCall(const RequestKind& kind, const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
            Backend& backend)
      : TensorCall(kind, backend), response_(response) {
    if (request.Valid()) Receive(request);
    // A call that was cancelled early comes without a request.
    Begin(request, nullptr);
  }

 private:
  void OnAnswer(absl::StatusOr<grpc::ByteBuffer> answer) override {
    if (!answer.ok()) return Finish(answer.status());
    const absl::Status held = HoldReply(*answer);
    if (held.ok()) response_.Swap(&*answer);
    Finish(held);
  }

  grpc::ByteBuffer& response_;
};

class StreamCall final
    : public TensorCall<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>> {
 public:
  StreamCall(const RequestKind& kind, Backend& backend) : TensorCall(kind, backend) {
    StartRead(&chunk_);
  }

  void OnReadDone(bool ok) override {
    has_chunk_ = ok;
    // Counted from here on, since it may wait long for the client to take the result before it.
    if (ok) Receive(chunk_);
    OnOperationDone();
  }

  void OnWriteDone(bool ok) override {
    is_broken_ = !ok;
    ReleaseReply();
    OnOperationDone();
  }

 private:
  // The last of a pair of operations goes on; nothing else is under way then.
  void OnOperationDone() {
    if (operations_.fetch_sub(1) > 1) return;
    if (is_broken_ || cancelled_) return Finish(errors::Cancelled());
    if (!has_chunk_) return Finish(absl::OkStatus());
    Begin(chunk_, &state_);
  }

  void OnAnswer(absl::StatusOr<grpc::ByteBuffer> answer) override {
    chunk_.Clear();
    ReleaseRequest();
    if (!answer.ok()) return Finish(answer.status());
    if (absl::Status held = HoldReply(*answer); !held.ok()) return Finish(held);
    reply_.Swap(&*answer);
    operations_ = 2;
    StartWrite(&reply_);
    StartRead(&chunk_);
  }

  StreamState state_;
  grpc::ByteBuffer chunk_;
  grpc::ByteBuffer reply_;
  bool has_chunk_ = false;
  bool is_broken_ = false;
  // Reads and writes under way.
  std::atomic<int> operations_ = 1;
};

}  // namespace

grpc::ServerUnaryReactor* ServeUnary(const RequestKind& kind, const grpc::ByteBuffer& request,
                                     grpc::ByteBuffer& response, Backend& backend) {
  return new UnaryCall(kind, request, response, backend);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServeStream(const RequestKind& kind,
                                                                         Backend& backend) {
  return new StreamCall(kind, backend);
}

}  // namespace activation::server
