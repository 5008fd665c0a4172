// Which tensors along axes, biases and row functions become plans, and what is said of the others.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/evaluate/plan.h"
#include "tests/unit/planner.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

TEST(MakePlan, HoldsAnInheritedParameterTensorAgainstTheChunksOwnShape) {
  const Activation before = {
      .function = engine::WithDefaults(*engine::Find("elu")),
      .tensors = {{.parameter = 0, .axis = -1, .values = {1, 2}, .shape = {}}}};
  const auto inherited = std::make_shared<const Activation>(before);
  Planner planner;
  EXPECT_TRUE(planner
                  .Make(Parse<v1::EvaluateStreamRequest>(
                            "evaluation { input { shape: [1, 2] float_values: [1, 2] } }"),
                        kEvaluateStream, inherited)
                  .ok());
  ExpectRefused({"", "", kInvalid,
                 "evaluation.activation.parameter_tensors[\"alpha\"].values has 2 values, but axis "
                 "1 of the input has extent 1; they have to be as many"},
                planner
                    .Make(Parse<v1::EvaluateStreamRequest>(
                              "evaluation { input { shape: [2, 1] float_values: [1, 2] } }"),
                          kEvaluateStream, inherited)
                    .status());
}

// One item of a gradient batch, all of whose input has shape [2, 3].
constexpr const char* kInput = " input { shape: [2, 3] float_values: [1, 2, 3, 4, 5, 6] }";
std::string Elu(const std::string& tensor) {
  return "gradients { activation { name: 'elu' parameter_tensors { key: 'alpha' value { " + tensor +
         " } } }" + kInput + " }";
}
std::string Biased(const std::string& bias) {
  return std::string("gradients { activation { name: 'elu' } bias { ") + bias + " }" + kInput +
         " }";
}
std::string Row(const std::string& name, const std::string& rest) {
  return "gradients { activation { name: '" + name + "' " + rest + kInput + " }";
}

TEST(MakePlan, RefusesTensorsAndAxesWithTheFieldAndWhatWouldBeRight) {
  const struct {
    std::string request;
    const char* message;
  } cases[] = {
      {Elu(""), "gradients[0].activation.parameter_tensors[\"alpha\"].values is required"},
      {Elu("values { float_values: [1, 2, 3] } axis: 2"),
       "parameter_tensors[\"alpha\"].axis is 2; the input has 2 axes, so allowed are -2 to 1"},
      {Elu("values { float_values: [1, 2, 3] } axis: -2147483648"),
       "parameter_tensors[\"alpha\"].axis is -2147483648; the input has 2 axes"},
      {Elu("values { float_values: [1, 2] }"),
       "parameter_tensors[\"alpha\"].values has 2 values, but axis 1 of the input has extent 3"},
      {Elu("values { float_values: [1, 2, 3] } axis: 0"),
       "parameter_tensors[\"alpha\"].values has 3 values, but axis 0 of the input has extent 2"},
      {Elu("values { shape: [1, 3] float_values: [1, 2, 3] }"),
       "parameter_tensors[\"alpha\"].values.shape has 2 extents; one value for each index"},
      {Elu("values { float_values: [1, nan, 3] }"),
       "parameter_tensors[\"alpha\"].values[1] is nan; allowed is a finite number from"},
      {Elu("values { data: '1234' }"), "parameter_tensors[\"alpha\"].values.data_type is required"},
      {"gradients { activation { name: 'elu' parameters { key: 'alpha' value: 1 }"
       " parameter_tensors { key: 'alpha' value {} } } }",
       "parameter_tensors[\"alpha\"] stands in parameters, too; give either a number or a tensor"},
      {"gradients { activation { name: 'elu' parameter_tensors { key: 'beta' value {} } } }",
       "parameter_tensors[\"beta\"]: elu has no such parameter; it has alpha"},
      {"gradients { activation { name: 'softplus' parameter_tensors { key: 'beta' value {"
       " values { double_values: [1, 0] } } } } input { float_values: [1, 2] } }",
       "parameter_tensors[\"beta\"].values[1] is 0; allowed is a finite number from"},
      {"gradients { activation { name: 'hardtanh' parameter_tensors { key: 'min_val' value {"
       " values { double_values: [0, 2] } } } } input { float_values: [1, 2] } }",
       "parameter_tensors[\"min_val\"] is 2; allowed is at most max_val, which is 1"},
      {"gradients { activation { name: 'hardtanh' parameter_tensors { key: 'max_val' value {"
       " values { double_values: [3, -2] } } } } input { float_values: [1, 2] } }",
       "parameters[\"min_val\"] is -1; allowed is at most max_val, which is -2"},
      {"gradients { activation { name: 'elu' axis: 0 } input { float_values: 1 } }",
       "gradients[0].activation.axis: elu is elementwise and has no axis; leave it out"},
      {Biased(""), "gradients[0].bias.values is required"},
      {Biased("values { double_values: [1, 2, 3] }"),
       "gradients[0].bias.values.data_type is FLOAT64, but input is FLOAT32; they have to be"},
      {Biased("values { float_values: [1, 2] }"),
       "gradients[0].bias.values has 2 values, but axis 1 of the input has extent 3"},
      {Biased("values { float_values: [1, 2] } axis: -3"),
       "gradients[0].bias.axis is -3; the input has 2 axes, so allowed are -2 to 1"},
      {Row("softmax", "}"), "gradients[0].upstream is required: softmax is a row function"},
      {Row("softmax", "axis: 2 }"), "gradients[0].activation.axis is 2; the input has 2 axes"},
      {Row("softmax", "parameters { key: 'a' value: 1 } }"),
       "gradients[0].activation.parameters[\"a\"]: softmax has no parameters"},
      {Row("softmax", "parameter_tensors { key: 'a' value {} } }"),
       "gradients[0].activation.parameter_tensors[\"a\"]: softmax has no parameters"},
      {Row("softmax", "} bias { values { float_values: [1, 2, 3] } }"),
       "gradients[0].bias: softmax is a row function, which takes no bias"},
      {Row("softmax", "} upstream { float_values: 1 }"),
       "gradients[0].upstream has 1 elements, but input has 6"},
      {Row("glu", "}"), "gradients[0].input: axis 1 has extent 3, but glu halves it"},
      {Row("glu", "axis: -2 } upstream { float_values: [1, 2, 3, 4, 5, 6] }"),
       "gradients[0].upstream has 6 elements, but the result has 3"},
      {Row("glu", "axis: 0 } upstream { double_values: [1, 2, 3] }"),
       "gradients[0].upstream.data_type is FLOAT64, but input is FLOAT32"},
      {Row("soft_max", "}"), "Near names: softmax"},
  };
  for (const auto& c : cases) {
    const absl::Status status = PlanStatus<v1::GradientRequest>(c.request.c_str(), kGradient);
    EXPECT_THAT(status.ToString(), testing::HasSubstr(c.message)) << c.request;
  }
}

