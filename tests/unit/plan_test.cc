// Which requests become plans, and what is said of those that do not.
#include "server/evaluate/plan.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "proto/element_type.h"
#include "tests/unit/planner.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

constexpr Refused kRefusedEvaluations[] = {
    {"an empty batch", "", kInvalid, "evaluations is empty; give at least one item"},
    {"too many items", "evaluations {} evaluations {} evaluations {} evaluations {}", kInvalid,
     "evaluations has more than 3 items"},
    {"no activation", "evaluations { input { float_values: 1 } }", kInvalid,
     "evaluations[0].activation is required"},
    {"no name", "evaluations { activation {} input { float_values: 1 } }", kInvalid,
     "evaluations[0].activation.name is required"},
    {"an unknown activation",
     "evaluations { activation { name: 'relu' } input { float_values: 1 } }"
     "evaluations { activation { name: 'gleu' } input { float_values: 1 } }",
     kNotFound,
     "evaluations[1].activation.name: there is no activation \"gleu\". Near names: gelu"},
    {"a name in capitals", "evaluations { activation { name: 'GELU' } }", kNotFound, "\"GELU\""},
    {"no input", "evaluations { activation { name: 'gelu' } }", kInvalid,
     "evaluations[0].input is required"},
    {"an unknown parameter",
     "evaluations { activation { name: 'elu' parameters { key: 'beta' value: 1 } } input {} }",
     kInvalid,
     "evaluations[0].activation.parameters[\"beta\"]: elu has no such parameter; it has alpha"},
    {"a parameter of one that has none",
     "evaluations { activation { name: 'relu' parameters { key: 'a' value: 1 } } input {} }",
     kInvalid, "relu has no parameters"},
    {"a parameter that is NaN",
     "evaluations { activation { name: 'elu' parameters { key: 'alpha' value: nan } } input {} }",
     kInvalid,
     "evaluations[0].activation.parameters[\"alpha\"] is nan; allowed is a finite number from"},
    {"an infinite parameter",
     "evaluations { activation { name: 'elu' parameters { key: 'alpha' value: -inf } } input {} }",
     kInvalid, "parameters[\"alpha\"] is -inf; allowed is a finite number from"},
    {"a parameter of 0 that divides",
     "evaluations { activation { name: 'softplus' parameters { key: 'beta' value: 0 } } input {} }",
     kInvalid, "parameters[\"beta\"] is 0; allowed is a finite number from"},
    {"a range without numbers",
     "evaluations { activation { name: 'hardtanh' parameters { key: 'min_val' value: 2 } } input "
     "{} "
     "}",
     kInvalid,
     "evaluations[0].activation.parameters[\"min_val\"] is 2; allowed is at most max_val, which is "
     "1"},
    {"data without a type", "evaluations { activation { name: 'gelu' } input { data: '1234' } }",
     kInvalid,
     "evaluations[0].input.data_type is required; it is one of FLOAT32, FLOAT64, FLOAT16 and"},
    {"an unknown type",
     "evaluations { activation { name: 'gelu' } input { data_type: 9 data: '1234' } }", kInvalid,
     "evaluations[0].input.data_type: there is no data type 9; supported are FLOAT32"},
    {"an unknown output type",
     "evaluations { activation { name: 'gelu' } input { float_values: 1 } output_type: 7 }",
     kInvalid, "evaluations[0].output_type: there is no data type 7; supported are FLOAT32"},
    {"two encodings",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT32 float_values: 1 data: '1234' } }",
     kInvalid, "evaluations[0].input: give elements in only one of"},
    {"float_values of FLOAT64",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT64 float_values: 1 } }",
     kInvalid, "evaluations[0].input.float_values do not go with FLOAT64; use double_values"},
    {"double_values of BFLOAT16",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_BFLOAT16 double_values: 1 } }",
     kInvalid, "evaluations[0].input.double_values do not go with BFLOAT16; use float_values"},
    {"part of an element",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT32 data: '12345' } }",
     kInvalid, "evaluations[0].input.data has 5 bytes, which is not a multiple of 4"},
    {"fewer bytes than the shape",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT32 shape: [1, 2] data: '1234' } }",
     kInvalid,
     "evaluations[0].input.data has 4 bytes, but its shape has 2 elements of 4 bytes each"},
    {"some bytes more than the shape",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT32 shape: 1 data: '12345' } }",
     kInvalid, "data has 5 bytes, but its shape has 1 elements of 4 bytes each"},
    {"fewer values than the shape",
     "evaluations { activation { name: 'gelu' } input { shape: [2, 2] float_values: [1, 2, 3] } }",
     kInvalid, "evaluations[0].input has 3 values, but its shape has 4 elements"},
    {"values for a shape without elements",
     "evaluations { activation { name: 'gelu' } input { shape: [2, 0] float_values: 1 } }",
     kInvalid, "has 1 values, but its shape has 0 elements"},
    {"a negative extent",
     "evaluations { activation { name: 'gelu' } input { shape: [1, -1] float_values: 1 } }",
     kInvalid, "evaluations[0].input.shape[1] is -1; an extent is 0 or more"},
    {"extents whose product overflows",
     "evaluations { activation { name: 'gelu' }"
     " input { shape: [4294967296, 4294967296] float_values: 1 } }",
     kInvalid, "evaluations[0].input.shape: its extents' product is beyond 2^63 - 1"},
    {"extents whose product is 2^63, which wraps to a negative number",
     "evaluations { activation { name: 'gelu' }"
     " input { data_type: DATA_TYPE_FLOAT32 shape: [2, 2, 1, 2305843009213693952] } }",
     kInvalid, "evaluations[0].input.shape: its extents' product is beyond 2^63 - 1"},
    {"extents whose product overflows to the right number",
     "evaluations { activation { name: 'gelu' }"
     " input { shape: [9223372036854775807, 9223372036854775807] float_values: 1 } }",
     kInvalid, "is beyond 2^63 - 1"},
    {"too many extents",
     "evaluations { activation { name: 'gelu' }"
     " input { shape: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] float_values: 1 } }",
     kInvalid, "evaluations[0].input.shape has 17 extents; at most 16 are allowed"},
};

