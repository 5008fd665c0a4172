// Error bounds, in units of 2^-52, with t = x - m, m the largest element, and S = sum e^t >= 1:
//   e^t                  2 + |t|. Where |t| > 105, e^t < 2^-151 is 0 in every type but FLOAT64
//                        whatever its error, and so is what -infinity gives, e^-708.   <= 107
//   S                    its terms' errors, weighted: 2 + sum |t| e^t / S, where the quotient is
//                        largest, below 1 + log(n) / 2, for one 0 and n equal t.       <= 18
//   and its additions    (kBlock + 1) / 2; sums of blocks are added in pairs of float64. <= 129
//   e^t / S              two roundings                                                 <= 1
// Together 255: below kRelativeError = 2^-44.
#include "server/engine/fast_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "server/engine/bounded.h"
#include "server/engine/precise_block.h"
#include "server/engine/row_kernels.h"

namespace activation::engine {
namespace {

constexpr double kRelativeError = 0x1p-44;
static_assert(kBlock == 256);

// log S has the relative error of S as an absolute one; here that is still small beside it. A row
// with a smaller S hangs on what S has above 1.
constexpr double kLeastSumForLog = 1.25;
// Of t, log S and their difference, relative to the result: all have its sign.
constexpr double kLogRelativeError = 0x1p-51;

// Rounds intervals: whether both ends give the same.
bool Round(DataType type, const double* low, const double* high, std::byte* output, size_t count) {
  if (type == DataType::kFloat32) return RoundToFloat32(low, high, output, count);
  PreciseBlock block;
  std::fill(block.lo, block.lo + count, 0.0);
  std::fill(block.exponent, block.exponent + count, 0.0);
  std::copy(high, high + count, block.hi);
  std::byte others[kBlock * sizeof(float)];
  Encode(type, block, count, others);
  std::copy(low, low + count, block.hi);
  Encode(type, block, count, output);
  return std::memcmp(others, output, count * SizeOf(type)) == 0;
}

}  // namespace

bool RunFastSoftmax(Softmax kind, const RowOperation& operation, const std::byte* input,
                    std::byte* output, size_t length) {
  if (operation.output_type == DataType::kFloat64) return false;
  alignas(64) double x[kBlock], powers[kBlock], low[kBlock], high[kBlock];
  size_t loaded = length;  // the block that is in x
  const auto load = [&](size_t first) {
    const size_t count = std::min(kBlock, length - first);
    if (loaded != first) {
      Decode(operation.input_type, input + first * SizeOf(operation.input_type), count, x);
    }
    loaded = first;
    return count;
  };

  double largest = -HUGE_VAL;
  for (size_t first = 0; first < length; first += kBlock) {
    const double here = LargestOf(x, load(first));
    if (std::isnan(here)) return false;
    largest = std::max(largest, here);
  }
  if (largest == -HUGE_VAL) return false;
  DoublePair sum;
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    sum = sum + DoublePair{ExpAndSum(x, largest, powers, count), 0};
  }
  if (kind == Softmax::kLog && sum.hi < kLeastSumForLog) return false;

  const double log = std::log(sum.hi);
  const double low_factor = (1 - kRelativeError) / sum.hi,
               high_factor = (1 + kRelativeError) / sum.hi;
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    if (kind == Softmax::kLog) {
      for (size_t i = 0; i < count; ++i) {
        // -infinity only where x is: its interval is a point.
        const double y = x[i] - largest - log;
        const double error = kRelativeError + std::min(-y, 0x1p1023) * kLogRelativeError;
        low[i] = y - error;
        high[i] = y + error;
      }
    } else {
      if (length > kBlock) ExpAndSum(x, largest, powers, count);
      for (size_t i = 0; i < count; ++i) {
        low[i] = powers[i] * low_factor;
        high[i] = powers[i] * high_factor;
      }
    }
    std::byte* const out = output + first * SizeOf(operation.output_type);
    if (!Round(operation.output_type, low, high, out, count)) return false;
  }
  return true;
}

}  // namespace activation::engine
