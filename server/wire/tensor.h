// What tensors of requests and of replies have in common.
#ifndef ACTIVATION_SERVER_WIRE_TENSOR_H_
#define ACTIVATION_SERVER_WIRE_TENSOR_H_

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <optional>

#include "server/engine/engine.h"

namespace activation::server {

// Extents, outermost first.
using Shape = absl::InlinedVector<int64_t, 4>;

// The contract numbers the types in the engine's order, from 1; 0 is "unspecified".
constexpr int NumberOf(engine::DataType type) { return static_cast<int>(type) + 1; }
constexpr std::optional<engine::DataType> DataTypeOf(int number) {
  if (number < 1 || number > engine::kDataTypeCount) return std::nullopt;
  return static_cast<engine::DataType>(number - 1);
}

// How a tensor's elements stand in a message: as `data`, or as float_values or double_values.
enum class Encoding : uint8_t { kBytes, kValues };

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_TENSOR_H_
