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
  static constexpr Alias kAliases[] = {{"torch:gelu"},     {"keras:gelu"},  {"tf:gelu"},
                                       {"onnx:gelu"},      {"gelu_python"}, {"ggml:gelu_erf"},
                                       {"onednn:gelu_erf"}};
  static constexpr const char* kApproximations[] = {"gelu_tanh", "gelu_sigmoid", "silu", "relu"};
  static constexpr Spec kSpec = {
      .name = "gelu",
      .description = "Gaussian error linear unit, x times the normal distribution function.",
      .formula = "x*erfc(-x/sqrt(2))/2",
      .derivative = "erfc(-x/sqrt(2))/2+x*exp(-x^2/2)/sqrt(2*pi)",
      .aliases = kAliases,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return NormalRamp(x, 1.0);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return NormalRampSlope(x);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

// x s(slope (x + 0.044715 x^3)).
template <const Constant& kSlope>
struct CubicLogisticRamp {
  // x + times 0.044715 x^3.
  template <class N>
  static HWY_INLINE N Cubic(N x, double times) {
    return x + x * (x * x * (N(kGeluTanhCubic) * times));
  }
  // Beyond +-64 the logistic's argument is beyond +-18000, beyond +-14 beyond +-218. Fast kernels
  // go to infinity on the left by themselves.
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    if constexpr (N::kIsFast) {
      return LogisticRamp(x, Cubic(Min(64.0, x), 1.0), kSlope);
    } else {
      return LogisticRamp(x, Cubic(Clamp(x, 64.0), 1.0), kSlope);
    }
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const N y = Clamp(x, N::kIsFast ? 14.0 : 64.0);
    const N slope = kSlope;
    return LogisticRampSlope(slope * Cubic(y, 1.0), slope * Cubic(y, 3.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

struct GeluTanh : CubicLogisticRamp<kTwoSqrt2OverPi> {
  static constexpr Alias kAliases[] = {{"gelu_new"}, {"gelu_pytorch_tanh"}, {"gelu_accurate"},
                                       {"jax:gelu"}, {"ggml:gelu"},         {"onednn:gelu_tanh"}};
  static constexpr const char* kApproximations[] = {"gelu_sigmoid", "gelu_fast"};
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
};

struct GeluFast : CubicLogisticRamp<kTwiceGeluFastSlope> {
  static constexpr Spec kSpec = {
      .name = "gelu_fast",
      .description = "gelu_tanh with sqrt(2/pi) rounded to 0.7978845608, as Hugging Face has it.",
      .formula = "x/(1+exp(-2*0.7978845608*(x+0.044715*x^3)))",
      .derivative =
          "(1+2*0.7978845608*(x+0.134145*x^3)/(1+exp(2*0.7978845608*(x+0.044715*x^3))))"
          "/(1+exp(-2*0.7978845608*(x+0.044715*x^3)))",
  };
};

struct GeluSigmoid {
  static constexpr Alias kAliases[] = {{"quick_gelu"}, {"ggml:gelu_quick"}};
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

// gelu(10) is 10 (1 - 7.6e-24): of all float64, those above 10 are what is clipped.
struct Gelu10 {
  static constexpr Spec kSpec = {
      .name = "gelu_10",
      .description =
          "gelu clipped to [-10, 10], of which it reaches the upper end: there is a kink "
          "7.6e-23 above x = 10.",
      .formula = "x*erfc(-x/sqrt(2))/2 < 10 ? x*erfc(-x/sqrt(2))/2 : 10",
      .derivative = "x*erfc(-x/sqrt(2))/2 < 10 ? erfc(-x/sqrt(2))/2+x*exp(-x^2/2)/sqrt(2*pi) : 0",
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    using S = typename N::Scaled;
    return Select(N(10.0) < x, S(10.0), x * NormalCdf(x));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    using S = typename N::Scaled;
    const Result<N> slope = NormalRampSlope(x);
    const auto clipped = N(10.0) < x;
    return Result<N>(Select(clipped, S(0.0), slope.value),
                     Select(clipped, S(0.0), slope.magnitude));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, 10}, {-0.0, 0}}}; }
};

using Gelus = std::tuple<Gelu, GeluTanh, GeluFast, GeluSigmoid, GeluSigma, Gelu10>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
