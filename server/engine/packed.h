// Packed arrays of the engine's types, at any alignment.
#ifndef ACTIVATION_SERVER_ENGINE_PACKED_H_
#define ACTIVATION_SERVER_ENGINE_PACKED_H_

#include <cstddef>
#include <cstring>

#include "server/engine/data_type.h"

namespace activation::engine {

template <class T>
T LoadAs(const std::byte* data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void StoreAs(std::byte* data, size_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

// Every type's values are exactly float64 values.
void Decode(DataType type, const std::byte* data, size_t count, double* values);
// Rounds each value once; NaN becomes the quiet NaN with sign and payload clear.
void Encode(DataType type, const double* values, size_t count, std::byte* data);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_PACKED_H_
