#include "client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "client/channel.h"
#include "tests/client/fake_service.h"

namespace activation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

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
Tensor Ramp(size_t count, std::vector<int64_t> shape = {}) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return MakeTensor(values, std::move(shape));
}

TEST_F(ClientTest, EvaluatesVectorsOfFloatsAndOfDoubles) {
  const Client client = Connect();
  const std::vector<float> floats = {-1.5f, 0.0f, 3.0f};
  const std::vector<double> doubles = {-1.5, 0x1p-1000};
  auto float_result = client.Evaluate("scale", floats);
  ASSERT_TRUE(float_result.ok()) << float_result.status();
  EXPECT_THAT(*float_result, ElementsAre(-3.0f, 0.0f, 6.0f));
  auto double_result = client.Evaluate("scale", doubles, {{"factor", 4.0}});
  ASSERT_TRUE(double_result.ok()) << double_result.status();
  EXPECT_THAT(*double_result, ElementsAre(-6.0, 0x1p-998));
  auto gradient = client.Gradient("scale", doubles);
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_THAT(*gradient, ElementsAre(2.0, 2.0));
}

TEST_F(ClientTest, ReportsTheCanonicalActivationAndKeepsShapeAndOutputType) {
  auto result = Connect().Evaluate({.name = "scale"}, Ramp(6, {2, 3}), DataType::kBFloat16);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->activation.name, "scale");
  EXPECT_THAT(result->activation.parameters, ElementsAre(Pair("factor", 2.0)));
  EXPECT_EQ(result->output.type, DataType::kBFloat16);
  EXPECT_THAT(result->output.shape, ElementsAre(2, 3));
  EXPECT_THAT(ToDoubles(result->output), ElementsAre(0, 2, 4, 6, 8, 10));
}

