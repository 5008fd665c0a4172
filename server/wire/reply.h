// What a reply will hold, and where each result goes in it.
#ifndef ACTIVATION_SERVER_WIRE_REPLY_H_
#define ACTIVATION_SERVER_WIRE_REPLY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/engine/rows.h"
#include "server/formula/kernel.h"
#include "server/wire/tensor.h"

namespace activation::server {

struct ReplyTensor {
  DataType type = DataType::kFloat32;
  Encoding encoding = Encoding::kBytes;
  Shape shape;
  int64_t count = 0;
};

// An activation as a reply echoes it: a row function with its axis, an elementwise function with
// those of its parameters that are numbers, or a formula.
struct ReplyActivation {
  const engine::RowSpec* row = nullptr;
  int axis = 0;
  engine::Function function = {};
  const formula::FormulaSpec* formula = nullptr;
  // By the parameter's place: whether it is a tensor.
  std::array<bool, engine::kMaxParameters> is_tensor = {};

  // The name and parameters of a function of the catalogue.
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
  // The place of each parameter that is a tensor, and what its gradient looks like.
  std::vector<std::pair<int, ReplyTensor>> tensor_gradients;
  std::optional<ReplyTensor> bias_gradient;
};

// Where the results of one item go. Elements of a kValues tensor of a narrower type are float32
// there, all others are of the tensor's type, packed, at any alignment. Parameter gradients are
// float64: one, or as many as the parameter's tensor has values.
struct Destination {
  std::byte* result = nullptr;
  std::byte* value = nullptr;
  std::array<std::byte*, engine::kMaxParameters> parameter_gradients = {};
  std::byte* bias_gradient = nullptr;
};

// The bytes of one element in a reply.
constexpr size_t ReplyElementSize(const ReplyTensor& tensor) {
  const size_t size = SizeOf(tensor.type);
  return tensor.encoding == Encoding::kValues ? std::max(size, sizeof(float)) : size;
}

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_REPLY_H_
