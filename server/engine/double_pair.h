// Exact sums of two float64, and pairs of float64 as one number of twice the precision: the scalars
// beside DoubleDouble's vectors, whose algorithms and error bounds they have (double_double-inl.h).
#ifndef ACTIVATION_SERVER_ENGINE_DOUBLE_PAIR_H_
#define ACTIVATION_SERVER_ENGINE_DOUBLE_PAIR_H_

#include <cmath>

namespace activation::engine {

// a + b = sum + the return value, exactly.
inline double TwoSum(double a, double b, double& sum) {
  sum = a + b;
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// hi + lo, |lo| <= ulp(hi)/2.
struct DoublePair {
  double hi = 0;
  double lo = 0;
};

// Relative error 3 2^-106.
inline DoublePair operator+(DoublePair a, DoublePair b) {
  double high, low, first;
  const double high_rest = TwoSum(a.hi, b.hi, high);
  const double low_rest = TwoSum(a.lo, b.lo, low);
  const double carried = TwoSum(high, high_rest + low, first);
  DoublePair sum;
  sum.lo = TwoSum(first, low_rest + carried, sum.hi);
  return sum;
}

// Relative error 5 2^-106.
inline DoublePair operator*(DoublePair a, DoublePair b) {
  const double product = a.hi * b.hi;
  const double rest = std::fma(a.hi, b.hi, -product) + (a.hi * b.lo + a.lo * b.hi);
  DoublePair result;
  result.lo = TwoSum(product, rest, result.hi);
  return result;
}

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_DOUBLE_PAIR_H_
