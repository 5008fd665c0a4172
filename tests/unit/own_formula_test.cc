// Formulas in place of names: what is refused, and that results are the formula's.
#include "server/evaluate/own_formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "proto/element_type.h"
#include "server/compare/plan.h"
#include "tests/unit/answers.h"
#include "tests/unit/planner.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

TEST(OwnFormula, RefusesWithTheFieldAndWhatWouldBeRight) {
  const std::string long_formula =
      "activation { formula: 'x" + std::string(2'000, ' ') + "' } input {}";
  const Refused cases[] = {
      {"unknown name", "activation { formula: 'x + y' } input {}", kInvalid,
       "gradients[0].activation.formula: column 5: 'y' is neither x, a parameter (given: none)"},
      {"too long", long_formula.c_str(), kInvalid,
       "gradients[0].activation.formula has more than 1000 bytes, which is the limit"},
      {"unused", "activation { formula: 'x' parameters { key: 'a' value: 1 } } input {}", kInvalid,
       "gradients[0].activation.parameters[\"a\"] is not used in the formula"},
      {"nan", "activation { formula: 'a*x' parameters { key: 'a' value: nan } } input {}", kInvalid,
       "gradients[0].activation.parameters[\"a\"] is nan; it has to be finite"},
      {"both", "activation { name: 'gelu' formula: 'x' } input {}", kInvalid,
       "gradients[0].activation has both name and formula; give one of them"},
      {"axis", "activation { formula: 'x' axis: 0 } input {}", kInvalid,
       "gradients[0].activation.axis: a formula is elementwise and has no axis"},
      {"tensor", "activation { formula: 'a*x' parameter_tensors { key: 'a' value {} } } input {}",
       kInvalid,
       "gradients[0].activation.parameter_tensors[\"a\"]: a formula takes parameters that are"},
      {"bias", "activation { formula: 'x' } input { float_values: 1 } bias { values {} }", kInvalid,
       "gradients[0].bias: a formula takes no bias"},
      {"parameter gradients",
       "activation { formula: 'x' } input { float_values: 1 } return_parameter_gradients: true",
       kUnimplemented,
       "gradients[0].return_parameter_gradients: a formula has no parameter gradients"},
  };
  for (const Refused& refused : cases) {
    const std::string request = "gradients { " + std::string(refused.request) + " }";
    ExpectRefused(refused, PlanStatus<v1::GradientRequest>(request.c_str(), kGradient));
  }
  v1::CompareApproximationsRequest comparison;
  comparison.mutable_reference()->set_formula("x");
  EXPECT_EQ(MakeComparePlan("", comparison, Limits()).status().code(), kUnimplemented);
}

TEST(OwnFormula, MayBeLongOnlyInSmallBatches) {
  v1::EvaluateRequest request;
  for (int i = 0; i < 66; ++i) {
    v1::Evaluation& evaluation = *request.add_evaluations();
    evaluation.mutable_activation()->set_formula("x" + std::string(999, ' '));
    evaluation.mutable_input()->add_float_values(1);
    const grpc::ByteBuffer buffer = InSlices(request.SerializeAsString(), 1'000);
    auto raw = ReadRequest(buffer, Cardinality::kBatch, 1'000);
    ASSERT_TRUE(raw.has_value());
    const absl::Status status = MakePlan(*std::move(raw), kEvaluate, Limits(), nullptr).status();
    if (i < 65) {
      EXPECT_TRUE(status.ok()) << i << status;
    } else {
      ExpectRefused(
          {"many", "", kInvalid, "evaluations has formulas of more than 65536 bytes in all"},
          status);
    }
  }
}

TEST(OwnFormula, GivesValueAndDerivativeAndEchoesTheFormula) {
  const auto request = Parse<v1::GradientRequest>(R"(gradients {
    activation { formula: 'x*tanh(a*x)' parameters { key: 'a' value: 2 } }
    input { double_values: [-1.5, 0, 3] }
    upstream { double_values: [1, 2, 0.1] }
    return_value: true })");
  const auto response = Answer(request, 7, Forwards);
  const v1::GradientResult& result = response.results(0);
  EXPECT_EQ(result.activation().formula(), "x*tanh(a*x)");
  EXPECT_EQ(result.activation().name(), "");
  EXPECT_EQ(result.activation().parameters().at("a"), 2);
  EXPECT_EQ(result.parameter_gradients_size(), 0);
  for (int i = 0; i < 3; ++i) {
    const double x = request.gradients(0).input().double_values(i);
    const double upstream = request.gradients(0).upstream().double_values(i);
    const double t = std::tanh(2 * x);
    EXPECT_DOUBLE_EQ(result.value().double_values(i), x * t);
    EXPECT_NEAR(result.gradient().double_values(i), upstream * (t + 2 * x * (1 - t * t)), 1e-15);
  }
}

// More elements than are float64 at a time, in blocks in any order.
TEST(OwnFormula, RoundsToTheOutputTypeWhereverElementsLie) {
  constexpr size_t kCount = 40'000;
  for (const auto order : {Forwards, Backwards}) {
    v1::GradientRequest request;
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_formula("0.1*x^3");
    const std::string x = PackedRamp(DataType::kFloat32, kCount);
    SetData(*item.mutable_input(), DataType::kFloat32, x);
    item.set_output_type(v1::DATA_TYPE_FLOAT16);
    item.set_return_value(true);
    const auto response = Answer(request, 50'000, order);
    const std::string& y = response.results(0).value().data();
    ASSERT_EQ(y.size(), 2 * kCount);
    for (size_t i = 0; i < kCount; ++i) {
      float from = 0;
      uint16_t to = 0;
      std::memcpy(&from, x.data() + 4 * i, 4);
      std::memcpy(&to, y.data() + 2 * i, 2);
      const volatile double square = static_cast<double>(from) * from;
      const volatile double cube = square * from;
      ASSERT_EQ(to, ToBits(DataType::kFloat16, 0.1 * cube)) << from;
    }
  }
}

TEST(OwnFormula, IsInheritedInAStream) {
  Planner first;
  const auto plan =
      first.Make(Parse<v1::EvaluateStreamRequest>(
                     "evaluation { activation { formula: 'x' } input { float_values: [1, 2] } }"),
                 kEvaluateStream);
  ASSERT_TRUE(plan.ok()) << plan.status();
  Planner second;
  const auto next =
      second.Make(Parse<v1::EvaluateStreamRequest>("evaluation { input { float_values: 3 } }"),
                  kEvaluateStream, plan->items[0].activation);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->reply[0].activation.formula, &plan->items[0].activation->formula->spec);
}

}  // namespace
}  // namespace activation::server
