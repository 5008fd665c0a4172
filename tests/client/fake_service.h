// A stand-in for the server, in this process, whose answers and failures a test chooses.
//
// It knows one activation, "scale": f(x) = factor * x, with the parameter factor, 2 by default.
#ifndef ACTIVATION_TESTS_CLIENT_FAKE_SERVICE_H_
#define ACTIVATION_TESTS_CLIENT_FAKE_SERVICE_H_

#include <atomic>
#include <memory>
#include <string>

#include "activation/v1/activation.grpc.pb.h"
#include "grpcpp/grpcpp.h"

namespace activation {

class FakeService final : public v1::ActivationService::Service {
 public:
  // How many of the next calls fail with UNAVAILABLE before anything is answered.
  std::atomic<int> unavailable = 0;
  // How long each call waits first, unless it is cancelled.
  std::atomic<int> delay_ms = 0;
  // Replies carry one element less than they should.
  std::atomic<bool> short_replies = false;
  // A stream ends, with OK, after so many replies.
  std::atomic<int> replies_per_stream = 1 << 30;
  // A stream fails, with ABORTED, after so many replies.
  std::atomic<int> replies_before_failure = 1 << 30;

  // What was seen.
  std::atomic<int> calls = 0;
  std::atomic<int> chunks = 0;
  std::atomic<int64_t> largest_message = 0;

  grpc::Status Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                        v1::EvaluateResponse* response) override;
  grpc::Status Gradient(grpc::ServerContext* context, const v1::GradientRequest* request,
                        v1::GradientResponse* response) override;
  grpc::Status EvaluateStream(grpc::ServerContext* context,
                              grpc::ServerReaderWriter<v1::EvaluateStreamResponse,
                                                       v1::EvaluateStreamRequest>* stream) override;
  grpc::Status GradientStream(grpc::ServerContext* context,
                              grpc::ServerReaderWriter<v1::GradientStreamResponse,
                                                       v1::GradientStreamRequest>* stream) override;
  // One report for each candidate, whose mean_absolute_error is its place in the request.
  grpc::Status CompareApproximations(grpc::ServerContext* context,
                                     const v1::CompareApproximationsRequest* request,
                                     v1::CompareApproximationsResponse* response) override;
  // The same after two messages of progress.
  grpc::Status CompareApproximationsStream(
      grpc::ServerContext* context, const v1::CompareApproximationsStreamRequest* request,
      grpc::ServerWriter<v1::CompareApproximationsStreamResponse>* stream) override;
  grpc::Status ListActivations(grpc::ServerContext* context,
                               const v1::ListActivationsRequest* request,
                               v1::ListActivationsResponse* response) override;
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::GetServerInfoRequest* request,
                             v1::GetServerInfoResponse* response) override;

 private:
  // What every call does first.
  grpc::Status Begin(grpc::ServerContext* context);
  grpc::Status Answer(const v1::Evaluation& evaluation, v1::EvaluationResult& result);
  // Adds to the parameter gradient what the chunks before have left in it.
  grpc::Status Answer(const v1::GradientEvaluation& gradient, double& factor_gradient,
                      v1::GradientResult& result);
  grpc::Status AfterReply(int replies);
  void Measure(const google::protobuf::Message& message);
};

// `service` at `address` ("unix:/path", or "127.0.0.1:0"), with gRPC's own health service. With
// `port`, the one that was chosen. Null if the address can't be had.
std::unique_ptr<grpc::Server> StartFake(FakeService& service, const std::string& address,
                                        int* port = nullptr);

}  // namespace activation

#endif  // ACTIVATION_TESTS_CLIENT_FAKE_SERVICE_H_
