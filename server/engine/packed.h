// Elements of packed arrays, at any alignment.
#ifndef ACTIVATION_SERVER_ENGINE_PACKED_H_
#define ACTIVATION_SERVER_ENGINE_PACKED_H_

#include <cstddef>
#include <cstring>

#include "proto/element_type.h"

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

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_PACKED_H_
