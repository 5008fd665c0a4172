// Functions of intervals, on blocks of lanes.
//
// Every function is sound: each lane of `y` contains f(t) for every t in the argument's lane at
// which f is defined. They must be called while rounding upwards; y must not be one of the
// arguments.
#ifndef ACTIVATION_TESTS_SUPPORT_INTERVAL_FUNCTIONS_H_
#define ACTIVATION_TESTS_SUPPORT_INTERVAL_FUNCTIONS_H_

#include "tests/support/interval_loops.h"

namespace activation::oracle {

// By the C library's functions, which are trusted to kLibraryUlps (see interval_functions.cc).
Unary CosLanes, CoshLanes, ErfLanes, ErfcLanes, ExpLanes, Expm1Lanes, LogLanes, Log1pLanes,
    SinLanes, SqrtLanes, TanhLanes;
// log(1 + e^a).
Unary SoftplusLanes;
// e^(a^2) erfc(a) for a > 1, to within 1/(2 a^2).
Unary ScaledErfcLanes;

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_INTERVAL_FUNCTIONS_H_
