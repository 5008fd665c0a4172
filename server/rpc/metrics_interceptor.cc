#include "server/rpc/metrics_interceptor.h"

#include <grpcpp/support/status.h>

#include <chrono>

namespace activation::server {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;

// gRPC makes one for each call, and deletes it with the call. It runs the steps of a call one at a
// time, so nothing here needs a lock.
class CallMeter final : public grpc::experimental::Interceptor {
 public:
  CallMeter(const RpcMetrics& metrics, std::atomic<int64_t>& calls)
      : metrics_(metrics), calls_(calls), start_(std::chrono::steady_clock::now()) {
    if (metrics_.is_ours) ++calls_;
    metrics_.started->Increment();
    metrics_.in_flight->Increment();
  }

  ~CallMeter() override {
    Finish(grpc::StatusCode::CANCELLED);
    if (metrics_.is_ours) --calls_;
  }

  void Intercept(InterceptorBatchMethods* methods) override {
    // Without a message where the client closed its side or went away.
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_MESSAGE) &&
        methods->GetRecvMessage() != nullptr) {
      metrics_.messages_received->Increment();
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_MESSAGE)) {
      metrics_.messages_sent->Increment();
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      Finish(methods->GetSendStatus().error_code());
    }
    methods->Proceed();
  }

 private:
  void Finish(int code) {
    if (finished_) return;
    finished_ = true;
    const bool known = code >= 0 && code < kStatusCodeCount;
    metrics_.handled[known ? code : grpc::StatusCode::UNKNOWN]->Increment();
    metrics_.handling_seconds->Observe(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    metrics_.in_flight->Decrement();
  }

  const RpcMetrics& metrics_;
  std::atomic<int64_t>& calls_;
  const std::chrono::steady_clock::time_point start_;
  bool finished_ = false;
};

class Factory final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  Factory(const Metrics& metrics, std::atomic<int64_t>& calls) : metrics_(metrics), calls_(calls) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    const RpcMetrics* rpc = info->method() != nullptr ? metrics_.FindRpc(info->method()) : nullptr;
    return rpc != nullptr ? new CallMeter(*rpc, calls_) : nullptr;
  }

 private:
  const Metrics& metrics_;
  std::atomic<int64_t>& calls_;
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeMetricsInterceptor(
    const Metrics& metrics, std::atomic<int64_t>& calls) {
  return std::make_unique<Factory>(metrics, calls);
}

}  // namespace activation::server
