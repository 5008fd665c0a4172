#include "server/evaluate/encode.h"

#include <cstring>

#include "proto/tensor_codec.h"

namespace activation::server {

void Widen(engine::DataType type, const std::byte* elements, size_t count, std::byte* values) {
  const auto decode = type == engine::DataType::kFloat16 ? Float16ToDouble : BFloat16ToDouble;
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, elements + i * sizeof(bits), sizeof(bits));
    const float value = static_cast<float>(decode(bits));
    std::memcpy(values + i * sizeof(value), &value, sizeof(value));
  }
}

}  // namespace activation::server
