#include "tests/support/interval_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/library_arrays.h"

#if defined(__x86_64__) && !defined(__clang__)
#define ACTIVATION_LOOP __attribute__((noinline, target_clones("avx2", "default")))
#else
#define ACTIVATION_LOOP __attribute__((noinline))
#endif

namespace activation::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// 0 times an infinite end is 0: the end only stands for all finite numbers.
inline double NumberOrZero(double x) { return x == x ? x : 0; }
inline double NumberOrInfinity(double x) { return x == x ? x : kInfinity; }
inline double Max(double a, double b) { return a > b ? a : b; }
inline double Min(double a, double b) { return a < b ? a : b; }

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

ACTIVATION_LOOP void AddLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.negated_low[i] = NumberOrInfinity(a.negated_low[i] + b.negated_low[i]);
    y.high[i] = NumberOrInfinity(a.high[i] + b.high[i]);
  }
}

ACTIVATION_LOOP void SubtractLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.negated_low[i] = NumberOrInfinity(a.negated_low[i] + b.high[i]);
    y.high[i] = NumberOrInfinity(a.high[i] + b.negated_low[i]);
  }
}

ACTIVATION_LOOP void NegateLanes(const Lanes& a, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.negated_low[i] = a.high[i];
    y.high[i] = a.negated_low[i];
  }
}

ACTIVATION_LOOP void MultiplyLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    const double an = a.negated_low[i], ah = a.high[i];
    const double bn = b.negated_low[i], bh = b.high[i];
    // The four products of ends, and the same negated; each sign goes to a factor, before rounding.
    const double ll = NumberOrZero(an * bn), hh = NumberOrZero(ah * bh);
    const double lh = NumberOrZero(-an * bh), hl = NumberOrZero(ah * -bn);
    const double negated_ll = NumberOrZero(-an * bn), negated_hh = NumberOrZero(-ah * bh);
    const double negated_lh = NumberOrZero(an * bh), negated_hl = NumberOrZero(ah * bn);
    y.high[i] = Max(Max(ll, hh), Max(lh, hl));
    y.negated_low[i] = Max(Max(negated_ll, negated_hh), Max(negated_lh, negated_hl));
  }
}

ACTIVATION_LOOP void DivideLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    // By a divisor > 0; for one below 0, both change their sign.
    const bool flip = b.high[i] <= 0;
    const double an = flip ? a.high[i] : a.negated_low[i];
    const double ah = flip ? a.negated_low[i] : a.high[i];
    const double divisor_high = flip ? b.negated_low[i] : b.high[i];
    const double end = flip ? b.high[i] : b.negated_low[i];
    const double divisor_low = end == 0 ? 0 : -end;
    const double high = NumberOrZero(ah / (ah > 0 ? divisor_low : divisor_high));
    const double negated_low = NumberOrZero(an / (an > 0 ? divisor_low : divisor_high));
    const bool contains_zero = divisor_low < 0 || divisor_high == 0;
    y.high[i] = contains_zero ? kInfinity : high;
    y.negated_low[i] = contains_zero ? kInfinity : negated_low;
  }
}

ACTIVATION_LOOP void AbsLanes(const Lanes& a, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.high[i] = Max(a.negated_low[i], a.high[i]);
    y.negated_low[i] = Min(Min(a.negated_low[i], a.high[i]), 0);
  }
}

namespace {

// size^n rounded up, and minus size^n rounded towards 0; size >= 0.
inline double PowerUp(double size, int n) {
  double y = size;
  for (int k = 1; k < n; ++k) y *= size;
  return y;
}
inline double NegatedPowerDown(double size, int n) {
  double y = -size;
  for (int k = 1; k < n; ++k) y *= size;
  return y;
}

}  // namespace

void PowerLanes(const Lanes& a, int n, Lanes& y) {
  if (n % 2 == 0) {
    Lanes size;
    AbsLanes(a, size);
    for (size_t i = 0; i < kLanes; ++i) {
      y.high[i] = PowerUp(size.high[i], n);
      y.negated_low[i] = NegatedPowerDown(-size.negated_low[i], n);
    }
    return;
  }
  for (size_t i = 0; i < kLanes; ++i) {
    const double an = a.negated_low[i], ah = a.high[i];
    y.high[i] = ah > 0 ? PowerUp(ah, n) : NegatedPowerDown(-ah, n);
    y.negated_low[i] = an > 0 ? PowerUp(an, n) : NegatedPowerDown(-an, n);
  }
}

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

ACTIVATION_LOOP void LessLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.negated_low[i] = a.high[i] < -b.negated_low[i] ? -1 : 0;
    y.high[i] = -a.negated_low[i] < b.high[i] ? 1 : 0;
  }
}

ACTIVATION_LOOP void LessEqualLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    y.negated_low[i] = a.high[i] <= -b.negated_low[i] ? -1 : 0;
    y.high[i] = -a.negated_low[i] <= b.high[i] ? 1 : 0;
  }
}

ACTIVATION_LOOP void EqualLanes(const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    const bool points = a.high[i] == -a.negated_low[i] && b.high[i] == -b.negated_low[i];
    y.negated_low[i] = points && a.high[i] == b.high[i] ? -1 : 0;
    y.high[i] = -a.negated_low[i] <= b.high[i] && -b.negated_low[i] <= a.high[i] ? 1 : 0;
  }
}

ACTIVATION_LOOP void ChooseLanes(const Lanes& condition, const Lanes& a, const Lanes& b, Lanes& y) {
  for (size_t i = 0; i < kLanes; ++i) {
    const bool sure = condition.negated_low[i] == -1;
    const bool never = condition.high[i] == 0;
    const double negated_hull = Max(a.negated_low[i], b.negated_low[i]);
    const double hull = Max(a.high[i], b.high[i]);
    y.negated_low[i] = sure ? a.negated_low[i] : never ? b.negated_low[i] : negated_hull;
    y.high[i] = sure ? a.high[i] : never ? b.high[i] : hull;
  }
}

bool AllTrue(const Lanes& condition) {
  return std::all_of(condition.negated_low, condition.negated_low + kLanes,
                     [](double x) { return x == -1; });
}

bool AllFalse(const Lanes& condition) {
  return std::all_of(condition.high, condition.high + kLanes, [](double x) { return x == 0; });
}

}  // namespace activation::oracle
