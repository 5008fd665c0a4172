// What the calls ask and return.
#include "client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/client/client_fixture.h"

namespace activation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

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

}  // namespace
}  // namespace activation
