// Which requests become plans, and what is said of those that do not.
#include "server/plan.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/unit/requests.h"

namespace activation::server {
namespace {

using testing::HasSubstr;

constexpr Limits kSmallLimits = {.max_message_bytes = 1'000, .max_batch_items = 3};

// Of a request that is sent as bytes. The buffer is kept, since the plan points into it.
struct Planner {
  grpc::ByteBuffer buffer;

  template <typename Request>
  absl::StatusOr<Plan> Make(const Request& request, const RequestKind& kind,
                            const std::shared_ptr<const Activation>& inherited = nullptr) {
    buffer = InSlices(request.SerializeAsString(), 10);
    auto raw =
        ReadRequest(buffer, kind.is_stream ? Cardinality::kSingle : Cardinality::kBatch, 1'000);
    EXPECT_TRUE(raw.has_value());
    return MakePlan(*std::move(raw), kind, kSmallLimits, inherited);
  }
};

template <typename Request>
absl::Status PlanStatus(const char* text, const RequestKind& kind) {
  return Planner().Make(Parse<Request>(text), kind).status();
}

struct Refused {
  const char* what;
  const char* request;
  absl::StatusCode code;
  const char* message;
};
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kNotFound = absl::StatusCode::kNotFound;

void ExpectRefused(const Refused& refused, const absl::Status& status) {
  EXPECT_EQ(status.code(), refused.code) << refused.what << ": " << status;
  EXPECT_THAT(status.ToString(), HasSubstr(refused.message)) << refused.what;
}

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
  engine::DataType type;
  Encoding encoding;
};

TEST(MakePlan, AcceptsEveryEncodingAndTensorsWithoutElements) {
  using engine::DataType;
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
              static_cast<size_t>(accepted.count) * engine::SizeOf(accepted.type))
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
    EXPECT_THAT(status.ToString(), HasSubstr(c.message)) << c.request;
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
