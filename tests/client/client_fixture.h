// A client that is connected to a stand-in for the server.
#ifndef ACTIVATION_TESTS_CLIENT_CLIENT_FIXTURE_H_
#define ACTIVATION_TESTS_CLIENT_CLIENT_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "client/client.h"
#include "tests/client/fake_service.h"

namespace activation {

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = StartFake(service_, "127.0.0.1:0", &port_);
    ASSERT_NE(server_, nullptr);
  }
  void TearDown() override {
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  }

  Client Connect(ClientOptions options = {}) {
    options.target = "127.0.0.1:" + std::to_string(port_);
    absl::StatusOr<Client> client = Client::Make(options);
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }

  FakeService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// 0, 1, 2, ... as float32.
inline Tensor Ramp(size_t count, std::vector<int64_t> shape = {}) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return MakeTensor(values, std::move(shape));
}

}  // namespace activation

#endif  // ACTIVATION_TESTS_CLIENT_CLIENT_FIXTURE_H_
