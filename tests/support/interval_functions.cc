#include "tests/support/interval_functions.h"

#include <cmath>
#include <limits>

#include "tests/support/library_arrays.h"

namespace activation::oracle {
namespace {

// glibc's manual ("Errors in Math Functions") has at most 3 ULP on x86-64 for the scalar functions
// used here, and libmvec promises 4. Here, four times that is trusted: interval_test.cc looks for a
// violation with Arb's help.
constexpr double kLibraryUlps = 16;
// An ULP is at most 2^-52 of a normal number.
constexpr double kRelative = kLibraryUlps * 0x1p-52;
// The same for softplus, which is three operations.
constexpr double kSoftplusRelative = 3 * kRelative;
// A result below the smallest normal number may have been flushed to 0.
constexpr double kTiny = 2 * std::numeric_limits<double>::min();
// Nothing is promised about where an overflow begins, to an ULP.
constexpr double kSurelyFinite = 0x1p1023;

// The result of a function at both ends, in `y`, made an enclosure: widened, then cut to [low,
// high], the function's range. keeps_sign: f(t) has the sign of t.
ACTIVATION_LOOP void Widen(const Lanes& a, double relative, double low, double high,
                           bool keeps_sign, Lanes& y) {
  const double negated_low = -low;
  for (size_t i = 0; i < kLanes; ++i) {
    const double below = Max(NumberOrInfinity(y.negated_low[i]), -kSurelyFinite);
    const double above = NumberOrInfinity(y.high[i]);
    const double lowest = below + (std::fabs(below) * relative + kTiny);
    const double highest = above + (std::fabs(above) * relative + kTiny);
    y.negated_low[i] =
        Min(lowest, keeps_sign && a.negated_low[i] <= 0 ? Min(0, negated_low) : negated_low);
    y.high[i] = Min(highest, keeps_sign && a.high[i] <= 0 ? Min(0, high) : high);
  }
}

struct Range {
  double low = -kInfinity;
  double high = kInfinity;
  bool keeps_sign = false;
};

// Calls f(argument, result) rounding to nearest, which the C library is made for.
template <typename F>
void Increasing(F f, const Lanes& a, Range range, Lanes& y, double relative = kRelative) {
  double low[kLanes], at_low[kLanes];
  for (size_t i = 0; i < kLanes; ++i) low[i] = -a.negated_low[i];
  {
    const ScopedRounding nearest(FE_TONEAREST);
    f(low, at_low);
    f(a.high, y.high);
  }
  for (size_t i = 0; i < kLanes; ++i) y.negated_low[i] = -at_low[i];
  Widen(a, relative, range.low, range.high, range.keeps_sign, y);
}

// log(1 + e^t) = max(t, 0) + log(1 + e^-|t|), a sum of positive numbers.
void SoftplusArray(const double* from, double* to) {
  double minus_abs[kLanes], rest[kLanes];
  for (size_t i = 0; i < kLanes; ++i) minus_abs[i] = -std::fabs(from[i]);
  ExpArray(minus_abs, rest);
  Log1pArray(rest, to);
  for (size_t i = 0; i < kLanes; ++i) to[i] += Max(from[i], 0);
}

// sin or cos, by their slope, which is at most 1: f(middle) plus or minus half the width.
template <typename F>
void Wave(F f, const Lanes& a, Lanes& y) {
  double middle[kLanes], at_middle[kLanes], reach[kLanes];
  for (size_t i = 0; i < kLanes; ++i) {
    const double low = -a.negated_low[i];
    middle[i] = low + (a.high[i] - low) / 2;
    // Upwards, whatever way `middle` was rounded.
    reach[i] = Max(a.high[i] - middle[i], middle[i] + a.negated_low[i]);
  }
  {
    const ScopedRounding nearest(FE_TONEAREST);
    f(middle, at_middle);
  }
  for (size_t i = 0; i < kLanes; ++i) {
    y.high[i] = at_middle[i] + reach[i];
    y.negated_low[i] = reach[i] - at_middle[i];
  }
  Widen(a, kRelative, -1, 1, false, y);
}

}  // namespace

void CosLanes(const Lanes& a, Lanes& y) { Wave(CosArray, a, y); }

void CoshLanes(const Lanes& a, Lanes& y) {
  Lanes size;
  AbsLanes(a, size);
  Increasing(CoshArray, size, {.low = 1}, y);
}

void ErfLanes(const Lanes& a, Lanes& y) {
  Increasing(ErfArray, a, {.low = -1, .high = 1, .keeps_sign = true}, y);
}

void ErfcLanes(const Lanes& a, Lanes& y) {
  Lanes negated;
  NegateLanes(a, negated);
  Increasing(
      [](const double* from, double* to) {
        double minus[kLanes];
        for (size_t i = 0; i < kLanes; ++i) minus[i] = -from[i];
        ErfcArray(minus, to);
      },
      negated, {.low = 0, .high = 2}, y);
}

void ExpLanes(const Lanes& a, Lanes& y) { Increasing(ExpArray, a, {.low = 0}, y); }

void Expm1Lanes(const Lanes& a, Lanes& y) {
  Increasing(Expm1Array, a, {.low = -1, .keeps_sign = true}, y);
}

void LogLanes(const Lanes& a, Lanes& y) { Increasing(LogArray, a, {}, y); }

void Log1pLanes(const Lanes& a, Lanes& y) { Increasing(Log1pArray, a, {.keeps_sign = true}, y); }

void SinLanes(const Lanes& a, Lanes& y) { Wave(SinArray, a, y); }

void SqrtLanes(const Lanes& a, Lanes& y) {
  const auto sqrt_array = [](const double* from, double* to) {
    for (size_t i = 0; i < kLanes; ++i) to[i] = std::sqrt(from[i]);
  };
  Increasing(sqrt_array, a, {.low = 0}, y);
}

void TanhLanes(const Lanes& a, Lanes& y) {
  Increasing(TanhArray, a, {.low = -1, .high = 1, .keeps_sign = true}, y);
}

void SoftplusLanes(const Lanes& a, Lanes& y) {
  Increasing(SoftplusArray, a, {.low = 0}, y, kSoftplusRelative);
}

// 1 - 1/(2 a^2) < e^(a^2) erfc(a) a sqrt(pi) < 1 (DLMF 7.12.1).
void ScaledErfcLanes(const Lanes& a, Lanes& y) {
  constexpr double kRootPiBelow = 0x1.c5bf891b4ef6ap+0;
  constexpr double kRootPiAbove = 0x1.c5bf891b4ef6bp+0;
  for (size_t i = 0; i < kLanes; ++i) {
    const double low = -a.negated_low[i];
    const bool known = low > 1;
    const double negated_square = -low * low;
    const double negated_share = -0.5 / negated_square - 1;
    y.high[i] = known ? -1 / (low * -kRootPiBelow) : kInfinity;
    y.negated_low[i] = known ? negated_share / (a.high[i] * kRootPiAbove) : 0;
  }
}

}  // namespace activation::oracle