TEST(MakePlan, RefusesMoreThanSixteenParameterTensors) {
  v1::EvaluateRequest request;
  v1::Activation& activation = *request.add_evaluations()->mutable_activation();
  activation.set_name("elu");
  for (int i = 0; i < 17; ++i) (*activation.mutable_parameter_tensors())[std::to_string(i)];
  ExpectRefused({"", "", kInvalid, "activation.parameter_tensors has more than 16 entries"},
                Planner().Make(request, kEvaluate).status());
}

struct Laid {
  const char* input;
  const char* axes;  // of parameter tensor and bias
  size_t tensor_inner;
  size_t bias_inner;
};

TEST(MakePlan, LaysParametersAlongAxis1AndBiasesAlongTheLastUnlessToldOtherwise) {
  const std::string four = "values { float_values: [1, 2, 3, 4] } ";
  const Laid cases[] = {
      {"float_values: [1, 2, 3, 4]", "", 1, 1},
      {"shape: 4 float_values: [1, 2, 3, 4]", "", 1, 1},
      {"shape: [1, 4, 1, 4] data_type: DATA_TYPE_FLOAT32 data: '"
       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'",
       "", 4, 1},
      {"shape: [4, 1, 4] data_type: DATA_TYPE_FLOAT32 data: '"
       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'",
       "axis: -3", 4, 4},
  };
  for (const Laid& laid : cases) {
    const std::string tensor = four + laid.axes;
    const auto request = Parse<v1::EvaluateRequest>(
        "evaluations { activation { name: 'elu' parameter_tensors { key: 'alpha' value { " +
        tensor + " } } } input { " + laid.input + " } bias { " + tensor + " } }");
    Planner planner;
    const auto plan = planner.Make(request, kEvaluate);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->items[0].tensors[0].inner, laid.tensor_inner) << laid.input;
    EXPECT_EQ(plan->items[0].bias->layout.inner, laid.bias_inner) << laid.input;
    EXPECT_EQ(plan->items[0].tensors[0].extent, 4u);
    EXPECT_TRUE(plan->reply[0].activation.is_tensor[0]);
  }
}

TEST(MakePlan, HalvesTheAxisOfAGatedRowFunction) {
  const struct {
    const char* input;
    const char* axis;
    Shape shape;
    int64_t count;
    int echoed;
  } cases[] = {
      {"float_values: [1, 2]", "", {}, 1, 0},
      {"shape: [2, 4] float_values: [1, 2, 3, 4, 5, 6, 7, 8]", "", {2, 2}, 4, 1},
      {"shape: [2, 4] float_values: [1, 2, 3, 4, 5, 6, 7, 8]", "axis: 0", {1, 4}, 4, 0},
      {"shape: [2, 0] data_type: DATA_TYPE_FLOAT32", "", {2, 0}, 0, 1},
      {"shape: [0, 9223372036854775806, 4] data_type: DATA_TYPE_FLOAT32",
       "axis: 1",
       {0, 4611686018427387903, 4},
       0,
       1},
  };
  for (const auto& c : cases) {
    Planner planner;
    const auto plan = planner.Make(
        Parse<v1::EvaluateRequest>(std::string("evaluations { activation { name: 'glu' ") + c.axis +
                                   " } input { " + c.input + " } }"),
        kEvaluate);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->reply[0].result.shape, c.shape) << c.input;
    EXPECT_EQ(plan->reply[0].result.count, c.count) << c.input;
    EXPECT_EQ(plan->reply[0].activation.axis, c.echoed) << c.input;
  }
}

}  // namespace
}  // namespace activation::server
