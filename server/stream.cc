#include "server/stream.h"

#include <atomic>
#include <optional>

#include "server/errors.h"

namespace activation::server {
namespace {

class StreamCall final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamCall(const RequestKind& kind, Backend& backend) : kind_(kind), backend_(backend) {
    StartRead(&chunk_);
  }

  void OnReadDone(bool ok) override {
    has_chunk_ = ok;
    // Counted from here on, since it may wait long for the client to take the result before it.
    if (ok) admission_ = backend_.queue.Admit(static_cast<int64_t>(chunk_.Length()));
    OnOperationDone();
  }

  void OnWriteDone(bool ok) override {
    is_broken_ = !ok;
    reply_admission_.reset();
    OnOperationDone();
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  // The last of a pair of operations goes on; nothing else is under way then.
  void OnOperationDone() {
    if (operations_.fetch_sub(1) > 1) return;
    if (is_broken_ || cancelled_) return Finish(ToGrpcStatus(errors::Cancelled()));
    if (!has_chunk_) return Finish(grpc::Status::OK);
    if (!admission_) return Finish(ToGrpcStatus(BusyStatus(chunk_.Length(), backend_)));
    if (chunk_.Length() <= kMaxInlineBytes) return Run();
    backend_.queue.Post([this] { Run(); });
  }

  void Run() {
    auto answer = Answer(kind_, chunk_, cancelled_, backend_, &state_);
    chunk_.Clear();
    admission_.reset();
    if (!answer.ok()) return Finish(ToGrpcStatus(answer.status()));
    // Until the client has read it, however long that takes.
    reply_admission_ = backend_.queue.Admit(static_cast<int64_t>(answer->Length()));
    if (!reply_admission_) return Finish(ToGrpcStatus(BusyStatus(answer->Length(), backend_)));
    reply_.Swap(&*answer);
    operations_ = 2;
    StartWrite(&reply_);
    StartRead(&chunk_);
  }

  const RequestKind& kind_;
  Backend& backend_;
  StreamState state_;
  grpc::ByteBuffer chunk_;
  grpc::ByteBuffer reply_;
  std::optional<WorkQueue::Admission> admission_;
  std::optional<WorkQueue::Admission> reply_admission_;
  bool has_chunk_ = false;
  bool is_broken_ = false;
  std::atomic<bool> cancelled_ = false;
  // Reads and writes under way.
  std::atomic<int> operations_ = 1;
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServeStream(const RequestKind& kind,
                                                                         Backend& backend) {
  return new StreamCall(kind, backend);
}

}  // namespace activation::server
