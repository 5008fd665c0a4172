// A block of bounded numbers (bounded.h) on their way to packed elements, and which of them have a
// bound that is too wide to tell how they round.
#ifndef ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_
#define ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_

#include <cmath>
#include <cstddef>

#include "proto/element_type.h"
#include "server/engine/bounded.h"
#include "server/engine/kernels.h"

namespace activation::engine {

class BoundedBlock {
 public:
  // A zero becomes +0.
  void Set(size_t i, const Bounded& number) {
    numbers_.hi[i] = number.hi + 0.0;  // never -0
    numbers_.lo[i] = number.lo;
    numbers_.exponent[i] = number.exponent;
    errors_[i] = number.error;
  }

  // Packs the first `count`, each rounded once as if it had no error.
  void Encode(DataType type, size_t count, std::byte* data) const;

  // Whether all of the i-th's interval rounds to the same number of `type` (FLOAT64: to within 1
  // ULP).
  bool IsDecided(DataType type, size_t i) const {
    const double error = errors_[i];
    if (error == 0) return true;
    if (type == DataType::kFloat64) return error <= std::abs(numbers_.hi[i]) * 0x1p-55;
    return std::abs(numbers_.lo[i]) > error || EndsRoundAlike(type, i);
  }

 private:
  bool EndsRoundAlike(DataType type, size_t i) const;

  PreciseBlock numbers_;
  double errors_[kBlock];
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_
