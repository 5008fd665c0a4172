// The points of a comparison: where they come from, and any stretch of them on demand.
#ifndef ACTIVATION_SERVER_COMPARE_DOMAIN_H_
#define ACTIVATION_SERVER_COMPARE_DOMAIN_H_

#include <cstddef>
#include <cstdint>
#include <variant>

#include "proto/element_type.h"
#include "server/evaluate/elements.h"

namespace activation::server {

// Evenly spaced from `from` to `to`, rounded to the type: the ends exact, the others within 1 ULP
// of float64 before that.
struct GridPoints {
  double from;
  double to;
};

// The type's values in ascending order from the one with this ordinal on (OrdinalOf).
struct ConsecutiveValues {
  int64_t first;
};

// Samples of a normal distribution, as normal_samples.h makes them.
struct NormalSamples {
  double mean;
  double standard_deviation;
  uint64_t seed;
};

// They point into the request.
struct GivenPoints {
  Elements elements;
  bool is_ascending;
};

struct Domain {
  DataType type = DataType::kFloat64;
  int64_t count = 0;
  std::variant<GridPoints, ConsecutiveValues, NormalSamples, GivenPoints> source = GridPoints{};

  // Whether no point is below one before it.
  bool IsAscending() const;
  // Writes `count` points from `first` on, packed.
  void Fill(int64_t first, size_t count, std::byte* packed) const;
};

// The place of a value in the ascending order of a type's values, that of +0 being 0 and of -0
// being -1; `bits` are the type's. NaN lies beyond the infinities.
int64_t OrdinalOf(DataType type, uint64_t bits);
uint64_t BitsAt(DataType type, int64_t ordinal);

// Sets one element.
void StoreBits(DataType type, std::byte* packed, size_t index, uint64_t bits);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_DOMAIN_H_
