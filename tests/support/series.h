// Power series in x that hold for all x on one side of 0, out to a radius: sum of c_k x^k, where
// each coefficient is a ball, and the last one takes in all that follows (it may depend on x within
// its ball). Coefficients that are dyadic numbers are found exactly.
#ifndef ACTIVATION_TESTS_SUPPORT_SERIES_H_
#define ACTIVATION_TESTS_SUPPORT_SERIES_H_

#include <arb_poly.h>

#include <optional>

#include "tests/support/ball.h"
#include "tests/support/formula.h"

namespace activation::oracle {

// Degree of the last coefficient, the one that takes in the rest.
inline constexpr slong kDegree = 12;
// The precision of the coefficients.
inline constexpr slong kSeriesBits = 128;

namespace internal {
inline void InitPoly(arb_poly_t x) { arb_poly_init(x); }
inline void ClearPoly(arb_poly_t x) { arb_poly_clear(x); }
inline void SetPoly(arb_poly_t x, const arb_poly_t y) { arb_poly_set(x, y); }
inline void SwapPoly(arb_poly_t x, arb_poly_t y) { arb_poly_swap(x, y); }
}  // namespace internal
using Series = Owned<arb_poly_t, internal::InitPoly, internal::ClearPoly, internal::SetPoly,
                     internal::SwapPoly>;

Ball CoefficientOf(const Series& a, slong k);

// The degree of the first coefficient that is not exactly 0; kDegree + 1 if there is none.
slong OrderOf(const Series& a);

// The constant.
Series Fixed(const Ball& value);

// Arithmetic of series that hold for x in one interval. "None" is a series that does not exist or
// could not be found there.
class SeriesArithmetic {
 public:
  // For x in [0, 2^exponent], or its mirror image for side -1.
  SeriesArithmetic(int side, int exponent);

  // op is kAdd, kSubtract, kMultiply or kDivide.
  std::optional<Series> Binary(Op op, const Series& a, const Series& b) const;
  std::optional<Series> Power(const Series& a, int n) const;
  // f(a), by f's own Taylor series at a(0) and Lagrange's remainder; kDivide stands for 1 / a.
  std::optional<Series> Compose(Op op, const Series& a) const;

  // sum over k >= first of c_k x^(k - first), for any x of the interval.
  Ball Sum(const Series& a, slong first) const;
  // The sign of a(x) for all x of the interval but 0; 0 where a is 0.
  std::optional<int> SignOf(const Series& a) const;

 private:
  void Fold(Series& a) const;
  Series Multiply(const Series& a, const Series& b) const;
  std::optional<Series> Divide(Series a, Series b) const;

  Ball domain_;
  int side_ = 1;
};

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_SERIES_H_
