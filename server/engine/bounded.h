// A real number in more than twice float64's precision with a proven bound of its error and an
// exponent of its own, so that nothing overflows, and nothing that matters vanishes: the scalars of
// the row functions.
//
// Bounds of double-word arithmetic as in double_double-inl.h; each here is rounded up to a power of
// two, which also covers the rounding of the bounds themselves.
#ifndef ACTIVATION_SERVER_ENGINE_BOUNDED_H_
#define ACTIVATION_SERVER_ENGINE_BOUNDED_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "server/engine/double_pair.h"

namespace activation::engine {

// 2^exponent, for exponents of normal numbers.
inline double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// The number is within (hi + lo +- error) 2^exponent; |hi| is in [1/2, 1), or hi is 0.
struct Bounded {
  double hi = 0;
  double lo = 0;
  double error = 0;
  int exponent = 0;
};

// hi and lo need not be normalized, nor ordered.
inline Bounded MakeBounded(double hi, double lo, double error, int exponent) {
  double sum;
  const double rest = TwoSum(hi, lo, sum);
  if (sum == 0) return {0, 0, error, exponent};
  int shift;
  const double mantissa = std::frexp(sum, &shift);
  // Twice, as 2^-shift may be out of range.
  const double half = PowerOfTwo(-shift / 2), other_half = PowerOfTwo(-shift - -shift / 2);
  return {mantissa, rest * half * other_half, error * half * other_half, exponent + shift};
}

inline Bounded operator-(const Bounded& a) { return {-a.hi, -a.lo, a.error, a.exponent}; }

inline Bounded operator*(const Bounded& a, const Bounded& b) {
  const double product = a.hi * b.hi;
  const double rest = std::fma(a.hi, b.hi, -product) + (a.hi * b.lo + a.lo * b.hi);
  const double error = (std::abs(a.hi) * b.error + std::abs(b.hi) * a.error + a.error * b.error);
  return MakeBounded(product, rest, error * (1 + 0x1p-20) + std::abs(product) * 0x1p-102,
                     a.exponent + b.exponent);
}

// For b.error < |b.hi| / 2.
inline Bounded operator/(const Bounded& a, const Bounded& b) {
  const double first = a.hi / b.hi;
  const double rest = std::fma(-first, b.hi, a.hi) + (a.lo - first * b.lo);
  const double error = (a.error + std::abs(first) * b.error) / (std::abs(b.hi) - b.error);
  return MakeBounded(first, rest / b.hi, error * (1 + 0x1p-20) + std::abs(first) * 0x1p-100,
                     a.exponent - b.exponent);
}

// A term that is smaller than the other by more than 2^740 counts as 2^-740 of it: next to that one
// only the sign matters.
inline Bounded operator+(const Bounded& a, const Bounded& b) {
  constexpr int kReach = 740;
  if (a.hi == 0 && a.error == 0) return b;
  if (b.hi == 0 && b.error == 0) return a;
  if (a.exponent < b.exponent) return b + a;
  const bool out_of_reach = b.exponent - a.exponent < -kReach;
  const double scale = PowerOfTwo(std::max(b.exponent - a.exponent, -kReach));
  const double hi = b.hi * scale, lo = b.lo * scale;
  double sum;
  const double rest = TwoSum(a.hi, hi, sum);
  double error =
      a.error + b.error * scale + (std::abs(rest) + std::abs(a.lo) + std::abs(lo)) * 0x1p-51;
  if (out_of_reach && a.hi == 0) error += std::abs(hi);  // nothing that it is next to
  return MakeBounded(sum, rest + (a.lo + lo), error, a.exponent);
}

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_BOUNDED_H_
