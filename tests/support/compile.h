// A formula as a program, rewritten for float64 intervals (see interval.h). Every rewriting is an
// identity on the reals.
#ifndef ACTIVATION_TESTS_SUPPORT_COMPILE_H_
#define ACTIVATION_TESTS_SUPPORT_COMPILE_H_

#include "tests/support/formula.h"
#include "tests/support/program.h"

namespace activation::oracle {

Program Compile(const Formula& formula);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_COMPILE_H_