TEST_F(ClientTest, EvaluatesATensorWithoutElements) {
  auto result = Connect().Evaluate({.name = "scale"}, Tensor{.shape = {0, 7}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->output.shape, ElementsAre(0, 7));
  EXPECT_EQ(result->output.size(), 0u);
}

TEST_F(ClientTest, SplitsLargeTensorsAndJoinsThemInOrder) {
  constexpr size_t kCount = 17'000'003;  // 68 MB, above max_message_bytes
  auto result = Connect().Evaluate({.name = "scale"}, Ramp(kCount, {1, kCount}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->output.shape, ElementsAre(1, kCount));
  const Tensor expected = Ramp(kCount);
  ASSERT_EQ(result->output.size(), kCount);
  const std::vector<double> x = ToDoubles(expected);
  const std::vector<double> y = ToDoubles(result->output);
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(y[i], 2 * x[i]) << i;
  EXPECT_EQ(service_.calls, 1);
  EXPECT_EQ(service_.chunks, 33);  // ceil(4 * 17,000,003 / 2 MiB)
}

TEST_F(ClientTest, KeepsEveryMessageUnderGrpcsUsualLimit) {
  // Widening makes the reply the larger one, four times the request.
  auto wide = Connect().Evaluate({.name = "scale"},
                                 MakeTensor(DataType::kFloat16, std::vector<double>(900'000, 1.5)),
                                 DataType::kFloat64);
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_THAT(ToDoubles(wide->output), ::testing::Each(3.0));
  // Upstream doubles the request, return_value the reply.
  GradientRequest request{.activation = {.name = "scale"}, .input = Ramp(700'000)};
  request.upstream = Ramp(700'000);
  request.return_value = true;
  auto gradient = Connect().Gradient(std::move(request));
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  EXPECT_GT(service_.chunks, 2);
  EXPECT_GT(service_.largest_message, 2'000'000);
  EXPECT_LT(service_.largest_message, 4 << 20);
}

TEST_F(ClientTest, GradientReturnsWhatIsAskedForInOneMessageAndInChunks) {
  for (const int64_t chunk_bytes : {int64_t{2} << 20, int64_t{64}}) {
    GradientRequest request{.activation = {.name = "scale", .parameters = {{"factor", 3}}},
                            .input = Ramp(100, {4, 25})};
    request.upstream = MakeTensor(std::vector<float>(100, 0.5f));
    request.return_value = true;
    request.return_parameter_gradients = true;
    auto result = Connect({.chunk_bytes = chunk_bytes}).Gradient(std::move(request));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(ToDoubles(result->gradient), ::testing::Each(1.5));
    EXPECT_THAT(result->gradient.shape, ElementsAre(4, 25));
    ASSERT_TRUE(result->value.has_value());
    EXPECT_EQ(ToDoubles(*result->value)[99], 297);
    EXPECT_THAT(result->value->shape, ElementsAre(4, 25));
    EXPECT_THAT(result->parameter_gradients, ElementsAre(Pair("factor", 0.5 * 4950)));
  }
  EXPECT_EQ(service_.chunks, 13);  // the second time: ceil(100 / (64 / 8))
}

TEST_F(ClientTest, LeavesOutWhatIsNotAskedFor) {
  auto result = Connect().Gradient({.activation = {.name = "scale"}, .input = Ramp(3)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->value.has_value());
  EXPECT_TRUE(result->parameter_gradients.empty());
}

TEST_F(ClientTest, RefusesTensorsThatDoNotFitBeforeSending) {
  const Client client = Connect();
  auto odd = client.Evaluate({.name = "scale"}, Tensor{.data = "12345"});
  EXPECT_EQ(odd.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(odd.status().message(), HasSubstr("multiple of 4"));
  auto shape = client.Evaluate({.name = "scale"}, Ramp(5, {2, 3}));
  EXPECT_THAT(shape.status().message(), HasSubstr("6 elements are needed, 5 given"));
  auto overflow = client.Evaluate({.name = "scale"}, Ramp(1, {INT64_MAX, 3}));
  EXPECT_THAT(overflow.status().message(), HasSubstr("more than 2^63 - 1"));
  auto negative = client.Evaluate({.name = "scale"}, Ramp(0, {0, -1}));
  EXPECT_THAT(negative.status().message(), HasSubstr("negative"));
  GradientRequest request{.activation = {.name = "scale"}, .input = Ramp(3)};
  request.upstream = Ramp(2);
  auto upstream = client.Gradient(std::move(request));
  EXPECT_EQ(upstream.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(upstream.status().message(), HasSubstr("upstream has 2"));
  EXPECT_EQ(service_.calls, 0);
}

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

TEST_F(ClientTest, ComparesListsAndInforms) {
  const Client client = Connect();
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name("scale");
  request.add_candidates()->set_name("other");
  request.mutable_grid()->set_points(7);
  auto comparison = client.Compare(request);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->reports(0).points(), 7);
  auto catalogue = client.List();
  ASSERT_TRUE(catalogue.ok()) << catalogue.status();
  EXPECT_EQ(catalogue->activations(0).name(), "scale");
  auto info = client.Info();
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->version(), "0.0.0-fake");
}

TEST_F(ClientTest, HealthIsOkOnlyWhereTheServerSaysServing) {
  const Client client = Connect();
  EXPECT_EQ(client.Health(), absl::OkStatus());
  EXPECT_EQ(client.Health("activation.v1.ActivationService"), absl::OkStatus());
  EXPECT_EQ(client.Health("no.such.Service").code(), absl::StatusCode::kNotFound);
  server_->GetHealthCheckService()->SetServingStatus(false);
  const absl::Status status = client.Health();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("NOT_SERVING"));
}

TEST_F(ClientTest, SurvivesARestartOfTheServer) {
  const Client client = Connect({.retry = {.initial_backoff = absl::Milliseconds(50)}});
  ASSERT_TRUE(client.Evaluate({.name = "scale"}, Ramp(3)).ok());
  server_->Shutdown(std::chrono::system_clock::now());
  server_ = StartFake(service_, "127.0.0.1:" + std::to_string(port_));
  ASSERT_NE(server_, nullptr);
  EXPECT_EQ(client.Evaluate({.name = "scale"}, Ramp(3)).status(), absl::OkStatus());
}

TEST_F(ClientTest, ComparesWithProgress) {
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name("scale");
  request.add_candidates()->set_name("a");
  request.mutable_grid()->set_points(3);
  std::vector<int64_t> done;
  const auto take = [&done](const v1::CompareProgress& progress) {
    done.push_back(progress.done());
  };
  auto comparison = Connect().Compare(request, take);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->reports(0).points(), 3);
  EXPECT_THAT(done, ElementsAre(1, 2));
}

TEST_F(ClientTest, AComparisonStopsWhenAskedTo) {
  service_.delay_ms = 60'000;
  std::stop_source source;
  const auto stop = [&source](const v1::CompareProgress&) { source.request_stop(); };
  auto comparison = Connect().Compare({}, stop, source.get_token());
  EXPECT_TRUE(absl::IsCancelled(comparison.status())) << comparison.status();
  EXPECT_THAT(comparison.status().message(), HasSubstr("as asked for"));
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
