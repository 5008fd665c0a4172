#include "server/engine/packed.h"

#include <bit>
#include <cstdint>
#include <limits>

#include "proto/tensor_codec.h"

namespace activation::engine {
namespace {

template <typename T>
T OrQuietNan(double value) {
  return value != value ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
}

}  // namespace

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

void Encode(DataType type, const double* values, size_t count, std::byte* data) {
  const auto store_all = [&](auto convert) {
    for (size_t i = 0; i < count; ++i) StoreAs(data, i, convert(values[i]));
  };
  switch (type) {
    case DataType::kFloat32:
      return store_all(OrQuietNan<float>);
    case DataType::kFloat64:
      return store_all(OrQuietNan<double>);
    case DataType::kFloat16:
      return store_all(DoubleToFloat16);
    case DataType::kBFloat16:
      return store_all(DoubleToBFloat16);
  }
}

}  // namespace activation::engine
