#include "tests/support/number.h"

namespace activation::oracle {
namespace {

Ball QAsBall(const Number& x, Context c) {
  Ball q;
  arb_set_fmpq(q.get(), x.q.get(), c.bits);
  return q;
}

}  // namespace

Number FromRational(const Rational& value, Context c) {
  Number result;
  result.q = value;
  if (c.split) return result;
  Number ball;
  ball.r = QAsBall(result, c);
  return ball;
}

Number FromDyadic(const Dyadic& value, Context c) {
  Number result;
  if (!c.split || !arf_is_finite(value.get())) {
    arb_set_arf(result.r.get(), value.get());
    return result;
  }
  fmpz_t mantissa, exponent;
  fmpz_init(mantissa);
  fmpz_init(exponent);
  arf_get_fmpz_2exp(mantissa, exponent, value.get());
  fmpq_set_fmpz(result.q.get(), mantissa);
  const slong e = fmpz_get_si(exponent);
  if (e >= 0) {
    fmpq_mul_2exp(result.q.get(), result.q.get(), e);
  } else {
    fmpq_div_2exp(result.q.get(), result.q.get(), -e);
  }
  fmpz_clear(mantissa);
  fmpz_clear(exponent);
  return result;
}

Number FromInt(slong value, Context c) {
  Number result;
  if (c.split) {
    fmpq_set_si(result.q.get(), value, 1);
  } else {
    arb_set_si(result.r.get(), value);
  }
  return result;
}

Number Pi(Context c) {
  Number result;
  arb_const_pi(result.r.get(), c.bits);
  return result;
}

Number Unknown() {
  Number result;
  arb_indeterminate(result.r.get());
  return result;
}

Ball Total(const Number& x, Context c) {
  if (fmpq_is_zero(x.q.get())) return x.r;
  Ball total = QAsBall(x, c);
  arb_add(total.get(), total.get(), x.r.get(), c.bits);
  return total;
}

bool IsExactZero(const Number& x) { return fmpq_is_zero(x.q.get()) && arb_is_zero(x.r.get()); }

std::optional<int> Compare(const Number& a, const Number& b, Context c) {
  if (arb_is_zero(a.r.get()) && arb_is_zero(b.r.get())) return fmpq_cmp(a.q.get(), b.q.get());
  const Ball x = Total(a, c);
  const Ball y = Total(b, c);
  if (arb_eq(x.get(), y.get())) return 0;
  if (arb_lt(x.get(), y.get())) return -1;
  if (arb_gt(x.get(), y.get())) return 1;
  return std::nullopt;
}

Number Add(const Number& a, const Number& b, Context c) {
  Number result;
  if (c.split) fmpq_add(result.q.get(), a.q.get(), b.q.get());
  arb_add(result.r.get(), a.r.get(), b.r.get(), c.bits);
  return result;
}

Number Sub(const Number& a, const Number& b, Context c) {
  Number result;
  if (c.split) fmpq_sub(result.q.get(), a.q.get(), b.q.get());
  arb_sub(result.r.get(), a.r.get(), b.r.get(), c.bits);
  return result;
}

Number Mul(const Number& a, const Number& b, Context c) {
  Number result;
  arb_mul(result.r.get(), a.r.get(), b.r.get(), c.bits);
  if (!c.split) return result;
  fmpq_mul(result.q.get(), a.q.get(), b.q.get());
  arb_addmul(result.r.get(), QAsBall(a, c).get(), b.r.get(), c.bits);
  arb_addmul(result.r.get(), QAsBall(b, c).get(), a.r.get(), c.bits);
  return result;
}

Number Div(const Number& a, const Number& b, Context c) {
  Number result;
  const Ball divisor = Total(b, c);
  Ball rest;
  arb_mul_2exp_si(rest.get(), b.r.get(), 1);
  arb_abs(rest.get(), rest.get());
  Ball main = QAsBall(b, c);
  arb_abs(main.get(), main.get());
  if (!fmpq_is_zero(b.q.get()) && arb_lt(rest.get(), main.get())) {
    // (aq + ar) / (bq + br) = aq/bq + (ar - (aq/bq) br) / (bq + br).
    fmpq_div(result.q.get(), a.q.get(), b.q.get());
    result.r = a.r;
    arb_submul(result.r.get(), QAsBall(result, c).get(), b.r.get(), c.bits);
  } else {
    result.r = Total(a, c);
  }
  arb_div(result.r.get(), result.r.get(), divisor.get(), c.bits);
  return result;
}

Number Neg(const Number& a) {
  Number result;
  fmpq_neg(result.q.get(), a.q.get());
  arb_neg(result.r.get(), a.r.get());
  return result;
}

Number Pow(const Number& a, slong n, Context c) {
  if (n < 0) return Div(FromInt(1, c), Pow(a, -n, c), c);
  Number result = FromInt(1, c);
  for (slong i = 0; i < n; ++i) result = Mul(result, a, c);
  return result;
}

}  // namespace activation::oracle
