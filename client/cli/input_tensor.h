// Tensors from the command line, from standard input and from files.
#ifndef ACTIVATION_CLIENT_CLI_INPUT_TENSOR_H_
#define ACTIVATION_CLIENT_CLI_INPUT_TENSOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/requests.h"
#include "client/tensor.h"

namespace activation::cli {

struct InputTensor {
  Tensor tensor;
  // The shape of the result's .npy file: a flat vector's one extent is said, and the empty shape
  // means 0 dimensions.
  std::vector<int64_t> shape;
  bool from_npy = false;
};

// A flat tensor of the numbers.
absl::StatusOr<InputTensor> ParseInput(DataType type, std::span<const std::string> texts);

// A .npy file, or numbers between white space; "-" is standard input. Without `type`, a .npy file
// is of its own type, and text of text_type. An error names the file.
absl::StatusOr<InputTensor> ReadInput(const std::string& path, std::optional<DataType> type,
                                      DataType text_type = DataType::kFloat32);

// "NAME=FILE" each, as --param-tensor takes them: the file's values, along `axis`.
using AxisTensors = std::map<std::string, AxisTensor>;
absl::StatusOr<AxisTensors> ReadAxisTensors(const std::vector<std::string>& texts,
                                            std::optional<int32_t> axis);

// The two halves of "NAME=FILE". INVALID_ARGUMENT, naming the option, for another form.
absl::StatusOr<std::pair<std::string, std::string>> SplitNameAndFile(const char* option,
                                                                     const std::string& text);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_INPUT_TENSOR_H_
