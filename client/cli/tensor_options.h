// What evaluate and gradient are asked for: their common options, checked and read.
#ifndef ACTIVATION_CLIENT_CLI_TENSOR_OPTIONS_H_
#define ACTIVATION_CLIENT_CLI_TENSOR_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/input_tensor.h"
#include "client/cli/tensor_formats.h"
#include "client/requests.h"

namespace activation::cli {

// The options as they stand on the command line.
struct TensorOptions {
  std::string name;
  std::string formula;
  std::vector<std::string> values;
  std::string input_file;
  std::string type;
  std::string output_type;
  std::vector<std::string> parameters;
  std::vector<std::string> parameter_tensors;
  std::optional<int32_t> parameter_axis;
  std::string bias_file;
  std::optional<int32_t> bias_axis;
  std::optional<int32_t> axis;
  std::string format;
  std::string output_file;
};

void AddTensorOptions(CLI::App& app, TensorOptions& options);

// The options, checked and read.
struct TensorTask {
  Activation activation;
  InputTensor input;
  std::optional<DataType> output_type;
  std::optional<AxisTensor> bias;
  const TensorFormat* format = nullptr;
};
absl::StatusOr<TensorTask> MakeTensorTask(TensorOptions options);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_TENSOR_OPTIONS_H_
