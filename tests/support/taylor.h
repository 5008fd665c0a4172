// Expansions of a formula about x = 0, for the inputs next to 0: half of all floats. There the
// formula itself cancels (x cos x - sin x), and thousands of millions of results lie so near to a
// midpoint between two floats that no float64 interval decides (x/2 for every odd subnormal x); the
// first terms of the series (series.h) tell both.
#ifndef ACTIVATION_TESTS_SUPPORT_TAYLOR_H_
#define ACTIVATION_TESTS_SUPPORT_TAYLOR_H_

#include <span>
#include <vector>

#include "tests/support/formula.h"

namespace activation::oracle {

// What evaluation in float64 needs of an expansion:
//   f(x) = x^order (c[0] + c[1] x + ...) (1 + error), |error| <= relative_error,
// on one side of 0, 0 < |x| <= radius, with the sum taken from the right (Horner), all rounded to
// nearest.
struct Expansion {
  double radius = 0;  // 0: none was found
  int order = 0;
  std::vector<double> coefficients;
  double relative_error = 0;
  // Whether c[0] is exact. If so: the sign of f(x) - c[0] x^order, whose size is at most
  // tail_bound |x|^tail_order; 0 if the sign is not known.
  bool leads_exactly = false;
  int tail_sign = 0;
  int tail_order = 0;
  double tail_bound = 0;
};

// side: 1 for x > 0, -1 for x < 0. The radius is the largest power of 2 up to 1/8, found by
// bisection, for which relative_error comes down to 2^-48.
Expansion ExpandAtZero(const Formula& formula, std::span<const double> parameters, int side);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_TAYLOR_H_
