#include "tests/support/number_functions.h"

#include <arb_hypgeom.h>

#include <cmath>
#include <utility>

namespace activation::oracle {
namespace {

Number JustBall(Ball r) {
  Number result;
  result.r = std::move(r);
  return result;
}

// n + r, for a function that comes near the integer n.
Number Near(slong n, const Ball& r, Context c) {
  Number result = FromInt(n, c);
  arb_add(result.r.get(), result.r.get(), r.get(), c.bits);
  return result;
}

// Which form of a function to use at x. Every form is right everywhere and only precision differs,
// so the midpoint of x may choose.
enum class Region { kBelow, kInside, kAbove };

Region RegionOf(const Ball& x, double bound) {
  if (arf_cmpabs_d(arb_midref(x.get()), bound) <= 0) return Region::kInside;
  return arf_sgn(arb_midref(x.get())) < 0 ? Region::kBelow : Region::kAbove;
}

constexpr double kSmall = 0.5;
constexpr double kLarge = 1;

// erfc(t). Arb's own takes time and memory without bound for huge t, so from where the asymptotic
// series reaches the working precision that is used (DLMF 7.12.1):
//   erfc(t) = e^(-t^2) / (t sqrt(pi)) (1 - 1/(2t^2) + 1 3/(2t^2)^2 - ...),
// whose remainder is smaller than the first term left out.
void ErfcBall(arb_t y, const arb_t t, slong bits) {
  if (arf_cmp_d(arb_midref(t), std::sqrt(static_cast<double>(bits) + 256)) < 0) {
    arb_hypgeom_erfc(y, t, bits);
    return;
  }
  Ball square, sum, term;
  arb_sqr(square.get(), t, bits);
  arb_one(term.get());
  for (slong k = 0; k < bits && arf_cmpabs_2exp_si(arb_midref(term.get()), -bits) > 0; ++k) {
    arb_add(sum.get(), sum.get(), term.get(), bits);
    arb_mul_si(term.get(), term.get(), -(2 * k + 1), bits);
    arb_div(term.get(), term.get(), square.get(), bits);
    arb_mul_2exp_si(term.get(), term.get(), -1);
  }
  mag_t remainder;
  mag_init(remainder);
  arb_get_mag(remainder, term.get());
  arb_add_error_mag(sum.get(), remainder);
  mag_clear(remainder);

  Ball factor, divisor;
  arb_neg(factor.get(), square.get());
  arb_exp(factor.get(), factor.get(), bits);
  arb_mul(factor.get(), sum.get(), factor.get(), bits);
  arb_const_sqrt_pi(divisor.get(), bits);
  arb_mul(divisor.get(), divisor.get(), t, bits);
  arb_div(y, factor.get(), divisor.get(), bits);
}

// f(a), where all that is known of f(a) is a ball.
template <typename F>
Number Apply(F f, const Number& a, Context c) {
  const Ball t = Total(a, c);
  Ball y;
  f(y.get(), t.get(), c.bits);
  return JustBall(std::move(y));
}

}  // namespace

Number Sqrt(const Number& a, Context c) {
  if (c.split && arb_is_zero(a.r.get()) && fmpz_is_square(fmpq_numref(a.q.get())) &&
      fmpz_is_square(fmpq_denref(a.q.get()))) {
    Number result;
    fmpz_sqrt(fmpq_numref(result.q.get()), fmpq_numref(a.q.get()));
    fmpz_sqrt(fmpq_denref(result.q.get()), fmpq_denref(a.q.get()));
    return result;
  }
  return Apply(arb_sqrt, a, c);
}

Number Exp(const Number& a, Context c) {
  const Ball t = Total(a, c);
  if (!c.split || RegionOf(t, kSmall) != Region::kInside) return Apply(arb_exp, a, c);
  Ball y;
  arb_expm1(y.get(), t.get(), c.bits);
  return Near(1, y, c);
}

Number Log(const Number& a, Context c) {
  return fmpq_is_one(a.q.get()) ? Apply(arb_log1p, JustBall(a.r), c) : Apply(arb_log, a, c);
}

Number Sin(const Number& a, Context c) { return Apply(arb_sin, a, c); }

Number Sinh(const Number& a, Context c) { return Apply(arb_sinh, a, c); }

Number Cos(const Number& a, Context c) {
  Ball t = Total(a, c);
  if (!c.split || RegionOf(t, kSmall) != Region::kInside) return Apply(arb_cos, a, c);
  // 1 - 2 sin^2(t/2).
  arb_mul_2exp_si(t.get(), t.get(), -1);
  arb_sin(t.get(), t.get(), c.bits);
  arb_sqr(t.get(), t.get(), c.bits);
  arb_mul_2exp_si(t.get(), t.get(), 1);
  arb_neg(t.get(), t.get());
  return Near(1, t, c);
}

Number Cosh(const Number& a, Context c) {
  Ball t = Total(a, c);
  if (!c.split || RegionOf(t, kSmall) != Region::kInside) return Apply(arb_cosh, a, c);
  // 1 + 2 sinh^2(t/2).
  arb_mul_2exp_si(t.get(), t.get(), -1);
  arb_sinh(t.get(), t.get(), c.bits);
  arb_sqr(t.get(), t.get(), c.bits);
  arb_mul_2exp_si(t.get(), t.get(), 1);
  return Near(1, t, c);
}

Number Tanh(const Number& a, Context c) {
  Ball t = Total(a, c);
  const Region region = RegionOf(t, kLarge);
  if (!c.split || region == Region::kInside) return Apply(arb_tanh, a, c);
  // 1 - 2 / (e^(2|t|) + 1), with the sign of t.
  const int sign = region == Region::kAbove ? 1 : -1;
  arb_mul_2exp_si(t.get(), t.get(), 1);
  if (sign < 0) arb_neg(t.get(), t.get());
  arb_exp(t.get(), t.get(), c.bits);
  arb_add_ui(t.get(), t.get(), 1, c.bits);
  arb_ui_div(t.get(), 2, t.get(), c.bits);
  if (sign > 0) arb_neg(t.get(), t.get());
  return Near(sign, t, c);
}

Number Sech2(const Number& a, Context c) {
  Ball t = Total(a, c);
  if (c.split && RegionOf(t, kSmall) == Region::kInside) {
    // 1 - tanh^2.
    arb_tanh(t.get(), t.get(), c.bits);
    arb_sqr(t.get(), t.get(), c.bits);
    arb_neg(t.get(), t.get());
    return Near(1, t, c);
  }
  arb_sech(t.get(), t.get(), c.bits);
  arb_sqr(t.get(), t.get(), c.bits);
  return JustBall(std::move(t));
}

Number Erf(const Number& a, Context c) {
  Ball t = Total(a, c);
  const Region region = RegionOf(t, kLarge);
  if (!c.split || region == Region::kInside) return Apply(arb_hypgeom_erf, a, c);
  // +-(1 - erfc(|t|)).
  const int sign = region == Region::kAbove ? 1 : -1;
  if (sign < 0) arb_neg(t.get(), t.get());
  ErfcBall(t.get(), t.get(), c.bits);
  if (sign > 0) arb_neg(t.get(), t.get());
  return Near(sign, t, c);
}

Number Erfc(const Number& a, Context c) {
  Ball t = Total(a, c);
  if (!c.split) return Apply(ErfcBall, a, c);
  switch (RegionOf(t, kLarge)) {
    case Region::kAbove:
      return Apply(ErfcBall, a, c);
    case Region::kInside:
      arb_hypgeom_erf(t.get(), t.get(), c.bits);
      arb_neg(t.get(), t.get());
      return Near(1, t, c);
    case Region::kBelow:
      arb_neg(t.get(), t.get());
      ErfcBall(t.get(), t.get(), c.bits);
      arb_neg(t.get(), t.get());
      return Near(2, t, c);
  }
  return Unknown();
}

Number ErfSlope(const Number& a, Context c) {
  Ball t = Total(a, c);
  arb_sqr(t.get(), t.get(), c.bits);
  arb_neg(t.get(), t.get());
  arb_exp(t.get(), t.get(), c.bits);
  Ball root_pi;
  arb_const_sqrt_pi(root_pi.get(), c.bits);
  arb_div(t.get(), t.get(), root_pi.get(), c.bits);
  arb_mul_2exp_si(t.get(), t.get(), 1);
  return JustBall(std::move(t));
}

}  // namespace activation::oracle
