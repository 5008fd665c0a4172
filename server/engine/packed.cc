#include "server/engine/packed.h"

#include <bit>
#include <cstdint>

#include "proto/tensor_codec.h"

namespace activation::engine {

void Decode(DataType type, const std::byte* data, size_t count, double* values) {
  switch (type) {
    case DataType::kFloat32:
      for (size_t i = 0; i < count; ++i) values[i] = LoadAs<float>(data, i);
      return;
    case DataType::kFloat64:
      std::memcpy(values, data, count * sizeof(double));
      return;
    case DataType::kFloat16:
      for (size_t i = 0; i < count; ++i) values[i] = Float16ToDouble(LoadAs<uint16_t>(data, i));
      return;
    case DataType::kBFloat16:
      for (size_t i = 0; i < count; ++i) {
        values[i] = std::bit_cast<float>(uint32_t{LoadAs<uint16_t>(data, i)} << 16);
      }
      return;
  }
}

}  // namespace activation::engine
