#include "server/engine/bounded_block.h"

#include <cmath>
#include <cstring>

#include "server/engine/precise_block.h"

namespace activation::engine {

void BoundedBlock::Set(size_t i, const Bounded& number) {
  numbers_.hi[i] = number.hi + 0.0;  // never -0
  numbers_.lo[i] = number.lo;
  numbers_.exponent[i] = number.exponent;
  errors_[i] = number.error;
}

void BoundedBlock::Encode(DataType type, size_t count, std::byte* data) const {
  engine::Encode(type, numbers_, count, data);
}

bool BoundedBlock::IsDecided(DataType type, size_t i) const {
  const double hi = numbers_.hi[i], lo = numbers_.lo[i], error = errors_[i];
  if (error == 0) return true;
  if (type == DataType::kFloat64) return error <= std::abs(hi) * 0x1p-55;
  if (std::abs(lo) > error) return true;
  PreciseBlock ends;
  for (size_t end = 0; end < 2; ++end) {
    const double to_end = error * (1 + 0x1p-20) * (end == 0 ? -1 : 1);
    const Bounded number =
        MakeBounded(hi, lo + to_end, 0.0, static_cast<int>(numbers_.exponent[i]));
    ends.hi[end] = number.hi;
    ends.lo[end] = number.lo;
    ends.exponent[end] = number.exponent;
  }
  std::byte encoded[2 * sizeof(float)];
  engine::Encode(type, ends, 2, encoded);
  const size_t size = SizeOf(type);
  return std::memcmp(encoded, encoded + size, size) == 0;
}

}  // namespace activation::engine
