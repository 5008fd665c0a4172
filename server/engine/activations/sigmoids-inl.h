// S-shaped activations: smooth steps and what is made of them.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SIGMOIDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SIGMOIDS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SIGMOIDS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SIGMOIDS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct Sigmoid {
  static constexpr const char* kAliases[] = {"logistic", "expit"};
  static constexpr Spec kSpec = {
      .name = "sigmoid",
      .description = "The logistic function, a smooth step.",
      .formula = "1/(1+exp(-x))",
      .derivative = "1/((1+exp(-x))*(1+exp(x)))",
      .aliases = kAliases,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return Logistic(x);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return LogisticSlope(x);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, 1}, {0, 0}}}; }
};

struct HyperbolicTangent {
  static constexpr Spec kSpec = {
      .name = "tanh",
      .description = "The hyperbolic tangent.",
      .formula = "tanh(x)",
      .derivative = "1/cosh(x)^2",
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return Tanh(x);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return LogisticSlope(x * 2.0) * N(4.0);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-1, 1}, {0, 0}}}; }
};

using Sigmoids = std::tuple<Sigmoid, HyperbolicTangent>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
