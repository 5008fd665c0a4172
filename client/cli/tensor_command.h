// What evaluate and gradient share: the activation and its parameters, the input tensor from
// arguments, standard input or a file, and the forms of the result.
#ifndef ACTIVATION_CLIENT_CLI_TENSOR_COMMAND_H_
#define ACTIVATION_CLIENT_CLI_TENSOR_COMMAND_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/client.h"
#include "client/tensor.h"

namespace activation::cli {

enum class Format { kTable, kJson, kCsv, kHex, kNpy };

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

struct InputTensor {
  Tensor tensor;
  // As a .npy file of the result has it: a flat vector's one extent is said, and the empty shape
  // means 0 dimensions.
  std::vector<int64_t> shape;
  bool from_npy = false;
};

// The options, checked and read.
struct TensorTask {
  Activation activation;
  InputTensor input;
  std::optional<DataType> output_type;
  std::optional<AxisTensor> bias;
  Format format = Format::kTable;
};
absl::StatusOr<TensorTask> MakeTensorTask(TensorOptions options);

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

// The tensor, one of a result for this input, as a .npy file.
std::string EncodeNpyResult(const Tensor& tensor, const InputTensor& input);

// A named row of numbers, as a column of the result.
struct Column {
  std::string name;
  const Tensor& tensor;
};

// The result, in any format but JSON and npy. Table: a title line, then columns. Csv: a heading,
// then lines. Hex: the columns after the first, which is x, without heading. A column that is
// shorter, as a gated row function's value, ends in empty cells.
std::string FormatColumns(Format format, const std::string& title,
                          const std::vector<Column>& columns);

// The message's tensor as a reply has it whose request used the same encoding as the input: typed
// values that people can read, or packed bytes for those that came packed, from a .npy file.
v1::Tensor ToReply(const Tensor& tensor, const InputTensor& input);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_TENSOR_COMMAND_H_
