#include "server/compare/domain.h"

#include <algorithm>
#include <cstring>

#include "proto/element_type.h"
#include "server/compare/normal_samples.h"

namespace activation::server {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// The i-th of n >= 2 evenly spaced points.
double GridPoint(const GridPoints& grid, int64_t i, int64_t n) {
  if (i == 0) return grid.from;
  const long double last = static_cast<long double>(n - 1);
  const long double weighted =
      grid.from * (last - static_cast<long double>(i)) + grid.to * static_cast<long double>(i);
  return std::clamp(static_cast<double>(weighted / last), grid.from, grid.to);
}

uint64_t SignBit(DataType type) { return uint64_t{1} << (TraitsOf(type).bits - 1); }

}  // namespace

int64_t OrdinalOf(DataType type, uint64_t bits) {
  const uint64_t sign = SignBit(type);
  const int64_t size = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -1 - size : size;
}

uint64_t BitsAt(DataType type, int64_t ordinal) {
  return ordinal < 0 ? static_cast<uint64_t>(-1 - ordinal) | SignBit(type)
                     : static_cast<uint64_t>(ordinal);
}

void StoreBits(DataType type, std::byte* packed, size_t index, uint64_t bits) {
  const size_t size = SizeOf(type);
  std::memcpy(packed + index * size, &bits, size);
}

bool Domain::IsAscending() const {
  return std::visit(Overloaded{[](const GridPoints&) { return true; },
                               [](const ConsecutiveValues&) { return true; },
                               [](const NormalSamples&) { return false; },
                               [](const GivenPoints& given) { return given.is_ascending; }},
                    source);
}

void Domain::Fill(int64_t first, size_t n, std::byte* packed) const {
  const auto each = [&](auto bits_of_point) {
    for (size_t i = 0; i < n; ++i) {
      StoreBits(type, packed, i, bits_of_point(first + static_cast<int64_t>(i)));
    }
  };
  std::visit(Overloaded{[&](const GridPoints& grid) {
                          each([&](int64_t i) { return ToBits(type, GridPoint(grid, i, count)); });
                        },
                        [&](const ConsecutiveValues& values) {
                          each([&](int64_t i) { return BitsAt(type, values.first + i); });
                        },
                        [&](const NormalSamples& normal) {
                          each([&](int64_t i) {
                            const double z = NormalSample(normal.seed, static_cast<uint64_t>(i));
                            return ToBits(type, normal.mean + normal.standard_deviation * z);
                          });
                        },
                        [&](const GivenPoints& given) {
                          ElementReader(given.elements).Copy(static_cast<size_t>(first), n, packed);
                        }},
             source);
}

}  // namespace activation::server
