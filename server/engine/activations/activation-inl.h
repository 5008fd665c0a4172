// What every activation's struct is made of. A struct holds its Spec beside its kernels, which are
// templates over the number type (lanes-inl.h); p holds the parameters in Spec order.
//   Value, Derivative                  f(x) and f'(x) for finite x
//   ParameterDerivative<i>             df/dp for the i-th parameter (where there are parameters)
//   AtInfinity(p)                      the limits at -inf and +inf of f, f' and each df/dp
#include <array>
#include <limits>
#include <tuple>

#include "hwy/highway.h"
#include "server/engine/math-inl.h"
#include "server/engine/spec.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_ACTIVATION_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_ACTIVATION_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_ACTIVATION_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

// Bounds of widths such as sigma: so that their cubes and reciprocals, times any float32, are
// normal float64.
inline constexpr double kNarrowest = 1e-60;
inline constexpr double kWidest = 1e60;
// Bound of factors such as alpha: so that they, times a float32, can't lift e^-708, the smallest
// number that Lanes tell from 0, to a float32.
inline constexpr double kLargest = 1e100;
// Bound of parameters that are only compared with x, added to it or returned as they are.
inline constexpr double kAny = std::numeric_limits<double>::max();

// Limits at -inf and +inf. Where the left one is not a float64, left + left_rest.
struct Ends {
  double left, right;
  double left_rest = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
