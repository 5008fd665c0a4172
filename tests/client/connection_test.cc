// What becomes of a call when the connection, the server or the options are not as they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "client/client.h"
#include "tests/client/client_fixture.h"

namespace activation {
namespace {

using ::testing::HasSubstr;

TEST_F(ClientTest, PassesTheServersCodeAndMessageOn) {
  for (const size_t count : {size_t{3}, size_t{2'000'000}}) {  // unary, streamed
    auto result = Connect().Evaluate({.name = "nonsense"}, Ramp(count));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(result.status().message(), "no activation is named 'nonsense'");
  }
}

TEST_F(ClientTest, AStreamThatFailsMidwayEndsWithTheServersStatus) {
  service_.replies_before_failure = 3;
  auto result = Connect().Evaluate({.name = "scale"}, Ramp(4'000'000));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(result.status().message(), "enough");
}

TEST_F(ClientTest, AStreamThatEndsEarlyIsAnError) {
  service_.replies_per_stream = 3;
  auto result = Connect().Evaluate({.name = "scale"}, Ramp(4'000'000));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(result.status().message(), HasSubstr("3 replies to 8 chunks"));
}

TEST_F(ClientTest, RepliesOfTheWrongSizeAreAnError) {
  service_.short_replies = true;
  for (const size_t count : {size_t{3}, size_t{2'000'000}}) {
    auto result = Connect().Evaluate({.name = "scale"}, Ramp(count));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
    EXPECT_THAT(result.status().message(), HasSubstr("does not fit the request"));
    auto gradient = Connect().Gradient({.activation = {.name = "scale"}, .input = Ramp(count)});
    EXPECT_EQ(gradient.status().code(), absl::StatusCode::kInternal);
  }
}

TEST_F(ClientTest, RetriesUnavailableAndSucceeds) {
  service_.unavailable = 2;
  auto result = Connect({.retry = {.initial_backoff = absl::Milliseconds(1)}})
                    .Evaluate({.name = "scale"}, Ramp(3));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(service_.calls, 3);
}

TEST_F(ClientTest, RetriesRequestsAboveGrpcsUsualRetryBuffer) {
  service_.unavailable = 2;  // the request has 1 MiB, the usual buffer 256 KiB
  auto result = Connect({.retry = {.initial_backoff = absl::Milliseconds(1)}})
                    .Evaluate({.name = "scale"}, Ramp(1 << 18));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(service_.calls, 3);
}

TEST_F(ClientTest, RetriesAStreamThatHasNotBegunToAnswer) {
  service_.unavailable = 1;
  auto result = Connect({.retry = {.initial_backoff = absl::Milliseconds(1)}})
                    .Evaluate({.name = "scale"}, Ramp(2'000'000));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ToDoubles(result->output)[1'999'999], 2.0 * 1'999'999);
  EXPECT_EQ(service_.calls, 2);
}

TEST_F(ClientTest, GivesUpAfterMaxAttempts) {
  service_.unavailable = 100;
  auto result = Connect({.retry = {.max_attempts = 3, .initial_backoff = absl::Milliseconds(1)}})
                    .Evaluate({.name = "scale"}, Ramp(3));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(service_.calls, 3);
}

TEST_F(ClientTest, OneAttemptMeansNoRetry) {
  service_.unavailable = 1;
  auto result = Connect({.retry = {.max_attempts = 1}}).Evaluate({.name = "scale"}, Ramp(3));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(service_.calls, 1);
}

TEST_F(ClientTest, OtherCodesAreNotRetried) {
  EXPECT_FALSE(Connect().Evaluate({.name = "nonsense"}, Ramp(3)).ok());
  EXPECT_EQ(service_.calls, 1);
}

TEST_F(ClientTest, TheDeadlineEndsCallsAndStreams) {
  service_.delay_ms = 10'000;
  for (const size_t count : {size_t{3}, size_t{2'000'000}}) {
    const absl::Time start = absl::Now();
    auto result =
        Connect({.timeout = absl::Milliseconds(200)}).Evaluate({.name = "scale"}, Ramp(count));
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_LT(absl::Now() - start, absl::Seconds(5));
  }
}

TEST_F(ClientTest, SurvivesARestartOfTheServer) {
  const Client client = Connect({.retry = {.initial_backoff = absl::Milliseconds(50)}});
  ASSERT_TRUE(client.Evaluate({.name = "scale"}, Ramp(3)).ok());
  server_->Shutdown(std::chrono::system_clock::now());
  server_ = StartFake(service_, "127.0.0.1:" + std::to_string(port_));
  ASSERT_NE(server_, nullptr);
  EXPECT_EQ(client.Evaluate({.name = "scale"}, Ramp(3)).status(), absl::OkStatus());
}

TEST(ClientOptionsTest, AnUnreachableServerIsUnavailable) {
  auto client = Client::Make({.target = "unix:/nonexistent/socket"});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(client->Info().status().code(), absl::StatusCode::kUnavailable);
}

TEST(ClientOptionsTest, EveryWrongOptionIsNamed) {
  const std::pair<ClientOptions, const char*> cases[] = {
      {{.target = ""}, "target"},
      {{.timeout = absl::ZeroDuration()}, "timeout"},
      {{.retry = {.max_attempts = 0}}, "max_attempts"},
      {{.retry = {.max_attempts = 6}}, "max_attempts"},
      {{.retry = {.initial_backoff = absl::ZeroDuration()}}, "initial_backoff"},
      {{.retry = {.max_backoff = absl::Milliseconds(1)}}, "max_backoff"},
      {{.retry = {.multiplier = 0.5}}, "multiplier"},
      {{.chunk_bytes = 7}, "chunk_bytes"},
      {{.max_message_bytes = 1024}, "max_message_bytes"},
      {{.max_message_bytes = int64_t{1} << 31}, "max_message_bytes"},
      {{.tls = TlsOptions{.certificate_file = "cert.pem"}}, "key_file"},
  };
  for (const auto& [options, field] : cases) {
    const absl::Status status = Client::Make(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_THAT(status.message(), HasSubstr(field));
  }
}

TEST(ClientOptionsTest, TlsFilesThatCanNotBeUsedAreNamed) {
  const auto missing = Client::Make({.tls = TlsOptions{.ca_file = "/nonexistent/ca.pem"}});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(missing.status().message(), HasSubstr("'/nonexistent/ca.pem'"));
  const std::string path = ::testing::TempDir() + "/not-pem";
  std::ofstream(path) << "hello";
  const auto not_pem = Client::Make({.tls = TlsOptions{.ca_file = path}});
  EXPECT_EQ(not_pem.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(not_pem.status().message(), HasSubstr("PEM"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace activation
