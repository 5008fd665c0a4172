// Parameters and biases along axes, and rows, against the engine called for each element or row.
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
#include "server/evaluate/evaluate.h"
#include "tests/unit/answers.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

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
  // The axis of each parameter; none: a number.
  std::vector<std::optional<int>> axes;
  std::optional<int> bias_axis;
  DataType type;

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
    const size_t size = SizeOf(type);
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
    const size_t size = SizeOf(type);
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

// Where there are two tensors for one parameter, which no request can have, the second one counts;
// but where either changes, another function begins, as with two parameters.
TEST(Evaluate, TakesParametersAlongDifferentAxes) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{30, 3, 5}, {2, 3, 500}, {600, 70, 3}, {2, 3, 100, 5}}) {
    for (const auto& [first, second] : {std::pair(1, 2), {2, 1}, {0, 2}, {2, 0}, {1, 1}}) {
      SCOPED_TRACE(testing::PrintToString(shape) + std::to_string(first) + std::to_string(second));
      const Along along = {"leaky_relu", shape, {second}, std::nullopt, DataType::kFloat32};
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
    const size_t size = SizeOf(c.type), output_size = SizeOf(c.output_type);
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

}  // namespace
}  // namespace activation::server
