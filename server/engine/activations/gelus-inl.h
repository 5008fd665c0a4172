// GELU and its approximations.
// D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_GELUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_GELUS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_GELUS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_GELUS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct Gelu {
  static constexpr const char* kApproximations[] = {"gelu_tanh", "gelu_sigmoid", "silu", "relu"};
  static constexpr Spec kSpec = {
      .name = "gelu",
      .description = "Gaussian error linear unit, x times the normal distribution function.",
      .formula = "x*erfc(-x/sqrt(2))/2",
      .derivative = "erfc(-x/sqrt(2))/2+x*exp(-x^2/2)/sqrt(2*pi)",
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return NormalRamp(x);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return NormalRampSlope(x);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

struct GeluTanh {
  static constexpr const char* kAliases[] = {"gelu_new", "gelu_pytorch_tanh", "jax:gelu",
                                             "ggml:gelu"};
  static constexpr const char* kApproximations[] = {"gelu_sigmoid"};
  static constexpr Spec kSpec = {
      .name = "gelu_tanh",
      .description = "GELU's approximation by tanh, x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).",
      .formula = "x/(1+exp(-2*sqrt(2/pi)*(x+0.044715*x^3)))",
      .derivative =
          "(1+2*sqrt(2/pi)*(x+0.134145*x^3)/(1+exp(2*sqrt(2/pi)*(x+0.044715*x^3))))"
          "/(1+exp(-2*sqrt(2/pi)*(x+0.044715*x^3)))",
      .aliases = kAliases,
      .approximations = kApproximations,
  };
  // x + times 0.044715 x^3.
  template <class N>
  static HWY_INLINE N Cubic(N x, double times) {
    return x + x * (x * x * (N(kGeluTanhCubic) * times));
  }
  // Beyond +-64 the logistic's argument is beyond +-18000, beyond +-14 beyond +-218.
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return LogisticRamp(x, Cubic(N::kIsFast ? x : Clamp(x, 64.0), 1.0), kTwoSqrt2OverPi);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const N y = Clamp(x, N::kIsFast ? 14.0 : 64.0);
    const N factor = kTwoSqrt2OverPi;
    return LogisticRampSlope(factor * Cubic(y, 1.0), factor * Cubic(y, 3.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

struct GeluSigmoid {
  static constexpr const char* kAliases[] = {"quick_gelu"};
  static constexpr Spec kSpec = {
      .name = "gelu_sigmoid",
      .description = "GELU's approximation by the logistic function, x sigmoid(1.702 x).",
      .formula = "x/(1+exp(-1.702*x))",
      .derivative = "(1+1.702*x/(1+exp(1.702*x)))/(1+exp(-1.702*x))",
      .aliases = kAliases,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return LogisticRamp(x, x, kGeluSigmoidSlope);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const N z = Clamp(N(kGeluSigmoidSlope) * x, N::kIsFast ? 300.0 : kSaturated);
    return LogisticRampSlope(z, z);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

struct GeluSigma {
  static constexpr Parameter kParameters[] = {
      {"sigma", "Width of the normal distribution: towards 0 it is relu, 1 is gelu.", 1, kNarrowest,
       kWidest}};
  static constexpr const char* kApproximations[] = {"relu"};
  static constexpr Spec kSpec = {
      .name = "gelu_sigma",
      .description = "GELU with the width of its normal distribution as a parameter.",
      .formula = "x*erfc(-x/(sigma*sqrt(2)))/2",
      .derivative = "erfc(-x/(sigma*sqrt(2)))/2+x*exp(-(x/sigma)^2/2)/(sigma*sqrt(2*pi))",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return NormalRamp(x, p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return NormalRampSlope(x / p[0]);
  }
  // -t^2 phi(t), t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N t = NormalArgument(x / p[0]);
    return -(NormalPdf(t) * (t * t));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 3>{{{-0.0, kInf}, {-0.0, 1}, {-0.0, -0.0}}};
  }
};

using Gelus = std::tuple<Gelu, GeluTanh, GeluSigmoid, GeluSigma>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
