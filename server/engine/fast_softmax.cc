// Error bounds, in units of 2^-52, with t = x - m, m the largest element, and S = sum e^t >= 1:
//   e^t                  2 + |t|. Where |t| > 105, e^t < 2^-151 is 0 in every type but FLOAT64
//                        whatever its error, and so is what -infinity gives, e^-708.   <= 107
//   S                    its terms' errors, weighted: 2 + sum |t| e^t / S, where the quotient is
//                        largest, below 1 + log(n) / 2, for one 0 and n equal t.       <= 18
//   and its additions    (kBlock + 1) / 2; sums of blocks are added in pairs of float64. <= 129
//   e^t / S              two roundings                                                 <= 1
// Together 255: below kRelativeError = 2^-44.
//
// The derivatives' formulas are those of softmax.cc. A factor may lift results by 2^129, so that
// e^t counts down to |t| = 195: kSlopeError = 2^-43 for e^t / S. A sum of e^t times what may be
// largest where |t| is, 708 at most, has 2 + 708 units of its terms' sizes, and 129 for additions:
// kWeightedError = 2^-42. A sum of upstreams alone has 129: kRelativeError.
#include "server/engine/fast_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "server/engine/bounded.h"
#include "server/engine/packed.h"
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

constexpr double kSlopeError = 0x1p-43;
constexpr double kWeightedError = 0x1p-42;
// What e^-708 in place of less, or of 0, times an upstream adds to sums, and what is lost to
// underflow: far less than this, if anything is not 0.
constexpr double kTiny = 0x1p-850;
// All but one element count for nothing below this.
constexpr double kLeastRest = 0x1p-800;

// The sum of count <= kBlock terms and of their sizes, in as many lanes as to make it fast.
struct SizedSum {
  double total = 0, size = 0;
};
template <class Term>
SizedSum SumOf(size_t count, Term term) {
  constexpr size_t kLanes = 8;
  double totals[kLanes] = {}, sizes[kLanes] = {};
  for (size_t i = 0; i < count; ++i) {
    const double t = term(i);
    totals[i % kLanes] += t;
    sizes[i % kLanes] += std::abs(t);
  }
  SizedSum sum;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    sum.total += totals[lane];
    sum.size += sizes[lane];
  }
  return sum;
}

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

bool RunFastSoftmaxSlope(Softmax kind, const RowOperation& operation, const std::byte* input,
                         const std::byte* upstream, std::byte* output, size_t length) {
  const bool log = kind == Softmax::kLog;
  const DataType type = operation.input_type;
  if (type == DataType::kFloat64 || operation.output_type == DataType::kFloat64) return false;
  alignas(64) double x[kBlock], g[kBlock], powers[kBlock], low[kBlock], high[kBlock];
  const auto load = [&](size_t first) {
    const size_t count = std::min(kBlock, length - first);
    Decode(type, input + first * SizeOf(type), count, x);
    Decode(type, upstream + first * SizeOf(type), count, g);
    return count;
  };

  double largest = -HUGE_VAL;
  size_t top = 0;
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    const double here = LargestOf(x, count);
    const double upstreams = SumOf(count, [&g](size_t i) { return g[i]; }).size;
    if (std::isnan(here) || !std::isfinite(upstreams)) return false;
    if (here <= largest) continue;
    largest = here;
    top = first + static_cast<size_t>(std::find(x, x + count, here) - x);
  }
  if (largest == -HUGE_VAL) return false;
  double g_top;
  Decode(type, upstream + top * SizeOf(type), 1, &g_top);

  // Sums but for the top.
  DoublePair rest_sum, weighted_sum;
  double size = 0, differences = 0;
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    if (top >= first && top < first + count) {
      x[top - first] = -HUGE_VAL;
      if (log) g[top - first] = 0;
    }
    rest_sum = rest_sum + DoublePair{ExpAndSum(x, largest, powers, count), 0};
    const SizedSum weighted =
        SumOf(count, [&](size_t i) { return log ? g[i] : powers[i] * (g[i] - g_top); });
    differences += SumOf(count, [&](size_t i) { return g[i] - g_top; }).size;
    weighted_sum = weighted_sum + DoublePair{weighted.total, 0};
    size += weighted.size;
  }
  const double rest = rest_sum.hi, weighted = weighted_sum.hi, all = 1 + rest;
  if (rest < kLeastRest) return false;

  const double factor = 1 / all;
  const double slope = log ? g_top + weighted : weighted * factor;
  const double slope_size = log ? std::abs(g_top) + size : size * factor;
  const bool is_zero = log ? slope_size == 0 : differences == 0;
  const double slope_error =
      slope_size * (log ? kSlopeError + kRelativeError : kWeightedError) + (is_zero ? 0 : kTiny);
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    ExpAndSum(x, largest, powers, count);
    for (size_t i = 0; i < count; ++i) {
      const double y = powers[i] * factor;
      double result, error;
      if (log) {
        result = is_zero ? 0 : g[i] - y * slope;
        error = y * slope_error + std::abs(result) * 0x1p-52 + (is_zero ? 0 : kTiny);
      } else {
        const double difference = g[i] - g_top;
        result = y * (difference - slope);
        error = y * (slope_error + (std::abs(difference) + std::abs(slope)) * kSlopeError);
      }
      const bool is_masked = x[i] == -HUGE_VAL;
      if (is_masked) {
        result = log ? g[i] + 0.0 : 0;  // never -0
        error = 0;
      }
      low[i] = result - error;
      high[i] = result + error;
    }
    if (log && top >= first && top < first + count) {
      const double numerator = rest * g_top - weighted;
      const double error =
          (rest * std::abs(g_top) * kWeightedError + size * kRelativeError) * factor +
          std::abs(numerator * factor) * kSlopeError + (is_zero ? 0 : kTiny);
      low[top - first] = numerator * factor - error;
      high[top - first] = numerator * factor + error;
    }
    std::byte* const out = output + first * SizeOf(operation.output_type);
    if (!Round(operation.output_type, low, high, out, count)) return false;
  }
  return true;
}

}  // namespace activation::engine