TEST(MakePlan, RefusesEvaluationsWithTheFieldAndWhatWouldBeRight) {
  for (const Refused& refused : kRefusedEvaluations) {
    ExpectRefused(refused, PlanStatus<v1::EvaluateRequest>(refused.request, kEvaluate));
  }
}

constexpr Refused kRefusedGradients[] = {
    {"an empty batch", "", kInvalid, "gradients is empty"},
    {"an upstream without a type",
     "gradients { activation { name: 'gelu' } input { float_values: 1 } upstream { data: '1234' } "
     "}",
     kInvalid, "gradients[0].upstream.data_type is required"},
    {"an upstream of another type",
     "gradients { activation { name: 'gelu' } input { float_values: 1 }"
     " upstream { double_values: 1 } }",
     kInvalid, "gradients[0].upstream.data_type is FLOAT64, but input is FLOAT32"},
    {"an upstream of another length",
     "gradients { activation { name: 'gelu' } input { float_values: 1 }"
     " upstream { float_values: [1, 2] } }",
     kInvalid, "gradients[0].upstream has 2 elements, but input has 1"},
    {"an upstream that does not fit its shape",
     "gradients { activation { name: 'gelu' } input { float_values: 1 }"
     " upstream { data_type: DATA_TYPE_FLOAT32 shape: 1 data: '12' } }",
     kInvalid, "gradients[0].upstream.data has 2 bytes, but its shape has 1"},
};

TEST(MakePlan, RefusesGradientsWithTheFieldAndWhatWouldBeRight) {
  for (const Refused& refused : kRefusedGradients) {
    ExpectRefused(refused, PlanStatus<v1::GradientRequest>(refused.request, kGradient));
  }
}

TEST(MakePlan, NamesFieldsOfAStreamWithoutIndex) {
  ExpectRefused({"no chunk", "", kInvalid, "evaluation is required"},
                PlanStatus<v1::EvaluateStreamRequest>("", kEvaluateStream));
  ExpectRefused({"nothing to inherit", "", kInvalid, "gradient.activation is required"},
                PlanStatus<v1::GradientStreamRequest>("gradient {}", kGradientStream));
}

TEST(MakePlan, RefusesAReplyAboveTheLimitBeforeItIsComputed) {
  v1::EvaluateRequest request;
  v1::Evaluation& item = *request.add_evaluations();
  item.mutable_activation()->set_name("gelu");
  item.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT16);
  item.mutable_input()->set_data(std::string(300, '\0'));
  EXPECT_TRUE(Planner().Make(request, kEvaluate).ok());
  item.set_output_type(v1::DATA_TYPE_FLOAT64);  // 1,200 bytes
  ExpectRefused({"", "", kInvalid, "but the limit is 1000"},
                Planner().Make(request, kEvaluate).status());
}

TEST(MakePlan, RefusesMoreThanSixteenParameters) {
  v1::EvaluateRequest request;
  v1::Activation& activation = *request.add_evaluations()->mutable_activation();
  activation.set_name("elu");
  for (int i = 0; i < 17; ++i) (*activation.mutable_parameters())[std::to_string(i)] = 1;
  ExpectRefused({"", "", kInvalid, "evaluations[0].activation.parameters has more than 16 entries"},
                Planner().Make(request, kEvaluate).status());
}

