#include "server/engine/precise_block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "proto/element_type.h"
#include "server/engine/catalogue.h"
#include "server/engine/hard_value.h"
#include "server/engine/kernels_precise.h"

namespace activation::engine {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The relative error of a kernel's lo is below this: of hi + lo it is 2^-95.
constexpr double kNoise = 0x1p-40;

// hi + lo to 53 bits by rounding to odd: the result differs from a value that two more bits would
// round correctly in no way that a later rounding to 24 bits or fewer could see (S. Boldo, G.
// Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 57(4), 2008).
double RoundToOdd(double hi, double lo) {
  const uint64_t bits = std::bit_cast<uint64_t>(hi);
  if (lo == 0 || (bits & 1) != 0 || !std::isfinite(hi) || hi == 0) return hi;
  return std::bit_cast<double>(std::signbit(hi) == std::signbit(lo) ? bits + 1 : bits - 1);
}

// x + x_lo, exactly: the nearest double and what it lacks (T. J. Dekker, Numer. Math. 18, 1971, in
// the order of sizes, where no step overflows unless the sum does).
void AddBias(DataType type, const std::byte* bias, size_t count, PreciseBlock& block) {
  double addends[kBlock];
  Decode(type, bias, count, addends);
  for (size_t i = 0; i < count; ++i) {
    const double sum = block.x[i] + addends[i];
    const bool is_less = std::abs(block.x[i]) < std::abs(addends[i]);
    const double large = is_less ? addends[i] : block.x[i];
    const double small = is_less ? block.x[i] : addends[i];
    block.x_lo[i] = std::isfinite(sum) ? small - (sum - large) : 0;
    block.x[i] = sum;
  }
}

}  // namespace

double Scale(double value, double exponent) {
  return exponent == 0 ? value : std::ldexp(value, static_cast<int>(exponent));
}

void LoadArguments(DataType type, const Operands& operands, size_t start, size_t count,
                   PreciseBlock& block) {
  const size_t offset = start * SizeOf(type);
  Decode(type, operands.input + offset, count, block.x);
  if (operands.bias != nullptr) {
    AddBias(type, operands.bias + offset, count, block);
  } else {
    std::fill(block.x_lo, block.x_lo + count, 0.0);
  }
}

void Compute(const Function& function, int row, PreciseBlock& block, size_t count) {
  // Masks are full of infinities: don't work for lanes whose result is known.
  if (std::any_of(block.x, block.x + count, [](double x) { return std::isfinite(x); })) {
    const size_t padded = (count + kPadding - 1) / kPadding * kPadding;
    std::fill(block.x + count, block.x + padded, 0.0);
    std::fill(block.x_lo + count, block.x_lo + padded, 0.0);
    PreciseKernels()[IndexOf(*function.spec)][row](function.parameters.data(), block, count);
  }
  for (size_t i = 0; i < count; ++i) {
    const double x = block.x[i];
    PreciseValue value = {block.hi[i], block.lo[i], block.exponent[i]};
    if (std::isnan(x)) {
      value = {kNaN, 0, 0};
    } else if (std::isinf(x)) {
      value = LimitAtInfinity(function, row, x < 0);
    } else if (std::isnan(value.hi)) {
      value = Multiprecise(function, row, x, block.x_lo[i]);
    }
    if (x == 0 && value.hi == 0) {
      const bool follows_x = row == kValueRow && !function.spec->positive_zero;
      value.hi = follows_x ? x : 0.0;
    }
    block.hi[i] = value.hi;
    block.lo[i] = value.lo;
    block.exponent[i] = value.exponent;
  }
}

void Multiply(PreciseBlock& block, const double* factors, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double plain = block.hi[i] * factors[i];
    if (block.hi[i] == 0 || factors[i] == 0 || !std::isfinite(block.hi[i]) ||
        !std::isfinite(factors[i])) {
      block.hi[i] = plain;
      block.lo[i] = 0;
      continue;
    }
    int hi_exponent, factor_exponent;
    const double hi = std::frexp(block.hi[i], &hi_exponent);
    const double lo = std::ldexp(block.lo[i], -hi_exponent);
    const double factor = std::frexp(factors[i], &factor_exponent);
    const double product = hi * factor;
    const double low = lo * factor;
    double rest = std::fma(hi, factor, -product) + low;
    // Where the two cancel, only the rounding error of lo is left, as in 1/6 * 9 = 3/2.
    if (std::abs(rest) <= kNoise * std::abs(low)) rest = 0;
    block.hi[i] = product + rest;
    block.lo[i] = rest - (block.hi[i] - product);
    block.exponent[i] += hi_exponent + factor_exponent;
  }
}

void ComputeTimesUpstream(const Function& function, int row, DataType type,
                          const Operands& operands, size_t start, size_t count,
                          PreciseBlock& block) {
  LoadArguments(type, operands, start, count, block);
  Compute(function, row, block, count);
  if (operands.upstream == nullptr) return;
  double factors[kBlock];
  Decode(type, operands.upstream + start * SizeOf(type), count, factors);
  Multiply(block, factors, count);
}

void Encode(DataType type, const PreciseBlock& block, size_t count, std::byte* data) {
  double values[kBlock];
  for (size_t i = 0; i < count; ++i) {
    const double nearest = block.hi[i];
    const double value = type == DataType::kFloat64 ? nearest : RoundToOdd(nearest, block.lo[i]);
    values[i] = Scale(value, block.exponent[i]);
  }
  Encode(type, values, count, data);
}

}  // namespace activation::engine
