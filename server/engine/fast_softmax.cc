// Error bounds, in units of 2^-52, with t = x - m, m the largest element, and S = sum e^t >= 1:
//   e^t                  2 + |t|. Where |t| > 105, e^t < 2^-151 is 0 in every type but FLOAT64
//                        whatever its error, and so is what -infinity gives, e^-708.   <= 107
//   S                    its terms' errors, weighted: 2 + sum |t| e^t / S, where the quotient is
//                        largest, below 1 + log(n) / 2, for one 0 and n equal t.       <= 18
//   and its additions    (kBlock + 1) / 2; sums of blocks are added in pairs of float64. <= 129
//   e^t / S              two roundings                                                 <= 1
// Together 255: below kRelativeError = 2^-44.
//
// The derivatives' formulas are those of softmax_row.h. A factor may lift results by 2^129, so that
// e^t counts down to |t| = 195: kSlopeError = 2^-43 for e^t / S. A sum of e^t times what may be
// largest where |t| is, 708 at most, has 2 + 708 units of its terms' sizes, and 129 for additions:
// kWeightedError = 2^-42. A sum of upstreams alone has 129: kRelativeError.
#include "server/engine/fast_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "server/engine/double_pair.h"
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
// What t, log S and their difference are off by, relative to the result: all have its sign.
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
  PreciseBlock ends;
  std::fill(ends.lo, ends.lo + count, 0.0);
  std::fill(ends.exponent, ends.exponent + count, 0.0);
  std::copy(high, high + count, ends.hi);
  std::byte rounded_high[kBlock * sizeof(float)];
  Encode(type, ends, count, rounded_high);
  std::copy(low, low + count, ends.hi);
  Encode(type, ends, count, output);
  return std::memcmp(rounded_high, output, count * SizeOf(type)) == 0;
}

// A row whose derivatives are asked for, of which one block is at hand.
struct SlopeRow {
  SlopeRow(const SoftmaxOperation& op, const std::byte* in, const std::byte* up, size_t n)
      : operation(op), input(in), upstream(up), length(n) {}

  const SoftmaxOperation& operation;
  const std::byte* input;
  const std::byte* upstream;
  size_t length;
  alignas(64) double x[kBlock];
  alignas(64) double g[kBlock];
  alignas(64) double powers[kBlock];  // open until they are computed

  // Loads the block from the element `first` on; returns how many elements it has.
  size_t Load(size_t first) {
    const size_t count = std::min(kBlock, length - first);
    const size_t offset = first * SizeOf(operation.input_type);
    Decode(operation.input_type, input + offset, count, x);
    Decode(operation.input_type, upstream + offset, count, g);
    return count;
  }
};

struct Top {
  double x;
  double g;
  size_t place;

  bool IsIn(size_t first, size_t count) const { return place >= first && place < first + count; }
};

// None where the row is not for this path.
std::optional<Top> FindTop(SlopeRow& row) {
  Top top = {-HUGE_VAL, 0, 0};
  for (size_t first = 0; first < row.length; first += kBlock) {
    const size_t count = row.Load(first);
    const double here = LargestOf(row.x, count);
    const double upstreams = SumOf(count, [&row](size_t i) { return row.g[i]; }).size;
    if (std::isnan(here) || !std::isfinite(upstreams)) return std::nullopt;
    if (here <= top.x) continue;
    const auto place = static_cast<size_t>(std::find(row.x, row.x + count, here) - row.x);
    top = {here, row.g[place], first + place};
  }
  if (top.x == -HUGE_VAL) return std::nullopt;
  return top;
}

// Sums but for the top.
struct SlopeSums {
  double rest;         // of e^t
  double weighted;     // of e^t d, or of g for log_softmax
  double size;         // of what is in `weighted`
  double differences;  // sizes of d
};

SlopeSums AddUp(SlopeRow& row, const Top& top) {
  const bool log = row.operation.is_log;
  DoublePair rest, weighted;
  double size = 0, differences = 0;
  for (size_t first = 0; first < row.length; first += kBlock) {
    const size_t count = row.Load(first);
    if (top.IsIn(first, count)) {
      row.x[top.place - first] = -HUGE_VAL;
      if (log) row.g[top.place - first] = 0;
    }
    rest = rest + DoublePair{ExpAndSum(row.x, top.x, row.powers, count), 0};
    const SizedSum here =
        SumOf(count, [&](size_t i) { return log ? row.g[i] : row.powers[i] * (row.g[i] - top.g); });
    differences += SumOf(count, [&](size_t i) { return row.g[i] - top.g; }).size;
    weighted = weighted + DoublePair{here.total, 0};
    size += here.size;
  }
  return {rest.hi, weighted.hi, size, differences};
}

