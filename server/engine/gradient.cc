#include "server/engine/gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/engine/double_pair.h"
#include "server/engine/kernels.h"
#include "server/engine/precise_block.h"

namespace activation::engine {

// Plain where it is not finite.
void PreciseSum::Add(const PreciseSum& term) {
  if (const double plain = hi + term.hi; !std::isfinite(plain)) {
    hi = std::isnan(plain) ? std::numeric_limits<double>::quiet_NaN() : plain;
    lo = 0;
    return;
  }
  const DoublePair sum = DoublePair{hi, lo} + DoublePair{term.hi, term.lo};
  hi = sum.hi;
  lo = sum.lo;
}

void AddGradient(const Function& function, int what, DataType input_type, const Operands& operands,
                 size_t count, PreciseSum& sum) {
  const int row = what == kBias ? kDerivativeRow : kFirstParameterRow + what;
  PreciseBlock block;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    ComputeTimesUpstream(function, row, input_type, operands, start, length, block);
    for (size_t i = 0; i < length; ++i) {
      sum.Add({Scale(block.hi[i], block.exponent[i]), Scale(block.lo[i], block.exponent[i])});
    }
  }
}

}  // namespace activation::engine
