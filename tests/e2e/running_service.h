// The service on a port of its own, with a channel to it, for as long as the object lives.
#ifndef ACTIVATION_TESTS_E2E_RUNNING_SERVICE_H_
#define ACTIVATION_TESTS_E2E_RUNNING_SERVICE_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "activation/v1/activation.grpc.pb.h"
#include "server/rpc/metrics.h"
#include "server/rpc/service.h"

namespace activation::server {

class RunningService {
 public:
  explicit RunningService(const Limits& limits = {}, int threads = 2)
      : service_(MakeService(limits, threads, metrics_)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.SetMaxReceiveMessageSize(static_cast<int>(limits.max_message_bytes));
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port),
                                         grpc::InsecureChannelCredentials(), arguments);
    stub_ = v1::ActivationService::NewStub(channel_);
  }

  v1::ActivationService::Stub& stub() { return *stub_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  grpc::Server& server() { return *server_; }

  // Fails the test where a plain call does not work.
  void ExpectToServe() {
    v1::EvaluateRequest request;
    v1::Evaluation& item = *request.add_evaluations();
    item.mutable_activation()->set_name("relu");
    item.mutable_input()->add_float_values(3);
    item.mutable_input()->add_float_values(-3);
    v1::EvaluateResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->Evaluate(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(response.results(0).output().float_values_size(), 2);
    EXPECT_EQ(response.results(0).output().float_values(0), 3);
    EXPECT_EQ(response.results(0).output().float_values(1), 0);
  }

 private:
  Metrics metrics_;
  std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ActivationService::Stub> stub_;
};

inline std::string Packed(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

inline std::vector<float> Unpacked(const std::string& data) {
  std::vector<float> values(data.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_E2E_RUNNING_SERVICE_H_
