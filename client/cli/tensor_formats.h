// The forms of evaluate's and gradient's results. A new one is a row of the table in the source.
#ifndef ACTIVATION_CLIENT_CLI_TENSOR_FORMATS_H_
#define ACTIVATION_CLIENT_CLI_TENSOR_FORMATS_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/cli/input_tensor.h"
#include "client/cli/values.h"
#include "client/tensor.h"

namespace activation::cli {

// A named row of numbers, as a column of the result.
struct Column {
  std::string name;
  const Tensor& tensor;
  // Asked about, not answered: x and upstream.
  bool is_input = false;
};

struct TensorResult {
  // Says what the result is, in one line.
  std::string title;
  // One that is shorter, as a gated row function's value, ends in empty cells.
  std::vector<Column> columns;
  // What a file has that holds one array.
  const Tensor& output;
  const InputTensor& input;
  // The contract's message.
  std::function<absl::StatusOr<std::string>()> json;
};

// Where parameter gradients stand, which are no column.
enum class ParameterGradients {
  kInside,  // in the result itself
  kBelow,   // as lines that follow it
  kApart,   // as lines, which must not go where it goes
};

struct TensorFormat {
  // As --format takes it.
  const char* name;
  // The file names that ask for it.
  const char* suffix;
  absl::StatusOr<std::string> (*render)(const TensorResult& result);
  ParameterGradients parameter_gradients = ParameterGradients::kBelow;
  // A number in a line of its own.
  std::string (*line)(double value) = FormatNumber;
  // Whether a file of this form holds one array, and is nothing else.
  bool is_npy = false;
};

std::span<const TensorFormat> TensorFormats();

// What --format says (empty: nothing), or else what the output file's name says, or else a table.
absl::StatusOr<const TensorFormat*> ChooseTensorFormat(const std::string& name,
                                                       const std::string& output_file);

// The tensor, one of a result for this input, as a .npy file.
std::string EncodeNpyResult(const Tensor& tensor, const InputTensor& input);

// The message's tensor as a reply has it whose request used the same encoding as the input: typed
// values that people can read, or packed bytes for those that came packed, from a .npy file.
v1::Tensor ToReply(const Tensor& tensor, const InputTensor& input);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_TENSOR_FORMATS_H_
