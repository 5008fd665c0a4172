// Functions of the oracle's numbers. Sound, as their arithmetic is (see number.h).
#ifndef ACTIVATION_TESTS_SUPPORT_NUMBER_FUNCTIONS_H_
#define ACTIVATION_TESTS_SUPPORT_NUMBER_FUNCTIONS_H_

#include "tests/support/number.h"

namespace activation::oracle {

Number Sqrt(const Number& a, Context c);
Number Exp(const Number& a, Context c);
Number Log(const Number& a, Context c);
Number Sin(const Number& a, Context c);
Number Cos(const Number& a, Context c);
Number Sinh(const Number& a, Context c);
Number Cosh(const Number& a, Context c);
Number Tanh(const Number& a, Context c);
// 1 / cosh^2.
Number Sech2(const Number& a, Context c);
Number Erf(const Number& a, Context c);
Number Erfc(const Number& a, Context c);
// 2 / sqrt(pi) * exp(-a^2), the derivative of erf.
Number ErfSlope(const Number& a, Context c);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_NUMBER_FUNCTIONS_H_
