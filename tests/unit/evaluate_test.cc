// That a plan's results are the engine's, wherever the elements lie and however the work is cut.
#include "server/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/tensor_codec.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

// The orders in which blocks may run.
void Forwards(size_t count, BlockRunner run) {
  for (size_t i = 0; i < count; ++i) run(i);
}
void Backwards(size_t count, BlockRunner run) {
  for (size_t i = count; i > 0; --i) run(i - 1);
}

const std::atomic<bool> not_cancelled = false;

// The reply to a gradient request that arrives in slices of this size.
v1::GradientResponse Answer(const v1::GradientRequest& request, size_t slice_size,
                            ForEachBlock for_each, std::optional<StreamSums>* sums = nullptr) {
  const grpc::ByteBuffer buffer = InSlices(request.SerializeAsString(), slice_size);
  auto raw = ReadRequest(buffer, Cardinality::kBatch, 1'000);
  const auto plan = MakePlan(*std::move(raw), kGradient, Limits(), nullptr);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const Reply reply = MakeReply(plan->reply);
  EXPECT_TRUE(Evaluate(*plan, reply.destinations, not_cancelled, for_each, sums).ok());
  v1::GradientResponse response;
  EXPECT_TRUE(response.ParseFromString(BytesOf(reply.buffer)));
  return response;
}

// Packed elements from -3 to 3.
std::string PackedRamp(engine::DataType type, size_t count) {
  std::string data(count * engine::SizeOf(type), '\0');
  for (size_t i = 0; i < count; ++i) {
    const double x = 6.0 * static_cast<double>(i) / static_cast<double>(count) - 3;
    const float narrow = static_cast<float>(x);
    const uint16_t half =
        type == engine::DataType::kFloat16 ? DoubleToFloat16(x) : DoubleToBFloat16(x);
    const void* const element = type == engine::DataType::kFloat64 ? static_cast<const void*>(&x)
                                : type == engine::DataType::kFloat32
                                    ? &narrow
                                    : static_cast<const void*>(&half);
    std::memcpy(data.data() + i * engine::SizeOf(type), element, engine::SizeOf(type));
  }
  return data;
}

std::string RunEngine(const engine::Operation& operation, const std::string& input,
                      const std::string* upstream) {
  const size_t count = input.size() / engine::SizeOf(operation.input_type);
  std::string output(count * engine::SizeOf(operation.output_type), '\0');
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const std::byte*>(text.data());
  };
  engine::Run(operation,
              {.input = bytes(input),
               .upstream = upstream != nullptr ? bytes(*upstream) : nullptr,
               .output = reinterpret_cast<std::byte*>(output.data())},
              count);
  return output;
}

void SetData(v1::Tensor& tensor, engine::DataType type, const std::string& data) {
  tensor.set_data_type(static_cast<v1::DataType>(NumberOf(type)));
  tensor.set_data(data);
}

