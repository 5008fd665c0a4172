// A block of bounded numbers (bounded.h) on their way to packed elements, and which of them have a
// bound that is too wide to tell how they round.
#ifndef ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_
#define ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_

#include <cstddef>

#include "server/engine/bounded.h"
#include "server/engine/data_type.h"
#include "server/engine/kernels.h"

namespace activation::engine {

class BoundedBlock {
 public:
  // A zero becomes +0.
  void Set(size_t i, const Bounded& number);

  // Packs the first `count`, each rounded once as if it had no error.
  void Encode(DataType type, size_t count, std::byte* data) const;

  // Whether all of the i-th's interval rounds to the same number of `type` (FLOAT64: to within 1
  // ULP).
  bool IsDecided(DataType type, size_t i) const;

 private:
  PreciseBlock numbers_;
  double errors_[kBlock];
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_BOUNDED_BLOCK_H_
