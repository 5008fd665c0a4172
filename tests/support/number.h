// The arithmetic in which the oracle evaluates formulas: a real number as q + r, where q is an
// exact rational and r lies in a ball of a given relative precision.
//
// A ball alone cannot decide some roundings at any precision: softplus(2^100) = 2^100 + e^-(2^100)
// is not 2^100, but no ball that one can store says so, and when the output type has 2^100 as a
// midpoint its rounding hangs on that. With q = 2^100 and r = e^-(2^100) apart, the sign of r
// decides. The same split decides exact results (r = 0) and keeps 1 + tanh(-1000) from cancelling.
//
// Every function is sound: the result contains the exact result. What cannot be told at this
// precision becomes a ball that is not finite; what is decided is proven.
#ifndef ACTIVATION_TESTS_SUPPORT_NUMBER_H_
#define ACTIVATION_TESTS_SUPPORT_NUMBER_H_

#include <optional>

#include "tests/support/ball.h"

namespace activation::oracle {

struct Context {
  slong bits;  // working precision of balls
  bool split;  // whether q is used; without it q is always 0, which is several times faster
};

struct Number {
  Rational q;
  Ball r;
};

Number FromRational(const Rational& value, Context c);
Number FromDyadic(const Dyadic& value, Context c);
Number FromInt(slong value, Context c);
Number Pi(Context c);
// Nothing is known: contains every real.
Number Unknown();

// q + r as one ball.
Ball Total(const Number& x, Context c);
bool IsExactZero(const Number& x);
// The sign of a - b, where it is certain.
std::optional<int> Compare(const Number& a, const Number& b, Context c);

Number Add(const Number& a, const Number& b, Context c);
Number Sub(const Number& a, const Number& b, Context c);
Number Mul(const Number& a, const Number& b, Context c);
Number Div(const Number& a, const Number& b, Context c);
Number Neg(const Number& a);
Number Pow(const Number& a, slong n, Context c);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_NUMBER_H_
