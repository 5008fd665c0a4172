// A formula as a graph in which equal parts are one, for float64 intervals (see interval.h).
#ifndef ACTIVATION_TESTS_SUPPORT_PROGRAM_H_
#define ACTIVATION_TESTS_SUPPORT_PROGRAM_H_

#include <vector>

#include "tests/support/ball.h"

namespace activation::oracle {

// Those of Op, where comparisons are kLess, kLessEqual and kEqual only, and more functions.
enum class Code {
  kConstant,
  kVariable,
  kPi,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kPower,  // a ^ index, index > 0
  kLess,
  kLessEqual,
  kEqual,
  kChoose,  // a ? b : c
  kAbs,
  kCos,
  kCosh,
  kErf,
  kErfc,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kNearlyOne,   // anything from 1 - 2^-53 to 1
  kScaledErfc,  // e^(a^2) erfc(a), used where a > 1
  kSin,
  kSoftplus,  // log(1 + e^a)
  kSqrt,
  kTanh,
};

struct Instruction {
  Code code = Code::kConstant;
  int a = -1, b = -1, c = -1;  // places in Program, before this one
  int index = 0;
  Rational value = {};
  bool varies = false;  // whether variable 0 is in it
};

// The root is the last one.
using Program = std::vector<Instruction>;

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_PROGRAM_H_
