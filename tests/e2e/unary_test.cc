// Calls that succeed: every unary RPC, all sizes, many at once.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "server/engine/engine.h"
#include "server/engine/rows.h"
#include "tests/e2e/running_service.h"

namespace activation::server {
namespace {

std::vector<float> Ramp(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = 16.0f * static_cast<float>(i) / static_cast<float>(count) - 8;
  }
  return x;
}

std::vector<float> Expected(const char* name, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const engine::Operation operation = {.function = engine::WithDefaults(*engine::Find(name))};
  engine::Run(operation,
              {.input = std::as_bytes(std::span(x)).data(),
               .output = std::as_writable_bytes(std::span(y)).data()},
              x.size());
  return y;
}

TEST(Evaluate, ReturnsTheCanonicalNameAllParametersAndTheShape) {
  RunningService service;
  v1::EvaluateRequest request;
  v1::Evaluation& item = *request.add_evaluations();
  item.mutable_activation()->set_name("swish");
  item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
  item.mutable_input()->add_shape(1);
  item.mutable_input()->add_shape(2);
  item.mutable_input()->set_data(Packed({1, -1}));
  v1::EvaluateResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Evaluate(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::EvaluationResult& result = response.results(0);
  EXPECT_EQ(result.activation().name(), "silu");
  EXPECT_EQ(result.activation().parameters().at("beta"), 1);
  EXPECT_EQ(result.output().data_type(), v1::DATA_TYPE_FLOAT32);
  EXPECT_THAT(result.output().shape(), testing::ElementsAre(1, 2));
  EXPECT_EQ(Unpacked(result.output().data()), Expected("silu", {1, -1}));
}

TEST(Evaluate, AnswersTensorsOfEverySizeFromNoneToTheMessageLimit) {
  RunningService service;
  for (const size_t count : {0u, 1u, 4'096u, 8'191u, 8'192u, 65'537u, 1'000'003u, 16'700'000u}) {
    const std::vector<float> x = Ramp(count);
    v1::EvaluateRequest request;
    v1::Evaluation& item = *request.add_evaluations();
    item.mutable_activation()->set_name("gelu");
    item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
    item.mutable_input()->set_data(Packed(x));
    v1::EvaluateResponse response;
    grpc::ClientContext context;
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    ASSERT_TRUE(status.ok()) << count << ": " << status.error_message();
    EXPECT_TRUE(Unpacked(response.results(0).output().data()) == Expected("gelu", x)) << count;
  }
}

TEST(Evaluate, KeepsConcurrentCallsOfDifferentShapesApart) {
  RunningService service;
  constexpr const char* kNames[] = {"gelu", "relu", "tanh", "silu", "elu", "softplus"};
  std::vector<std::thread> clients;
  for (uint32_t client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      std::mt19937 random(client);
      for (int call = 0; call < 60; ++call) {
        v1::EvaluateRequest request;
        std::vector<std::vector<float>> expected;
        const uint32_t items = 1 + random() % 4;
        for (uint32_t i = 0; i < items; ++i) {
          const char* const name = kNames[random() % std::size(kNames)];
          const std::vector<float> x = Ramp(random() % (call % 10 == 0 ? 200'000 : 3'000));
          v1::Evaluation& item = *request.add_evaluations();
          item.mutable_activation()->set_name(name);
          item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
          item.mutable_input()->add_shape(static_cast<int64_t>(x.size()));
          item.mutable_input()->set_data(Packed(x));
          expected.push_back(Expected(name, x));
        }
        v1::EvaluateResponse response;
        grpc::ClientContext context;
        const grpc::Status status = service.stub().Evaluate(&context, request, &response);
        ASSERT_TRUE(status.ok()) << status.error_message();
        ASSERT_EQ(response.results_size(), static_cast<int>(items));
        for (uint32_t i = 0; i < items; ++i) {
          const v1::Tensor& output = response.results(static_cast<int>(i)).output();
          ASSERT_EQ(output.shape(0), static_cast<int64_t>(expected[i].size()));
          ASSERT_TRUE(Unpacked(output.data()) == expected[i]);
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(Gradient, ReturnsGradientValueAndParameterGradients) {
  RunningService service;
  v1::GradientRequest request;
  v1::GradientEvaluation& item = *request.add_gradients();
  item.mutable_activation()->set_name("leaky_relu");
  for (const double x : {-2.0, 3.0}) item.mutable_input()->add_double_values(x);
  for (const double g : {10.0, 100.0}) item.mutable_upstream()->add_double_values(g);
  item.set_return_value(true);
  item.set_return_parameter_gradients(true);
  v1::GradientResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Gradient(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::GradientResult& result = response.results(0);
  EXPECT_THAT(result.gradient().double_values(), testing::ElementsAre(0.1, 100));
  EXPECT_THAT(result.value().double_values(), testing::ElementsAre(-0.02, 3));
  EXPECT_EQ(result.parameter_gradients().at("negative_slope"), -20);
}

TEST(Gradient, OfTensorsWithoutElementsIsEmptyInTheSameShape) {
  RunningService service;
  v1::GradientRequest request;
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{0}, std::vector<int64_t>{2, 0, 3}}) {
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_name("gelu");
    item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
    for (const int64_t extent : shape) item.mutable_input()->add_shape(extent);
    item.set_return_value(true);
  }
  v1::GradientResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Gradient(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  for (int i = 0; i < 2; ++i) {
    const v1::Tensor& input = request.gradients(i).input();
    EXPECT_EQ(response.results(i).gradient().ShortDebugString(), input.ShortDebugString());
    EXPECT_EQ(response.results(i).value().ShortDebugString(), input.ShortDebugString());
  }
}

TEST(Gradient, TakesParametersAndABiasAlongAxes) {
  RunningService service;
  v1::GradientRequest request;
  // Two channels: slopes 0.5 and 0.25, biases -1 and 1.
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "gradients { activation { name: 'leaky_relu' parameter_tensors { key: 'negative_slope'"
      "  value { values { double_values: [0.5, 0.25] } } } }"
      "  input { shape: [2, 2] double_values: [0, -3, -5, 4] }"
      "  upstream { double_values: [1, 10, 100, 1000] }"
      "  bias { values { double_values: [-1, 1] } }"
      "  return_value: true return_parameter_gradients: true }",
      &request));
  v1::GradientResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Gradient(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::GradientResult& result = response.results(0);
  EXPECT_THAT(result.value().double_values(), testing::ElementsAre(-0.5, -0.5, -3, 5));
  EXPECT_THAT(result.gradient().double_values(), testing::ElementsAre(0.5, 2.5, 50, 1000));
  EXPECT_THAT(result.parameter_tensor_gradients().at("negative_slope").double_values(),
              testing::ElementsAre(-601, -20));
  EXPECT_THAT(result.bias_gradient().double_values(), testing::ElementsAre(50.5, 1002.5));
  EXPECT_TRUE(result.parameter_gradients().empty());
  EXPECT_EQ(result.activation().ShortDebugString(), "name: \"leaky_relu\"");
}

TEST(Gradient, OfRowFunctionsIsTheProductWithTheJacobian) {
  RunningService service;
  v1::GradientRequest request;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "gradients { activation { name: 'softmax' axis: 0 } input { shape: [2, 1] double_values: [0, "
      "0] } upstream { double_values: [1, 0] } return_value: true }"
      "gradients { activation { name: 'reglu' } input { shape: [1, 4] double_values: [3, 5, 2, -1] "
      "}"
      " upstream { double_values: [1, 1] } return_value: true }",
      &request));
  v1::GradientResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Gradient(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.results(0).value().double_values(), testing::ElementsAre(0.5, 0.5));
  EXPECT_THAT(response.results(0).gradient().double_values(), testing::ElementsAre(0.25, -0.25));
  EXPECT_EQ(response.results(0).activation().ShortDebugString(), "name: \"softmax\" axis: 0");
  EXPECT_THAT(response.results(1).value().shape(), testing::ElementsAre(1, 2));
  EXPECT_THAT(response.results(1).value().double_values(), testing::ElementsAre(6, 0));
  EXPECT_THAT(response.results(1).gradient().double_values(), testing::ElementsAre(2, 0, 3, 0));
  EXPECT_EQ(response.results(1).activation().axis(), 1);
}

TEST(CompareApproximations, FindsGeluTanhsLargestGap) {
  RunningService service;
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name("gelu");
  request.add_candidates()->set_name("gelu_tanh");
  request.mutable_grid()->set_from(-10);
  request.mutable_grid()->set_to(10);
  request.mutable_grid()->set_points(20'001);
  v1::CompareApproximationsResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().CompareApproximations(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.reference().name(), "gelu");
  EXPECT_EQ(response.reports(0).points(), 20'001);
  EXPECT_NEAR(response.reports(0).max_absolute_error().error(), 4.73236e-4, 1e-8);
}

TEST(ListActivations, TellsTheWholeCatalogue) {
  RunningService service;
  v1::ListActivationsResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(service.stub().ListActivations(&context, {}, &response).ok());
  const auto catalogue = engine::Catalogue();
  const auto rows = engine::RowCatalogue();
  ASSERT_EQ(response.activations_size(), static_cast<int>(catalogue.size() + rows.size()));
  for (int i = 0; i < response.activations_size(); ++i) {
    const v1::ActivationInfo& info = response.activations(i);
    EXPECT_FALSE(info.formula().empty()) << info.name();
    EXPECT_FALSE(info.derivative().empty()) << info.name();
    EXPECT_FALSE(info.description().empty()) << info.name();
    const auto place = static_cast<size_t>(i);
    if (place >= catalogue.size()) {
      const engine::RowSpec& row = *rows[place - catalogue.size()];
      EXPECT_EQ(info.name(), row.name);
      EXPECT_EQ(info.kind(), row.halves ? v1::ACTIVATION_KIND_GATED_ROW : v1::ACTIVATION_KIND_ROW);
      continue;
    }
    EXPECT_EQ(info.name(), catalogue[place]->name);
    EXPECT_EQ(info.kind(), v1::ACTIVATION_KIND_ELEMENTWISE);
    ASSERT_EQ(info.special_values_size(), 4) << info.name();
    if (info.name() == "hardtanh") {
      EXPECT_EQ(info.parameters(0).at_most(), "max_val");
    }
    if (info.name() == "leaky_relu") {
      ASSERT_EQ(info.alias_defaults_size(), 3);
      EXPECT_EQ(info.alias_defaults(0).alias(), "keras:leaky_relu");
      EXPECT_EQ(info.alias_defaults(0).parameters().at("negative_slope"), 0.2);
    }
    if (info.name() != "gelu") continue;
    EXPECT_EQ(info.special_values(0).x(), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::signbit(info.special_values(0).value()));
    EXPECT_EQ(info.special_values(0).value(), 0);
    EXPECT_TRUE(std::signbit(info.special_values(1).x()));
    EXPECT_EQ(info.special_values(2).derivative(), 0.5);
  }
}

TEST(GetServerInfo, TellsVersionInstructionSetAndLimits) {
  RunningService service({.max_batch_items = 7}, 3);
  v1::GetServerInfoResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(service.stub().GetServerInfo(&context, {}, &response).ok());
  EXPECT_FALSE(response.version().empty());
  EXPECT_EQ(response.simd_target(), engine::SimdTarget());
  EXPECT_EQ(response.threads(), 3);
  EXPECT_EQ(response.limits().max_batch_items(), 7);
  EXPECT_EQ(response.limits().max_message_bytes(), int64_t{64} << 20);
  EXPECT_EQ(response.data_types_size(), 4);
}

}  // namespace
}  // namespace activation::server
