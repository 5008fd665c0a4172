// Blocks of lanes, the intervals that are computed together. An interval is kept as (-low, high),
// so that rounding upwards widens both ends; an operation that is exact widens nothing. Ends may be
// infinite; an interval of which nothing is known is the whole line.
#ifndef ACTIVATION_TESTS_SUPPORT_LANES_H_
#define ACTIVATION_TESTS_SUPPORT_LANES_H_

#include <cfenv>
#include <cstddef>
#include <limits>

namespace activation::oracle {

// Loops over lanes are compiled for the machine's vectors.
#if defined(__x86_64__) && !defined(__clang__)
#define ACTIVATION_LOOP __attribute__((noinline, target_clones("avx2", "default")))
#else
#define ACTIVATION_LOOP __attribute__((noinline))
#endif

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

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 0 times an infinite end is 0: the end only stands for all finite numbers.
inline double NumberOrZero(double x) { return x == x ? x : 0; }
inline double NumberOrInfinity(double x) { return x == x ? x : kInfinity; }
// As the machine's instructions have them, unlike the standard library's.
inline double Max(double a, double b) { return a > b ? a : b; }
inline double Min(double a, double b) { return a < b ? a : b; }

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_LANES_H_
