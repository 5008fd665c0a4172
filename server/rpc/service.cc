#include "server/rpc/service.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "activation/v1/activation.grpc.pb.h"
#include "server/rpc/backend.h"
#include "server/rpc/comparison_calls.h"
#include "server/rpc/describe.h"
#include "server/rpc/tensor_calls.h"

namespace activation::server {
namespace {

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
    return ServeUnary(kEvaluate, *request, *response, backend_);
  }

  grpc::ServerUnaryReactor* Gradient(grpc::CallbackServerContext* /*context*/,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override {
    return ServeUnary(kGradient, *request, *response, backend_);
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
