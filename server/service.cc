#include "server/service.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <optional>
#include <utility>

#include "activation/v1/activation.grpc.pb.h"
#include "server/answer.h"
#include "server/compare_call.h"
#include "server/describe.h"
#include "server/errors.h"
#include "server/stream.h"

namespace activation::server {
namespace {

// One call of Evaluate or Gradient. Deletes itself.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  UnaryCall(const RequestKind& kind, const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
            Backend& backend)
      : kind_(kind), request_(request), response_(response), backend_(backend) {
    Begin();
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  void Begin() {
    // A call that was cancelled early comes without a request.
    if (!request_.Valid()) return Finish(ToGrpcStatus(errors::Cancelled()));
    admission_ = backend_.queue.Admit(static_cast<int64_t>(request_.Length()));
    if (!admission_) return Finish(ToGrpcStatus(BusyStatus(request_.Length(), backend_)));
    if (request_.Length() <= kMaxInlineBytes) return Run();
    backend_.queue.Post([this] { Run(); });
  }

  void Run() {
    auto answer = Answer(kind_, request_, cancelled_, backend_, nullptr);
    if (!answer.ok()) return Finish(ToGrpcStatus(answer.status()));
    // Until the client has read it, however long that takes.
    reply_admission_ = backend_.queue.Admit(static_cast<int64_t>(answer->Length()));
    if (!reply_admission_) return Finish(ToGrpcStatus(BusyStatus(answer->Length(), backend_)));
    response_.Swap(&*answer);
    Finish(grpc::Status::OK);
  }

  const RequestKind& kind_;
  const grpc::ByteBuffer& request_;
  grpc::ByteBuffer& response_;
  Backend& backend_;
  std::optional<WorkQueue::Admission> admission_;
  std::optional<WorkQueue::Admission> reply_admission_;
  std::atomic<bool> cancelled_ = false;
};

using RawUnaryMethods = v1::ActivationService::WithRawCallbackMethod_Evaluate<
    v1::ActivationService::WithRawCallbackMethod_Gradient<v1::ActivationService::Service>>;
using RawMethods = v1::ActivationService::WithRawCallbackMethod_EvaluateStream<
    v1::ActivationService::WithRawCallbackMethod_GradientStream<RawUnaryMethods>>;
using CompareMethods = v1::ActivationService::WithCallbackMethod_CompareApproximations<
    v1::ActivationService::WithCallbackMethod_CompareApproximationsStream<RawMethods>>;
using Methods = v1::ActivationService::WithCallbackMethod_ListActivations<
    v1::ActivationService::WithCallbackMethod_GetServerInfo<CompareMethods>>;

class Service final : public Methods {
 public:
  Service(const Limits& limits, int threads, Metrics& metrics)
      : backend_{.limits = limits,
                 .queue = {threads, limits.max_pending_bytes},
                 .comparisons = {threads, limits.max_pending_bytes},
                 .metrics = metrics},
        catalogue_(server::ListActivations()),
        info_(server::GetServerInfo(limits, threads)) {}

  grpc::ServerUnaryReactor* Evaluate(grpc::CallbackServerContext* /*context*/,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override {
    return new UnaryCall(kEvaluate, *request, *response, backend_);
  }

  grpc::ServerUnaryReactor* Gradient(grpc::CallbackServerContext* /*context*/,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override {
    return new UnaryCall(kGradient, *request, *response, backend_);
  }

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* EvaluateStream(
      grpc::CallbackServerContext* /*context*/) override {
    return ServeStream(kEvaluateStream, backend_);
  }

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* GradientStream(
      grpc::CallbackServerContext* /*context*/) override {
    return ServeStream(kGradientStream, backend_);
  }

  grpc::ServerUnaryReactor* CompareApproximations(
      grpc::CallbackServerContext* /*context*/, const v1::CompareApproximationsRequest* request,
      v1::CompareApproximationsResponse* response) override {
    return ServeComparison(*request, *response, backend_);
  }

  grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse>* CompareApproximationsStream(
      grpc::CallbackServerContext* /*context*/,
      const v1::CompareApproximationsStreamRequest* request) override {
    return ServeComparisonStream(*request, backend_);
  }

  grpc::ServerUnaryReactor* ListActivations(grpc::CallbackServerContext* context,
                                            const v1::ListActivationsRequest* /*request*/,
                                            v1::ListActivationsResponse* response) override {
    *response = catalogue_;
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const v1::GetServerInfoRequest* /*request*/,
                                          v1::GetServerInfoResponse* response) override {
    *response = info_;
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  Backend backend_;
  const v1::ListActivationsResponse catalogue_;
  const v1::GetServerInfoResponse info_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeService(const Limits& limits, int threads, Metrics& metrics) {
  return std::make_unique<Service>(limits, threads, metrics);
}

}  // namespace activation::server
