// What is asked of the service, and what comes back: functions, requests and results.
#ifndef ACTIVATION_CLIENT_REQUESTS_H_
#define ACTIVATION_CLIENT_REQUESTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "client/tensor.h"

namespace activation {

// By name. A parameter that is left out has its default.
using Parameters = std::map<std::string, double>;

// One value for each index of an axis of the input, the same along the other axes.
struct AxisTensor {
  Tensor values = {};
  // From 0, the outermost, or from -1, the last, backwards. Default: 1 for a parameter, where the
  // input has at least two axes, otherwise 0; -1 for a bias.
  std::optional<int32_t> axis = std::nullopt;
};

// A function of the catalogue: canonical name or alias, and parameters. In a result: the canonical
// name, and all parameters that are numbers.
struct Activation {
  // Empty where there is a formula.
  std::string name;
  Parameters parameters = {};
  // Parameters that differ along an axis; none in a result.
  std::map<std::string, AxisTensor> parameter_tensors = {};
  // Where the rows of a row function lie. Default: -1. In a result: counted from 0.
  std::optional<int32_t> axis = std::nullopt;
  // In place of a name: an expression in x and parameters, as "x*tanh(a*x)", computed in float64
  // and rounded to the output type. No parameter tensors, bias, parameter gradients; not for
  // Compare.
  std::string formula = {};
};

struct EvaluateResult {
  Activation activation = {};
  // f(x), in the shape of the input; a gated row function's axis is half as long.
  Tensor output = {};
};

struct GradientRequest {
  Activation activation = {};
  Tensor input = {};
  // Type of gradient and value. Default: the input's.
  std::optional<DataType> output_type = std::nullopt;
  // Each gradient is multiplied with this one's element; of the input's type and the value's size.
  // Row functions need it.
  std::optional<Tensor> upstream = std::nullopt;
  bool return_value = false;
  // Those for the bias, too.
  bool return_parameter_gradients = false;
  // Added to the input first; of its type.
  std::optional<AxisTensor> bias = std::nullopt;
};

struct GradientResult {
  Activation activation = {};
  // f'(x) or upstream * f'(x), in the shape of the input.
  Tensor gradient = {};
  // f(x), where asked for.
  std::optional<Tensor> value = std::nullopt;
  // Where asked for: for each parameter that is a number, the sum over the elements of upstream *
  // df/dp; for those that are tensors, and for the bias, the sums that go with each value, as
  // float64.
  Parameters parameter_gradients = {};
  std::map<std::string, Tensor> parameter_tensor_gradients = {};
  std::optional<Tensor> bias_gradient = std::nullopt;
};

}  // namespace activation

#endif  // ACTIVATION_CLIENT_REQUESTS_H_
