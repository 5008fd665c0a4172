// What the engine can be asked for: a function with its parameters, its value or its derivative, on
// which types, and where the numbers are.
#ifndef ACTIVATION_SERVER_ENGINE_OPERATION_H_
#define ACTIVATION_SERVER_ENGINE_OPERATION_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/element_type.h"
#include "server/engine/spec.h"

namespace activation::engine {

// An activation with its parameters, in the order of Spec::parameters. The values must be allowed
// ones.
struct Function {
  const Spec* spec = nullptr;
  std::array<double, kMaxParameters> parameters = {};
};

enum class Quantity : uint8_t { kValue, kDerivative };

struct Operation {
  Function function;
  Quantity quantity = Quantity::kValue;
  DataType input_type = DataType::kFloat32;
  DataType output_type = DataType::kFloat32;
};

// Packed arrays at any alignment: output of an operation's output_type, the others of its
// input_type. output must not overlap them.
struct Operands {
  const std::byte* input = nullptr;
  // Null: none, that is 1.
  const std::byte* upstream = nullptr;
  // Null: none, that is -0.
  const std::byte* bias = nullptr;
  std::byte* output = nullptr;
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_OPERATION_H_
