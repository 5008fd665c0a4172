// Interval arithmetic on blocks of lanes, and comparisons.
//
// Every function is sound: each lane of `y` contains f(t) for every t in the argument's lane at
// which f is defined. They must be called while rounding upwards; y must not be one of the
// arguments.
#ifndef ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_
#define ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_

#include "tests/support/lanes.h"

namespace activation::oracle {

using Unary = void(const Lanes& a, Lanes& y);
using Binary = void(const Lanes& a, const Lanes& b, Lanes& y);

Binary AddLanes, SubtractLanes, MultiplyLanes, DivideLanes;
Unary NegateLanes, AbsLanes;
// a^n, n > 0.
void PowerLanes(const Lanes& a, int n, Lanes& y);

// A truth value is an interval of 0 (false) and 1 (true).
Binary LessLanes, LessEqualLanes, EqualLanes;
// condition ? a : b; the hull of both where the condition is not certain.
void ChooseLanes(const Lanes& condition, const Lanes& a, const Lanes& b, Lanes& y);
bool AllTrue(const Lanes& condition);
bool AllFalse(const Lanes& condition);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_
