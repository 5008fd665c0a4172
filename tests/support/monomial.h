// Products of powers of variables, compared exactly.
#ifndef ACTIVATION_TESTS_SUPPORT_MONOMIAL_H_
#define ACTIVATION_TESTS_SUPPORT_MONOMIAL_H_

#include <map>

#include "tests/support/ball.h"

namespace activation::oracle {

// coefficient times the variables' powers; pi is the last of them.
struct Monomial {
  Rational coefficient;
  std::map<int, int> powers;
};
inline constexpr int kPiVariable = -1;

bool operator==(const Monomial& a, const Monomial& b);

Rational Integer(slong value);
Monomial One();
Monomial Negated(Monomial a);
// a b^power_of_b.
Monomial Combine(const Monomial& a, const Monomial& b, int power_of_b);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_MONOMIAL_H_
