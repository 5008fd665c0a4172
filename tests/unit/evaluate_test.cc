// That a plan's results are the engine's, wherever the elements lie and however the work is cut.
#include "server/evaluate/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "tests/unit/answers.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

TEST(Evaluate, GivesTheEnginesBitsForEveryTypeAndWayThatSlicesFall) {
  engine::Function function = engine::WithDefaults(*engine::Find("elu"));
  function.parameters[0] = 1.5;
  for (const DataType input_type : kDataTypes) {
    for (const DataType output_type : kDataTypes) {
      const std::string x = PackedRamp(input_type, 1'000);
      const std::string g(x.rbegin(), x.rend());
      v1::GradientRequest request;
      v1::GradientEvaluation& item = *request.add_gradients();
      item.mutable_activation()->set_name("elu");
      (*item.mutable_activation()->mutable_parameters())["alpha"] = 1.5;
      SetData(*item.mutable_input(), input_type, x);
      SetData(*item.mutable_upstream(), input_type, g);
      item.set_output_type(static_cast<v1::DataType>(NumberOf(output_type)));
      item.set_return_value(true);
      const std::string gradient =
          RunEngine({function, engine::Quantity::kDerivative, input_type, output_type}, x, &g);
      const std::string value =
          RunEngine({function, engine::Quantity::kValue, input_type, output_type}, x, nullptr);
      for (const size_t slice_size : {1, 3, 24, 100, 1'001, 100'000}) {
        const v1::GradientResponse response = Answer(request, slice_size, Forwards);
        EXPECT_EQ(response.results(0).gradient().data(), gradient) << slice_size;
        EXPECT_EQ(response.results(0).value().data(), value) << slice_size;
      }
    }
  }
}

TEST(Evaluate, DoesNotDependOnTheOrderOfBlocks) {
  const size_t count = 3 * kElementsPerBlock + 17;
  v1::GradientRequest request;
  for (int i = 0; i < 2; ++i) {
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_name("gelu_sigma");
    SetData(*item.mutable_input(), DataType::kFloat32,
            PackedRamp(DataType::kFloat32, count - static_cast<size_t>(i)));
    item.set_return_value(true);
    item.set_return_parameter_gradients(true);
  }
  const v1::GradientResponse forwards = Answer(request, 65'536, Forwards);
  const v1::GradientResponse backwards = Answer(request, 9'999, Backwards);
  EXPECT_EQ(forwards.ShortDebugString(), backwards.ShortDebugString());
  EXPECT_NE(forwards.results(0).parameter_gradients().at("sigma"), 0);
}

TEST(Evaluate, AnswersTypedValuesWithTypedValuesRoundedOnce) {
  v1::GradientRequest request = Parse<v1::GradientRequest>(
      "gradients { activation { name: 'relu' } return_value: true"
      "  input { data_type: DATA_TYPE_FLOAT16 float_values: [1.0009765, 1.00048828125, -1, 65520] "
      "} }"
      "gradients { activation { name: 'relu' } return_value: true output_type: DATA_TYPE_FLOAT64"
      "  input { shape: [1, 2] float_values: [0.1, 2] } }"
      "gradients { activation { name: 'relu' } return_value: true output_type: DATA_TYPE_BFLOAT16"
      "  input { double_values: [1.00390625, 3] } }");
  const v1::GradientResponse response = Answer(request, 7, Forwards);
  const float infinity = HUGE_VALF;
  EXPECT_EQ(std::vector<float>(response.results(0).value().float_values().begin(),
                               response.results(0).value().float_values().end()),
            (std::vector<float>{1.0009765625f, 1, 0, infinity}));
  EXPECT_EQ(response.results(0).value().data_type(), v1::DATA_TYPE_FLOAT16);
  EXPECT_EQ(std::vector<double>(response.results(1).value().double_values().begin(),
                                response.results(1).value().double_values().end()),
            (std::vector<double>{double{0.1f}, 2}));
  EXPECT_EQ(response.results(1).value().shape_size(), 2);
  EXPECT_EQ(std::vector<float>(response.results(2).value().float_values().begin(),
                               response.results(2).value().float_values().end()),
            (std::vector<float>{1, 3}));
}

TEST(Evaluate, AddsParameterGradientsUpOverElementsTimesUpstream) {
  // d elu/d alpha = e^x - 1 for x < 0.
  const v1::GradientRequest request = Parse<v1::GradientRequest>(
      "gradients { activation { name: 'elu' } return_parameter_gradients: true"
      "  input { double_values: [-1, -2, 5] } upstream { double_values: [2, 3, 7] } }"
      "gradients { activation { name: 'elu' } return_parameter_gradients: true"
      "  input { data_type: DATA_TYPE_FLOAT32 } }"
      "gradients { activation { name: 'elu' } input { double_values: -1 } }");
  const v1::GradientResponse response = Answer(request, 5, Forwards);
  EXPECT_DOUBLE_EQ(response.results(0).parameter_gradients().at("alpha"),
                   2 * std::expm1(-1.0) + 3 * std::expm1(-2.0));
  EXPECT_EQ(response.results(1).parameter_gradients().at("alpha"), 0);
  EXPECT_TRUE(response.results(2).parameter_gradients().empty());
}

TEST(Evaluate, CarriesAStreamsSumsUntilTheFunctionChanges) {
  const auto chunk = [](double alpha, double x) {
    v1::GradientRequest request;
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_name("elu");
    (*item.mutable_activation()->mutable_parameters())["alpha"] = alpha;
    item.mutable_input()->add_double_values(x);
    item.set_return_parameter_gradients(true);
    return request;
  };
  std::optional<StreamSums> sums;
  const auto total = [&](double alpha, double x) {
    const v1::GradientResponse response = Answer(chunk(alpha, x), 100, Forwards, &sums);
    return response.results(0).parameter_gradients().at("alpha");
  };
  EXPECT_DOUBLE_EQ(total(1, -1), std::expm1(-1.0));
  EXPECT_DOUBLE_EQ(total(1, -2), std::expm1(-1.0) + std::expm1(-2.0));
  EXPECT_DOUBLE_EQ(total(2, -3), std::expm1(-3.0));
}

TEST(Evaluate, StopsBetweenBlocksWhenCancelled) {
  v1::GradientRequest request;
  v1::GradientEvaluation& item = *request.add_gradients();
  item.mutable_activation()->set_name("relu");
  item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT16);
  item.mutable_input()->set_data(std::string(size_t{20} * kElementsPerBlock, '\0'));
  const grpc::ByteBuffer buffer = InSlices(request.SerializeAsString(), 65'536);
  const auto plan =
      MakePlan(*ReadRequest(buffer, Cardinality::kBatch, 1), kGradient, Limits(), nullptr);
  ASSERT_TRUE(plan.ok());
  const Reply reply = MakeReply(plan->reply);
  std::atomic<bool> cancelled = false;
  const auto cancel_on_the_way = [&](size_t count, BlockRunner run) {
    EXPECT_EQ(count, 10u);
    for (size_t i = 0; i < count; ++i) {
      cancelled = i >= 3;
      run(i);
    }
  };
  EXPECT_EQ(Evaluate(*plan, reply.destinations, cancelled, cancel_on_the_way, nullptr).code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace activation::server
