#include "server/evaluate/encode.h"

#include <cstring>

#include "proto/element_type.h"

namespace activation::server {

void Widen(DataType type, const std::byte* elements, size_t count, std::byte* values) {
  const size_t size = SizeOf(type);
  for (size_t i = 0; i < count; ++i) {
    double exact = 0;
    Decode(type, elements + i * size, 1, &exact);
    const float value = static_cast<float>(exact);
    std::memcpy(values + i * sizeof(value), &value, sizeof(value));
  }
}

}  // namespace activation::server
