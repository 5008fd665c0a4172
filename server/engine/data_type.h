// The types of the numbers that the engine reads and writes.
#ifndef ACTIVATION_SERVER_ENGINE_DATA_TYPE_H_
#define ACTIVATION_SERVER_ENGINE_DATA_TYPE_H_

#include <cstddef>
#include <cstdint>

namespace activation::engine {

enum class DataType : uint8_t { kFloat32, kFloat64, kFloat16, kBFloat16 };
inline constexpr int kDataTypeCount = 4;

// Bytes of one element.
constexpr size_t SizeOf(DataType type) {
  return type == DataType::kFloat64 ? 8 : type == DataType::kFloat32 ? 4 : 2;
}

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_DATA_TYPE_H_