TEST(MakePlan, TakesAliasesAndParametersExactlyAsSent) {
  Planner planner;
  const auto plan = planner.Make(
      Parse<v1::EvaluateRequest>(
          "evaluations { activation { name: 'swish' parameters { key: 'beta' value: 0.1 } }"
          " input { double_values: 2 } }"),
      kEvaluate);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_STREQ(plan->reply[0].activation.name(), "silu");
  EXPECT_EQ(plan->reply[0].activation.function.parameters[0], 0.1);
}

TEST(MakePlan, TakesAnAliasWithItsOwnDefaults) {
  Planner planner;
  const auto plan = planner.Make(
      Parse<v1::EvaluateRequest>(
          "evaluations { activation { name: 'onnx:selu' parameters { key: 'alpha' value: 2 } }"
          " input { float_values: 2 } }"
          "evaluations { activation { name: 'keras:LeakyReLU' } input { float_values: 2 } }"),
      kEvaluate);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->reply[0].activation.function.parameters[0], 2);
  EXPECT_EQ(plan->reply[0].activation.function.parameters[1], 1.05070102214813232421875);
  EXPECT_STREQ(plan->reply[1].activation.name(), "leaky_relu");
  EXPECT_EQ(plan->reply[1].activation.function.parameters[0], 0.3);
}

TEST(MakePlan, AllowsBoundsThatMeetAndBoundsThatMoveTogether) {
  for (const char* parameters : {"parameters { key: 'min_val' value: 1 }",
                                 "parameters { key: 'min_val' value: 2 }"
                                 "parameters { key: 'max_val' value: 3 }"}) {
    const std::string request = absl::StrCat("evaluations { activation { name: 'clip' ", parameters,
                                             "} input { float_values: 2 } }");
    EXPECT_TRUE(PlanStatus<v1::EvaluateRequest>(request.c_str(), kEvaluate).ok()) << parameters;
  }
}

struct Accepted {
  const char* what;
  const char* input;
  int64_t count;
  DataType type;
  Encoding encoding;
};

TEST(MakePlan, AcceptsEveryEncodingAndTensorsWithoutElements) {
  const Accepted cases[] = {
      {"float_values tell the type", "float_values: [1, 2]", 2, DataType::kFloat32,
       Encoding::kValues},
      {"double_values tell the type", "double_values: 1", 1, DataType::kFloat64, Encoding::kValues},
      {"float_values of FLOAT16", "data_type: DATA_TYPE_FLOAT16 float_values: 1", 1,
       DataType::kFloat16, Encoding::kValues},
      {"data", "data_type: DATA_TYPE_BFLOAT16 data: '1234'", 2, DataType::kBFloat16,
       Encoding::kBytes},
      {"nothing, flat", "data_type: DATA_TYPE_FLOAT32", 0, DataType::kFloat32, Encoding::kBytes},
      {"nothing, with a 0 beside extents that overflow",
       "data_type: DATA_TYPE_FLOAT64 shape: [4294967296, 4294967296, 0]", 0, DataType::kFloat64,
       Encoding::kBytes},
      {"sixteen extents", "shape: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] float_values: 1", 1,
       DataType::kFloat32, Encoding::kValues},
  };
  for (const Accepted& accepted : cases) {
    v1::EvaluateRequest request;
    request.add_evaluations()->mutable_activation()->set_name("gelu");
    *request.mutable_evaluations(0)->mutable_input() = Parse<v1::Tensor>(accepted.input);
    Planner planner;
    const auto plan = planner.Make(request, kEvaluate);
    ASSERT_TRUE(plan.ok()) << accepted.what << ": " << plan.status();
    EXPECT_EQ(plan->items[0].input.count, accepted.count) << accepted.what;
    EXPECT_EQ(plan->items[0].input.type, accepted.type) << accepted.what;
    EXPECT_EQ(plan->reply[0].result.encoding, accepted.encoding) << accepted.what;
    EXPECT_EQ(plan->reply[0].result.type, accepted.type) << accepted.what;
    EXPECT_EQ(SizeOf(plan->items[0].input.pieces),
              static_cast<size_t>(accepted.count) * SizeOf(accepted.type))
        << accepted.what;
  }
}

TEST(MakePlan, LetsAChunkInheritTheActivationBeforeIt) {
  Activation before = {.function = engine::WithDefaults(*engine::Find("elu"))};
  before.function.parameters[0] = 3;
  Planner planner;
  const auto plan =
      planner.Make(Parse<v1::EvaluateStreamRequest>("evaluation { input { float_values: 1 } }"),
                   kEvaluateStream, std::make_shared<const Activation>(before));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->reply[0].activation.function.spec, before.function.spec);
  EXPECT_EQ(plan->reply[0].activation.function.parameters[0], 3);
}

}  // namespace
}  // namespace activation::server
