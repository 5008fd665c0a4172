// What the engine knows of each activation besides the vector kernels: limits at infinity, and the
// kernels over multiprecision numbers for inputs that pairs of float64 can't decide.
#ifndef ACTIVATION_SERVER_ENGINE_HARD_VALUE_H_
#define ACTIVATION_SERVER_ENGINE_HARD_VALUE_H_

#include "server/engine/operation.h"

namespace activation::engine {

// (hi + lo) 2^exponent.
struct PreciseValue {
  double hi;
  double lo;
  double exponent;
};

// At the exact x + x_lo, finite, |x_lo| <= ulp(x)/2: relative error 2^-105 even where the kernel
// cancels 100 bits. `row` as in kernels.h.
PreciseValue Multiprecise(const Function& function, int row, double x, double x_lo);

// The limit of a row as x goes to -infinity (negative) or +infinity; NaN where there is none.
PreciseValue LimitAtInfinity(const Function& function, int row, bool negative);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_HARD_VALUE_H_
