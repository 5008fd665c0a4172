// What tensors of requests and of replies have in common.
#ifndef ACTIVATION_SERVER_WIRE_TENSOR_H_
#define ACTIVATION_SERVER_WIRE_TENSOR_H_

#include <absl/container/inlined_vector.h>

#include <cstdint>

namespace activation::server {

// Extents, outermost first.
using Shape = absl::InlinedVector<int64_t, 4>;

// How a tensor's elements stand in a message: as `data`, or as float_values or double_values.
enum class Encoding : uint8_t { kBytes, kValues };

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_TENSOR_H_
