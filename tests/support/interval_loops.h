// Interval arithmetic on blocks of lanes: what tests/support/interval.h computes with. An interval
// is kept as (-low, high), so that rounding upwards widens both ends; an operation that is exact
// widens nothing.
//
// Every function is sound: each lane of `y` contains f(t) for every t in the argument's lane at
// which f is defined. Ends may be infinite; an interval of which nothing is known is the whole
// line. y must not be one of the arguments.
#ifndef ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_
#define ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_

#include <cfenv>
#include <cstddef>

namespace activation::oracle {

// Lanes that are computed together: ten arrays of them fit a 32 KiB L1.
inline constexpr size_t kLanes = 256;

struct Lanes {
  alignas(64) double negated_low[kLanes];
  alignas(64) double high[kLanes];
};

// While it lives, this thread rounds in the given direction.
class ScopedRounding {
 public:
  explicit ScopedRounding(int direction) : before_(std::fegetround()) {
    std::fesetround(direction);
  }
  ~ScopedRounding() { std::fesetround(before_); }
  ScopedRounding(const ScopedRounding&) = delete;
  ScopedRounding& operator=(const ScopedRounding&) = delete;

 private:
  int before_;
};

// What follows must be called while rounding upwards.
using Unary = void(const Lanes& a, Lanes& y);
using Binary = void(const Lanes& a, const Lanes& b, Lanes& y);

Binary AddLanes, SubtractLanes, MultiplyLanes, DivideLanes;
Unary NegateLanes, AbsLanes;
// a^n, n > 0.
void PowerLanes(const Lanes& a, int n, Lanes& y);

// By the C library's functions, which are trusted to kLibraryUlps (see interval_loops.cc).
Unary CosLanes, CoshLanes, ErfLanes, ErfcLanes, ExpLanes, Expm1Lanes, LogLanes, Log1pLanes,
    SinLanes, SqrtLanes, TanhLanes;
// log(1 + e^a).
Unary SoftplusLanes;
// e^(a^2) erfc(a) for a > 1, to within 1/(2 a^2).
Unary ScaledErfcLanes;

// A truth value is an interval of 0 (false) and 1 (true).
Binary LessLanes, LessEqualLanes, EqualLanes;
// condition ? a : b; the hull of both where the condition is not certain.
void ChooseLanes(const Lanes& condition, const Lanes& a, const Lanes& b, Lanes& y);
bool AllTrue(const Lanes& condition);
bool AllFalse(const Lanes& condition);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_INTERVAL_LOOPS_H_
