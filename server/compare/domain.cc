#include "server/compare/domain.h"

#include <algorithm>

#include "server/compare/normal_samples.h"
#include "server/engine/packed.h"

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

uint64_t SignBit(engine::DataType type) {
  return uint64_t{1} << (8 * static_cast<int>(engine::SizeOf(type)) - 1);
}

}  // namespace

int64_t OrdinalOf(engine::DataType type, uint64_t bits) {
  const uint64_t sign = SignBit(type);
  const int64_t size = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -1 - size : size;
}

uint64_t BitsAt(engine::DataType type, int64_t ordinal) {
  return ordinal < 0 ? static_cast<uint64_t>(-1 - ordinal) | SignBit(type)
                     : static_cast<uint64_t>(ordinal);
}

uint64_t BitsOf(engine::DataType type, double value) {
  std::byte packed[sizeof(uint64_t)] = {};
  engine::Encode(type, &value, 1, packed);
  return engine::LoadAs<uint64_t>(packed, 0);
}

double ValueOf(engine::DataType type, uint64_t bits) {
  std::byte packed[sizeof(double)];
  StoreBits(type, packed, 0, bits);
  double value = 0;
  engine::Decode(type, packed, 1, &value);
  return value;
}

void StoreBits(engine::DataType type, std::byte* packed, size_t index, uint64_t bits) {
  switch (engine::SizeOf(type)) {
    case 2:
      return engine::StoreAs(packed, index, static_cast<uint16_t>(bits));
    case 4:
      return engine::StoreAs(packed, index, static_cast<uint32_t>(bits));
    default:
      return engine::StoreAs(packed, index, bits);
  }
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
                          each([&](int64_t i) { return BitsOf(type, GridPoint(grid, i, count)); });
                        },
                        [&](const ConsecutiveValues& values) {
                          each([&](int64_t i) { return BitsAt(type, values.first + i); });
                        },
                        [&](const NormalSamples& normal) {
                          each([&](int64_t i) {
                            const double z = NormalSample(normal.seed, static_cast<uint64_t>(i));
                            return BitsOf(type, normal.mean + normal.standard_deviation * z);
                          });
                        },
                        [&](const GivenPoints& given) {
                          ElementReader(given.elements).Copy(static_cast<size_t>(first), n, packed);
                        }},
             source);
}

}  // namespace activation::server
