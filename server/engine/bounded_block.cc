#include "server/engine/bounded_block.h"

#include <cstring>

#include "server/engine/precise_block.h"

namespace activation::engine {

void BoundedBlock::Encode(DataType type, size_t count, std::byte* data) const {
  engine::Encode(type, numbers_, count, data);
}

bool BoundedBlock::EndsRoundAlike(DataType type, size_t i) const {
  PreciseBlock ends;
  for (size_t end = 0; end < 2; ++end) {
    const double to_end = errors_[i] * (1 + 0x1p-20) * (end == 0 ? -1 : 1);
    const Bounded number = MakeBounded(numbers_.hi[i], numbers_.lo[i] + to_end, 0.0,
                                       static_cast<int>(numbers_.exponent[i]));
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
