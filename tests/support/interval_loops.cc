#include "tests/support/interval_loops.h"

#include <algorithm>

namespace activation::oracle {
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
