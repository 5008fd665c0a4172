#include "tests/support/series.h"

#include <arb_hypgeom.h>

#include <cstdlib>

namespace activation::oracle {
namespace {

// The first `length` coefficients of f(t + x), as a series in x; kDivide stands for 1 / t.
Series SeriesOf(Op op, const Ball& t, slong length) {
  Series x, y;
  arb_poly_set_coeff_arb(x.get(), 0, t.get());
  arb_poly_set_coeff_si(x.get(), 1, 1);
  switch (op) {
    case Op::kDivide:
      arb_poly_inv_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kCos:
      arb_poly_cos_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kCosh:
      arb_poly_cosh_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kErf:
      arb_hypgeom_erf_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kErfc:
      arb_hypgeom_erfc_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kExp:
      arb_poly_exp_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kLog:
      arb_poly_log_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kSin:
      arb_poly_sin_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kSqrt:
      arb_poly_sqrt_series(y.get(), x.get(), length, kSeriesBits);
      break;
    case Op::kTanh: {
      Series sinh, cosh;
      arb_poly_sinh_cosh_series(sinh.get(), cosh.get(), x.get(), length, kSeriesBits);
      arb_poly_div_series(y.get(), sinh.get(), cosh.get(), length, kSeriesBits);
      break;
    }
    default:
      arb_poly_set_coeff_arb(y.get(), 0, Unknown().r.get());
      break;
  }
  return y;
}

}  // namespace

Ball CoefficientOf(const Series& a, slong k) {
  Ball y;
  arb_poly_get_coeff_arb(y.get(), a.get(), k);
  return y;
}

slong OrderOf(const Series& a) {
  slong k = 0;
  while (k <= kDegree && arb_is_zero(CoefficientOf(a, k).get())) ++k;
  return k;
}

Series Fixed(const Ball& value) {
  Series y;
  arb_poly_set_coeff_arb(y.get(), 0, value.get());
  return y;
}

SeriesArithmetic::SeriesArithmetic(int side, int exponent) : side_(side) {
  arb_set_si(domain_.get(), side);
  arb_mul_2exp_si(domain_.get(), domain_.get(), exponent);
  Ball zero;
  arb_union(domain_.get(), domain_.get(), zero.get(), kSeriesBits);
}

std::optional<Series> SeriesArithmetic::Binary(Op op, const Series& a, const Series& b) const {
  Series y;
  switch (op) {
    case Op::kAdd:
      arb_poly_add(y.get(), a.get(), b.get(), kSeriesBits);
      return y;
    case Op::kSubtract:
      arb_poly_sub(y.get(), a.get(), b.get(), kSeriesBits);
      return y;
    case Op::kMultiply:
      return Multiply(a, b);
    default:
      return Divide(a, b);
  }
}

std::optional<Series> SeriesArithmetic::Power(const Series& a, int n) const {
  Series one;
  arb_poly_one(one.get());
  Series y = one;
  for (int i = 0; i < std::abs(n); ++i) y = Multiply(y, a);
  return n < 0 ? Divide(one, y) : y;
}

std::optional<Series> SeriesArithmetic::Compose(Op op, const Series& a) const {
  const Ball at_zero = CoefficientOf(a, 0);
  const Series taylor = SeriesOf(op, at_zero, kDegree);
  Ball everywhere = Sum(a, 0);
  arb_union(everywhere.get(), everywhere.get(), at_zero.get(), kSeriesBits);
  const Series remainder = SeriesOf(op, everywhere, kDegree + 1);
  Series rest = a;
  arb_poly_set_coeff_si(rest.get(), 0, 0);
  Series y = Fixed(CoefficientOf(remainder, kDegree));
  for (slong k = kDegree - 1; k >= 0; --k) {
    y = Multiply(y, rest);
    Ball constant = CoefficientOf(taylor, k);
    arb_add(constant.get(), constant.get(), CoefficientOf(y, 0).get(), kSeriesBits);
    arb_poly_set_coeff_arb(y.get(), 0, constant.get());
  }
  for (slong k = 0; k <= kDegree; ++k) {
    if (!arb_is_finite(CoefficientOf(y, k).get())) return std::nullopt;
  }
  return y;
}

Ball SeriesArithmetic::Sum(const Series& a, slong first) const {
  Ball y;
  for (slong k = kDegree; k >= first; --k) {
    arb_mul(y.get(), y.get(), domain_.get(), kSeriesBits);
    arb_add(y.get(), y.get(), CoefficientOf(a, k).get(), kSeriesBits);
  }
  return y;
}

std::optional<int> SeriesArithmetic::SignOf(const Series& a) const {
  const slong order = OrderOf(a);
  if (order > kDegree) return 0;
  const Ball sum = Sum(a, order);
  if (arb_contains_zero(sum.get())) return std::nullopt;
  const int sign = arb_is_positive(sum.get()) ? 1 : -1;
  return side_ < 0 && order % 2 != 0 ? -sign : sign;
}

// Brings what is beyond kDegree into the last coefficient.
void SeriesArithmetic::Fold(Series& a) const {
  for (slong k = arb_poly_degree(a.get()); k > kDegree; --k) {
    Ball top = CoefficientOf(a, k);
    arb_mul(top.get(), top.get(), domain_.get(), kSeriesBits);
    arb_add(top.get(), top.get(), CoefficientOf(a, k - 1).get(), kSeriesBits);
    arb_poly_set_coeff_arb(a.get(), k - 1, top.get());
    arb_poly_truncate(a.get(), k);
  }
}

Series SeriesArithmetic::Multiply(const Series& a, const Series& b) const {
  Series y;
  arb_poly_mul(y.get(), a.get(), b.get(), kSeriesBits);
  Fold(y);
  return y;
}

std::optional<Series> SeriesArithmetic::Divide(Series a, Series b) const {
  // (x^k a) / (x^k b) = a / b.
  const slong order = OrderOf(b);
  if (OrderOf(a) < order || order > kDegree) return std::nullopt;
  arb_poly_shift_right(a.get(), a.get(), order);
  arb_poly_shift_right(b.get(), b.get(), order);
  if (arb_poly_degree(b.get()) == 0) {
    Series y;
    arb_poly_scalar_div(y.get(), a.get(), CoefficientOf(b, 0).get(), kSeriesBits);
    return y;
  }
  const std::optional<Series> inverse = Compose(Op::kDivide, b);
  if (!inverse) return std::nullopt;
  return Multiply(a, *inverse);
}

}  // namespace activation::oracle