// What all elements' derivatives are made of.
struct Slope {
  double factor;  // 1 / (1 + rest)
  double value;   // (sum e_j d_j) / (1 + rest); g_top + sum g_j for log_softmax
  double error;
  bool is_zero;  // exactly
};

Slope SlopeOf(bool log, const Top& top, const SlopeSums& sums) {
  const double factor = 1 / (1 + sums.rest);
  const double size = log ? std::abs(top.g) + sums.size : sums.size * factor;
  const bool is_zero = log ? size == 0 : sums.differences == 0;
  const double error =
      size * (log ? kSlopeError + kRelativeError : kWeightedError) + (is_zero ? 0 : kTiny);
  return {factor, log ? top.g + sums.weighted : sums.weighted * factor, error, is_zero};
}

struct ResultInterval {
  double result;
  double error;
};

ResultInterval ResultAt(const SlopeRow& row, const Top& top, const Slope& slope, size_t i) {
  const double g = row.g[i];
  const bool is_masked = row.x[i] == -HUGE_VAL;
  if (is_masked) return {row.operation.is_log ? g + 0.0 : 0, 0};  // never -0
  const double y = row.powers[i] * slope.factor;
  if (row.operation.is_log) {
    const double result = slope.is_zero ? 0 : g - y * slope.value;
    return {result, y * slope.error + std::abs(result) * 0x1p-52 + (slope.is_zero ? 0 : kTiny)};
  }
  const double difference = g - top.g;
  return {y * (difference - slope.value),
          y * (slope.error + (std::abs(difference) + std::abs(slope.value)) * kSlopeError)};
}

// log_softmax's derivative at the top.
ResultInterval ResultAtTop(const Top& top, const SlopeSums& sums, const Slope& slope) {
  const double result = (sums.rest * top.g - sums.weighted) * slope.factor;
  return {result, (sums.rest * std::abs(top.g) * kWeightedError + sums.size * kRelativeError) *
                          slope.factor +
                      std::abs(result) * kSlopeError + (slope.is_zero ? 0 : kTiny)};
}

}  // namespace

bool RunFastSoftmax(const SoftmaxOperation& operation, const std::byte* input, std::byte* output,
                    size_t length) {
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
  if (operation.is_log && sum.hi < kLeastSumForLog) return false;

  const double log = std::log(sum.hi);
  const double low_factor = (1 - kRelativeError) / sum.hi,
               high_factor = (1 + kRelativeError) / sum.hi;
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = load(first);
    if (operation.is_log) {
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

bool RunFastSoftmaxSlope(const SoftmaxOperation& operation, const std::byte* input,
                         const std::byte* upstream, std::byte* output, size_t length) {
  if (operation.input_type == DataType::kFloat64) return false;
  if (operation.output_type == DataType::kFloat64) return false;
  SlopeRow row(operation, input, upstream, length);
  const std::optional<Top> top = FindTop(row);
  if (!top) return false;
  const SlopeSums sums = AddUp(row, *top);
  if (sums.rest < kLeastRest) return false;
  const Slope slope = SlopeOf(operation.is_log, *top, sums);

  double low[kBlock], high[kBlock];
  const auto set = [&](size_t i, const ResultInterval& interval) {
    low[i] = interval.result - interval.error;
    high[i] = interval.result + interval.error;
  };
  for (size_t first = 0; first < length; first += kBlock) {
    const size_t count = row.Load(first);
    ExpAndSum(row.x, top->x, row.powers, count);
    for (size_t i = 0; i < count; ++i) set(i, ResultAt(row, *top, slope, i));
    if (operation.is_log && top->IsIn(first, count)) {
      set(top->place - first, ResultAtTop(*top, sums, slope));
    }
    std::byte* const out = output + first * SizeOf(operation.output_type);
    if (!Round(operation.output_type, low, high, out, count)) return false;
  }
  return true;
}

}  // namespace activation::engine