TEST(Evaluate, GivesTheEnginesBitsForEveryTypeAndWayThatSlicesFall) {
  constexpr engine::DataType kTypes[] = {engine::DataType::kFloat32, engine::DataType::kFloat64,
                                         engine::DataType::kFloat16, engine::DataType::kBFloat16};
  engine::Function function = engine::WithDefaults(*engine::Find("elu"));
  function.parameters[0] = 1.5;
  for (const engine::DataType input_type : kTypes) {
    for (const engine::DataType output_type : kTypes) {
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
    SetData(*item.mutable_input(), engine::DataType::kFloat32,
            PackedRamp(engine::DataType::kFloat32, count - static_cast<size_t>(i)));
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

TEST(Evaluate, BeginsAStreamsSumsAnewWhereATensorOrTheBiasChanges) {
  const auto chunk = [](double alpha, double bias) {
    return Parse<v1::GradientRequest>(
        "gradients { activation { name: 'elu' parameter_tensors { key: 'alpha' value {"
        " values { double_values: [1, " +
        std::to_string(alpha) + "] } } } } bias { values { double_values: [0, " +
        std::to_string(bias) +
        "] } } return_parameter_gradients: true input { shape: [1, 2] double_values: [-1, 4] } }");
  };
  std::optional<StreamSums> sums;
  const auto first_sum = [&](double alpha, double bias) {
    const v1::GradientResponse response = Answer(chunk(alpha, bias), 100, Forwards, &sums);
    return response.results(0).parameter_tensor_gradients().at("alpha").double_values(0);
  };
  EXPECT_DOUBLE_EQ(first_sum(2, 0), std::expm1(-1.0));
  EXPECT_DOUBLE_EQ(first_sum(2, 0), 2 * std::expm1(-1.0));
  EXPECT_DOUBLE_EQ(first_sum(3, 0), std::expm1(-1.0));
  EXPECT_DOUBLE_EQ(first_sum(3, 5), std::expm1(-1.0));
  EXPECT_DOUBLE_EQ(first_sum(3, 5), 2 * std::expm1(-1.0));
}

// A gradient item with tensors along axes, and its results found element by element.
struct Along {
  const char* name;
  std::vector<int64_t> shape;
  // Of each parameter; none: a number.
  std::vector<std::optional<int>> axes;
  std::optional<int> bias_axis;
  engine::DataType type;

  size_t count() const {
    size_t product = 1;
    for (const int64_t extent : shape) product *= static_cast<size_t>(extent);
    return product;
  }
  size_t Extent(int axis) const { return static_cast<size_t>(shape[static_cast<size_t>(axis)]); }
  size_t IndexOf(size_t element, int axis) const {
    for (size_t i = shape.size() - 1; static_cast<int>(i) > axis; --i) {
      element /= static_cast<size_t>(shape[i]);
    }
    return element % Extent(axis);
  }
  const engine::Spec& spec() const { return *engine::Find(name); }

  // The parameter's value with an index of its axis.
  static double Value(size_t parameter, size_t index) {
    return 0.5 + 0.25 * static_cast<double>(index % 7) + static_cast<double>(parameter);
  }

  v1::GradientRequest Request() const {
    v1::GradientRequest request;
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_name(name);
    for (size_t p = 0; p < axes.size(); ++p) {
      const char* const parameter = spec().parameters[p].name;
      if (!axes[p]) {
        (*item.mutable_activation()->mutable_parameters())[parameter] = Value(p, 0);
        continue;
      }
      auto& tensor = (*item.mutable_activation()->mutable_parameter_tensors())[parameter];
      tensor.set_axis(*axes[p]);
      for (size_t k = 0; k < Extent(*axes[p]); ++k) {
        tensor.mutable_values()->add_double_values(Value(p, k));
      }
    }
    SetData(*item.mutable_input(), type, PackedRamp(type, count()));
    for (const int64_t extent : shape) item.mutable_input()->add_shape(extent);
    const std::string ramp = PackedRamp(type, count());
    SetData(*item.mutable_upstream(), type, ramp);
    if (bias_axis) {
      SetData(*item.mutable_bias()->mutable_values(), type, PackedRamp(type, Extent(*bias_axis)));
      item.mutable_bias()->set_axis(*bias_axis);
    }
    item.set_return_value(true);
    item.set_return_parameter_gradients(true);
    return request;
  }

  // f(x) where nothing but the parameters differs along axes.
  std::string Values() const {
    const size_t size = engine::SizeOf(type);
    const std::string x = PackedRamp(type, count());
    std::string values;
    for (size_t i = 0; i < count(); ++i) {
      engine::Function function = engine::WithDefaults(spec());
      for (size_t p = 0; p < axes.size(); ++p) {
        function.parameters[p] = Value(p, axes[p] ? IndexOf(i, *axes[p]) : 0);
      }
      values += RunEngine({function, engine::Quantity::kValue, type, type},
                          x.substr(i * size, size), nullptr);
    }
    return values;
  }

  // Compares a reply with the engine's results for each element alone.
  void Check(const v1::GradientResult& result) const {
    const size_t size = engine::SizeOf(type);
    const std::string x = PackedRamp(type, count());
    const std::string addends = bias_axis ? PackedRamp(type, Extent(*bias_axis)) : "";
    const auto at = [&](const std::string& packed, size_t i) {
      return reinterpret_cast<const std::byte*>(packed.data() + i * size);
    };
    std::vector<std::vector<engine::PreciseSum>> sums(axes.size());
    for (size_t p = 0; p < axes.size(); ++p) sums[p].resize(axes[p] ? Extent(*axes[p]) : 1);
    std::vector<engine::PreciseSum> bias_sums(bias_axis ? Extent(*bias_axis) : 0);
    std::string gradient(x.size(), 0), value(x.size(), 0);
    for (size_t i = 0; i < count(); ++i) {
      engine::Function function = engine::WithDefaults(spec());
      for (size_t p = 0; p < axes.size(); ++p) {
        function.parameters[p] = Value(p, axes[p] ? IndexOf(i, *axes[p]) : 0);
      }
      engine::Operands operands = {.input = at(x, i)};
      if (bias_axis) operands.bias = at(addends, IndexOf(i, *bias_axis));
      operands.output = reinterpret_cast<std::byte*>(value.data() + i * size);
      engine::Run({function, engine::Quantity::kValue, type, type}, operands, 1);
      operands.upstream = at(x, i);
      operands.output = reinterpret_cast<std::byte*>(gradient.data() + i * size);
      engine::Run({function, engine::Quantity::kDerivative, type, type}, operands, 1);
      for (size_t p = 0; p < axes.size(); ++p) {
        engine::AddGradient(function, static_cast<int>(p), type, operands, 1,
                            sums[p][axes[p] ? IndexOf(i, *axes[p]) : 0]);
      }
      if (!bias_axis) continue;
      engine::AddGradient(function, engine::kBias, type, operands, 1,
                          bias_sums[IndexOf(i, *bias_axis)]);
    }
    EXPECT_TRUE(result.value().data() == value);
    EXPECT_TRUE(result.gradient().data() == gradient);
    for (size_t p = 0; p < axes.size(); ++p) {
      const char* const parameter = spec().parameters[p].name;
      if (!axes[p]) {
        EXPECT_DOUBLE_EQ(result.parameter_gradients().at(parameter), sums[p][0].Total());
      } else {
        const v1::Tensor& found = result.parameter_tensor_gradients().at(parameter);
        Compare(std::vector<double>(found.double_values().begin(), found.double_values().end()),
                sums[p]);
      }
    }
    std::vector<double> found(result.bias_gradient().data().size() / sizeof(double));
    if (!found.empty()) {
      std::memcpy(found.data(), result.bias_gradient().data().data(),
                  found.size() * sizeof(double));
    }
    Compare(found, bias_sums);
  }

  static void Compare(const std::vector<double>& found,
                      const std::vector<engine::PreciseSum>& sums) {
    ASSERT_EQ(found.size(), sums.size());
    for (size_t k = 0; k < found.size(); ++k) ASSERT_DOUBLE_EQ(found[k], sums[k].Total()) << k;
  }
};

TEST(Evaluate, TakesParametersAndBiasAlongAnyAxes) {
  using engine::DataType;
  const Along cases[] = {
      {"leaky_relu", {7}, {0}, 0, DataType::kFloat32},
      {"leaky_relu", {300, 70}, {1}, std::nullopt, DataType::kFloat32},
      {"leaky_relu", {3, 5, 1'200}, {1}, 1, DataType::kFloat16},
      {"leaky_relu", {40, 3, 41, 7}, {1}, 3, DataType::kFloat64},
      {"elu", {2, 20'000}, {1}, 1, DataType::kFloat32},
      {"elu", {20'000, 2}, {1}, 1, DataType::kBFloat16},
      {"elu", {20'000, 2}, {0}, 0, DataType::kFloat32},
      {"elu", {5, 2, 17'000}, {1}, 2, DataType::kFloat32},
      {"gelu_sigma", {9, 4, 4, 61}, {2}, 1, DataType::kFloat32},
      {"gelu_sigma",
       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 2},
       {14},
       15,
       DataType::kFloat32},
      {"relu", {700, 33}, {}, 1, DataType::kFloat32},
      {"relu", {3, 600, 11}, {}, 1, DataType::kFloat32},
      {"relu", {30, 600}, {}, 1, DataType::kFloat32},
      {"elu", {4'000, 9}, {std::nullopt}, 1, DataType::kFloat32},
  };
  for (const Along& along : cases) {
    SCOPED_TRACE(testing::Message() << along.name << " " << testing::PrintToString(along.shape)
                                    << " " << testing::PrintToString(along.axes));
    const v1::GradientRequest request = along.Request();
    const v1::GradientResponse response = Answer(request, 65'536, Forwards);
    along.Check(response.results(0));
    EXPECT_EQ(Answer(request, 1'001, Backwards).ShortDebugString(), response.ShortDebugString());
  }
}

// Of two tensors for one parameter, which no request can have, the second one counts; but where
// either changes, another function begins, as with two parameters.
TEST(Evaluate, TakesParametersAlongDifferentAxes) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{30, 3, 5}, {2, 3, 500}, {600, 70, 3}, {2, 3, 100, 5}}) {
    for (const auto& [first, second] : {std::pair(1, 2), {2, 1}, {0, 2}, {2, 0}, {1, 1}}) {
      SCOPED_TRACE(testing::PrintToString(shape) + std::to_string(first) + std::to_string(second));
      const Along along = {"leaky_relu", shape, {second}, std::nullopt, engine::DataType::kFloat32};
      Activation both = {.function = engine::WithDefaults(*engine::Find("leaky_relu"))};
      for (const int axis : {first, second}) {
        ParameterTensor& tensor = both.tensors.emplace_back();
        tensor.axis = axis;
        for (size_t k = 0; k < along.Extent(axis); ++k) {
          tensor.values.push_back(axis == second ? Along::Value(0, k) : 0);
        }
      }
      v1::EvaluateStreamRequest request;
      *request.mutable_evaluation()->mutable_input() = along.Request().gradients(0).input();
      const grpc::ByteBuffer buffer = InSlices(request.SerializeAsString(), 65'536);
      const auto plan = MakePlan(*ReadRequest(buffer, Cardinality::kSingle, 1), kEvaluateStream,
                                 Limits(), std::make_shared<const Activation>(both));
      ASSERT_TRUE(plan.ok()) << plan.status();
      const Reply reply = MakeReply(plan->reply);
      ASSERT_TRUE(Evaluate(*plan, reply.destinations, not_cancelled, Forwards, nullptr).ok());
      v1::EvaluateStreamResponse response;
      ASSERT_TRUE(response.ParseFromString(BytesOf(reply.buffer)));
      EXPECT_TRUE(response.result().output().data() == along.Values());
    }
  }
}

TEST(Evaluate, SumsNothingForTensorsWithoutElements) {
  const v1::GradientResponse response =
      Answer(Parse<v1::GradientRequest>(
                 "gradients { activation { name: 'elu' parameter_tensors { key: 'alpha' value {"
                 " values { double_values: [1, 2] } } } } return_parameter_gradients: true"
                 " bias { values { shape: 2 float_values: [3, 4] } }"
                 " input { shape: [0, 2] data_type: DATA_TYPE_FLOAT32 } }"),
             100, Forwards);
  const v1::GradientResult& result = response.results(0);
  EXPECT_EQ(result.parameter_tensor_gradients().at("alpha").ShortDebugString(),
            "data_type: DATA_TYPE_FLOAT64 double_values: 0 double_values: 0");
  EXPECT_EQ(result.bias_gradient().ShortDebugString(),
            "data_type: DATA_TYPE_FLOAT64 shape: 2 double_values: 0 double_values: 0");
  EXPECT_TRUE(result.parameter_gradients().empty());
  EXPECT_TRUE(result.activation().parameters().empty());
}

// The engine's rows, taken one by one out of a tensor and put back.
TEST(Evaluate, GivesTheEnginesRowsAlongAnyAxis) {
  using engine::DataType;
  const struct {
    const char* name;
    std::vector<int64_t> shape;
    int axis;
    DataType type;
    DataType output_type;
  } cases[] = {
      {"softmax", {5}, 0, DataType::kFloat32, DataType::kFloat32},
      {"softmax", {3'000, 12}, 1, DataType::kFloat32, DataType::kFloat32},
      {"softmax", {12, 3'000}, 0, DataType::kFloat64, DataType::kFloat32},
      {"log_softmax", {2, 40'000}, 1, DataType::kFloat32, DataType::kBFloat16},
      {"log_softmax", {7, 30, 11}, 1, DataType::kFloat16, DataType::kFloat16},
      {"glu", {2, 6, 5}, 1, DataType::kFloat32, DataType::kFloat32},
      {"swiglu", {300, 64}, 1, DataType::kBFloat16, DataType::kFloat32},
      {"reglu", {4, 20'000, 2}, 1, DataType::kFloat32, DataType::kFloat32},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.name << " " << testing::PrintToString(c.shape));
    const engine::RowSpec& spec = *engine::FindRow(c.name);
    const size_t size = engine::SizeOf(c.type), output_size = engine::SizeOf(c.output_type);
    size_t outer = 1, inner = 1;
    for (int i = 0; i < static_cast<int>(c.shape.size()); ++i) {
      const size_t extent = static_cast<size_t>(c.shape[static_cast<size_t>(i)]);
      if (i < c.axis) outer *= extent;
      if (i > c.axis) inner *= extent;
    }
    const size_t length = static_cast<size_t>(c.shape[static_cast<size_t>(c.axis)]);
    const size_t halved = spec.halves ? length / 2 : length;
    const std::string x = PackedRamp(c.type, outer * length * inner);
    const std::string g = PackedRamp(c.type, outer * halved * inner);
    std::string value(outer * halved * inner * output_size, 0);
    std::string gradient(outer * length * inner * output_size, 0);
    for (size_t row = 0; row < outer * inner; ++row) {
      const auto at = [&](size_t k, size_t extent) {
        return (row / inner * extent + k) * inner + row % inner;
      };
      std::string own_x, own_g, own_value(halved * output_size, 0);
      std::string own_gradient(length * output_size, 0);
      for (size_t k = 0; k < length; ++k) own_x += x.substr(at(k, length) * size, size);
      for (size_t k = 0; k < halved; ++k) own_g += g.substr(at(k, halved) * size, size);
      const auto* const input = reinterpret_cast<const std::byte*>(own_x.data());
      engine::RunRows({&spec, engine::Quantity::kValue, c.type, c.output_type}, input, nullptr,
                      reinterpret_cast<std::byte*>(own_value.data()), 1, length);
      engine::RunRows({&spec, engine::Quantity::kDerivative, c.type, c.output_type}, input,
                      reinterpret_cast<const std::byte*>(own_g.data()),
                      reinterpret_cast<std::byte*>(own_gradient.data()), 1, length);
      for (size_t k = 0; k < halved; ++k) {
        value.replace(at(k, halved) * output_size, output_size, own_value, k * output_size,
                      output_size);
      }
      for (size_t k = 0; k < length; ++k) {
        gradient.replace(at(k, length) * output_size, output_size, own_gradient, k * output_size,
                         output_size);
      }
    }
    v1::GradientRequest request;
    v1::GradientEvaluation& item = *request.add_gradients();
    item.mutable_activation()->set_name(c.name);
    item.mutable_activation()->set_axis(c.axis - static_cast<int>(c.shape.size()));
    SetData(*item.mutable_input(), c.type, x);
    for (const int64_t extent : c.shape) item.mutable_input()->add_shape(extent);
    SetData(*item.mutable_upstream(), c.type, g);
    item.set_output_type(static_cast<v1::DataType>(NumberOf(c.output_type)));
    item.set_return_value(true);
    item.set_return_parameter_gradients(true);
    for (const size_t slice_size : {3, 1'001, 1'000'000}) {
      if (slice_size == 3 && x.size() > 10'000) continue;
      const v1::GradientResponse response = Answer(request, slice_size, Backwards);
      const v1::GradientResult& result = response.results(0);
      EXPECT_TRUE(result.gradient().data() == gradient) << slice_size;
      EXPECT_TRUE(result.value().data() == value) << slice_size;
      EXPECT_EQ(result.activation().axis(), c.axis);
      EXPECT_TRUE(result.parameter_gradients().empty());
    }
  }
}

TEST(Evaluate, AnswersTypedRowsAndGatheredElementsWithTypedValues) {
  const v1::GradientResponse response = Answer(
      Parse<v1::GradientRequest>(
          "gradients { activation { name: 'reglu' axis: 0 } return_value: true"
          "  input { data_type: DATA_TYPE_FLOAT16 shape: [2, 2] float_values: [2, 3, 0.5, -1] }"
          "  upstream { data_type: DATA_TYPE_FLOAT16 float_values: [10, 100] } }"
          "gradients { activation { name: 'leaky_relu' parameter_tensors { key: 'negative_slope'"
          "  value { values { double_values: [0.5, 0.25] } } } } return_value: true"
          "  input { data_type: DATA_TYPE_BFLOAT16 shape: [2, 2] float_values: [-2, -4, 1, -8] } "
          "}"),
      7, Forwards);
  EXPECT_EQ(response.results(0).value().ShortDebugString(),
            "data_type: DATA_TYPE_FLOAT16 shape: 1 shape: 2 float_values: 1 float_values: 0");
  EXPECT_EQ(response.results(0).gradient().ShortDebugString(),
            "data_type: DATA_TYPE_FLOAT16 shape: 2 shape: 2 float_values: 5 float_values: 0 "
            "float_values: 20 float_values: 0");
  EXPECT_EQ(response.results(1).value().ShortDebugString(),
            "data_type: DATA_TYPE_BFLOAT16 shape: 2 shape: 2 float_values: -1 float_values: -1 "
            "float_values: 1 float_values: -2");
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
