#include "tests/support/monomial.h"

namespace activation::oracle {

bool operator==(const Monomial& a, const Monomial& b) {
  return fmpq_equal(a.coefficient.get(), b.coefficient.get()) && a.powers == b.powers;
}

Rational Integer(slong value) {
  Rational result;
  fmpq_set_si(result.get(), value, 1);
  return result;
}

Monomial Combine(const Monomial& a, const Monomial& b, int power_of_b) {
  Monomial y = a;
  Rational factor;
  fmpq_pow_si(factor.get(), b.coefficient.get(), power_of_b);
  fmpq_mul(y.coefficient.get(), y.coefficient.get(), factor.get());
  for (const auto& [variable, power] : b.powers) {
    if ((y.powers[variable] += power * power_of_b) == 0) y.powers.erase(variable);
  }
  return y;
}

Monomial One() { return {Integer(1), {}}; }

Monomial Negated(Monomial a) {
  fmpq_neg(a.coefficient.get(), a.coefficient.get());
  return a;
}

}  // namespace activation::oracle
