// What stands in a request and in its reply, between the wire format and the plan.
//
// A RawRequest is what the bytes say, parsed but not judged: numbers of enums, lengths that may not
// fit. It holds at most a bounded number of everything that a sender can repeat, so that no request
// needs much more memory than its own bytes; where it stopped, it says that there was more. A
// ReplyLayout is what the reply will hold, and with it where each result goes.
#ifndef ACTIVATION_SERVER_REQUEST_H_
#define ACTIVATION_SERVER_REQUEST_H_

#include <absl/container/inlined_vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/engine.h"
#include "server/engine/rows.h"
#include "server/limits.h"

namespace activation::server {

// A stretch of a byte string that is stored in pieces. Borrowed.
struct Piece {
  const std::byte* data;
  size_t size;
  // Where it begins in the whole.
  size_t begin;
};
// In order, none of them empty.
using Pieces = absl::InlinedVector<Piece, 2>;
inline size_t SizeOf(const Pieces& pieces) {
  return pieces.empty() ? 0 : pieces.back().begin + pieces.back().size;
}

using Shape = absl::InlinedVector<int64_t, 4>;

struct RawTensor {
  int data_type = 0;
  // The first kMaxRank extents.
  Shape shape;
  // Extents in all.
  int64_t rank = 0;
  Pieces data;
  std::vector<float> float_values;
  std::vector<double> double_values;
};

struct RawAxisTensor {
  std::optional<RawTensor> values;
  std::optional<int32_t> axis;
};

struct RawActivation {
  // Names are cut after kMaxNameBytes + 1 bytes, the formula after one more than its limit.
  std::string name = {};
  std::string formula = {};
  // The first kMaxRequestParameters + 1 different ones of each.
  absl::InlinedVector<std::pair<std::string, double>, 2> parameters;
  std::vector<std::pair<std::string, RawAxisTensor>> parameter_tensors;
  std::optional<int32_t> axis;
};

// An Evaluation or a GradientEvaluation: they share their fields' numbers.
struct RawItem {
  std::optional<RawActivation> activation;
  std::optional<RawTensor> input;
  int output_type = 0;
  std::optional<RawTensor> upstream;
  bool return_value = false;
  bool return_parameter_gradients = false;
  std::optional<RawAxisTensor> bias;
};

struct RawRequest {
  // At most the limit of items, and one more.
  std::vector<RawItem> items;
};

// The contract numbers the types in the engine's order, from 1; 0 is "unspecified".
constexpr int NumberOf(engine::DataType type) { return static_cast<int>(type) + 1; }
constexpr std::optional<engine::DataType> DataTypeOf(int number) {
  if (number < 1 || number > engine::kDataTypeCount) return std::nullopt;
  return static_cast<engine::DataType>(number - 1);
}

// How a tensor's elements stand in a message: as `data`, or as float_values or double_values.
enum class Encoding : uint8_t { kBytes, kValues };

struct ReplyTensor {
  engine::DataType type = engine::DataType::kFloat32;
  Encoding encoding = Encoding::kBytes;
  Shape shape;
  int64_t count = 0;
};

struct OwnFormula;

// An activation as a reply echoes it: a row function with its axis, an elementwise function with
// those of its parameters that are numbers, or a formula.
struct ReplyActivation {
  const engine::RowSpec* row = nullptr;
  int axis = 0;
  engine::Function function = {};
  const OwnFormula* formula = nullptr;
  // By the parameter's place: whether it is a tensor.
  std::array<bool, engine::kMaxParameters> is_tensor = {};

  // Of functions of the catalogue.
  const char* name() const { return row != nullptr ? row->name : function.spec->name; }
  std::span<const engine::Parameter> parameters() const {
    return function.spec == nullptr ? std::span<const engine::Parameter>()
                                    : function.spec->parameters;
  }
};

// An EvaluationResult or a GradientResult: they share their fields' numbers.
struct ReplyItem {
  ReplyActivation activation;
  ReplyTensor result;
  std::optional<ReplyTensor> value;
  bool has_parameter_gradients = false;
  // Of parameters that are tensors: their place, and what the gradient looks like.
  std::vector<std::pair<int, ReplyTensor>> tensor_gradients;
  std::optional<ReplyTensor> bias_gradient;
};

// Where the results of one item go. Elements of a kValues tensor of 2-byte type are float32 there,
// all others are of the tensor's type, packed, at any alignment. Parameter gradients are float64:
// one, or as many as the parameter's tensor has values.
struct Destination {
  std::byte* result = nullptr;
  std::byte* value = nullptr;
  std::array<std::byte*, engine::kMaxParameters> parameter_gradients = {};
  std::byte* bias_gradient = nullptr;
};

// The bytes of one element in a reply.
constexpr size_t ReplyElementSize(const ReplyTensor& tensor) {
  const size_t size = engine::SizeOf(tensor.type);
  return tensor.encoding == Encoding::kValues && size == 2 ? sizeof(float) : size;
}

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_REQUEST_H_
