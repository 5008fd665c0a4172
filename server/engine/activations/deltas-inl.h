// Where GELU comes from: approximations of Dirac's delta and their integrals, smooth steps; a step
// times x is a smooth ReLU.
#include <cmath>

#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_DELTAS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_DELTAS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_DELTAS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_DELTAS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct Step {
  static constexpr Alias kAliases[] = {{"heaviside"}};
  static constexpr Kink kKinks[] = {{"0", "0"}};
  static constexpr Spec kSpec = {
      .name = "step",
      .description = "Heaviside's step, 1/2 at 0; its derivative is 0 wherever it has one.",
      .formula = "x > 0 ? 1 : x < 0 ? 0 : 1/2",
      .derivative = "0",
      .aliases = kAliases,
      .kinks = kKinks,
      .exact = true,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return Select(N(0.0) < x, N(1.0), Select(x < N(0.0), N(0.0), N(0.5)));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N, const double*) {
    return N(0.0);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, 1}, {0, 0}}}; }
};

struct StepNormal {
  static constexpr Parameter kParameters[] = {
      {"sigma", "Width: towards 0 it is step; sqrt(2) makes x times it gelu.", 1, kNarrowest,
       kWidest}};
  static constexpr const char* kApproximations[] = {"step"};
  static constexpr Spec kSpec = {
      .name = "step_normal",
      .description = "The integral of delta_gaussian, (1 + erf(x/sigma))/2.",
      .formula = "erfc(-x/sigma)/2",
      .derivative = "exp(-(x/sigma)^2)/(sigma*sqrt(pi))",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return NormalCdf(x * N(kSqrt2) / p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Gaussian(x / p[0]) * (N(kInvSqrtPi) / p[0]);
  }
  // -(t / sigma) e^(-t^2) / sqrt(pi), t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N t = Clamp(x / p[0], 60.0);
    return -(Gaussian(t) * (t / p[0] * N(kInvSqrtPi)));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 3>{{{0, 1}, {0, 0}, {0, -0.0}}}; }
};

struct StepLogistic {
  static constexpr Parameter kParameters[] = {
      {"k", "Half the slope of the exponent: 1/2 is sigmoid, a large one step.", 0.5, -kLargest,
       kLargest}};
  static constexpr const char* kApproximations[] = {"step"};
  static constexpr Spec kSpec = {
      .name = "step_logistic",
      .description = "The logistic smooth step, 1/(1 + e^(-2kx)).",
      .formula = "1/(1+exp(-2*k*x))",
      .derivative = "2*k/((1+exp(-2*k*x))*(1+exp(2*k*x)))",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Logistic(SignedProduct(N(2 * p[0]), x));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return LogisticSlope(SignedProduct(N(2 * p[0]), x)) * N(2 * p[0]);
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return LogisticSlope(SignedProduct(N(2 * p[0]), x)) * (x * 2.0);
  }
  static auto AtInfinity(const double* p) {
    if (p[0] == 0) return std::array<Ends, 3>{{{0.5, 0.5}, {0, 0}, {-kInf, kInf}}};
    const Ends value = p[0] > 0 ? Ends{0, 1} : Ends{1, 0};
    return std::array<Ends, 3>{{value, {0 * p[0], 0 * p[0]}, {-0.0, 0}}};
  }
};

struct DeltaGaussian {
  static constexpr Parameter kParameters[] = {
      {"sigma", "Width; towards 0 it is Dirac's delta.", 1, kNarrowest, kWidest}};
  static constexpr Spec kSpec = {
      .name = "delta_gaussian",
      .description = "Dirac's delta as a Gaussian of width sigma.",
      .formula = "exp(-(x/sigma)^2)/(sigma*sqrt(pi))",
      .derivative = "-2*x/sigma^2*exp(-(x/sigma)^2)/(sigma*sqrt(pi))",
      .parameters = kParameters,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Gaussian(x / p[0]) * (N(kInvSqrtPi) / p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    const N t = Clamp(x / p[0], 60.0);
    return Gaussian(t) * (t * -2.0 / p[0] * (N(kInvSqrtPi) / p[0]));
  }
  // (2 t^2 - 1) / sigma times the value, t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N t = NormalArgument(x / p[0]);
    const N scale = N(kInvSqrtPi) / p[0] / p[0];
    return CancellingSum<N>(Gaussian(t) * scale, t * t * 2.0, N(-1.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 3>{{{0, 0}, {0, -0.0}, {0, 0}}}; }
};

struct DeltaTriangle {
  static constexpr Parameter kParameters[] = {
      {"eps", "Half the base; towards 0 it is Dirac's delta.", 1, kNarrowest, kWidest}};
  static constexpr Kink kKinks[] = {{"-eps", "0"}, {"0", "0"}, {"eps", "0"}};
  static constexpr Spec kSpec = {
      .name = "delta_triangle",
      .description = "Dirac's delta as a triangle of base 2 eps.",
      .formula = "abs(x) < eps ? (1-abs(x)/eps)/eps : 0",
      .derivative = "abs(x) < eps ? (x > 0 ? -1 : x < 0 ? 1 : 0)/eps^2 : 0",
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const double square = p[0] * p[0];
    const bool is_exact = std::fma(p[0], p[0], -square) == 0;
    const Result<N> inside =
        is_exact ? SumOver(-Abs(x), p[0], square) : Result<N>((N(p[0]) - Abs(x)) / p[0] / p[0]);
    return Select(Abs(x) < N(p[0]), inside, Result<N>(N(0.0)));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    const N slope = CopySign(N(1.0) / p[0] / p[0], -x);
    return Select(Abs(x) < N(p[0]), Select(x == N(0.0), N(0.0), slope), N(0.0));
  }
  // (2 |x| - eps) / eps^3.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N a = Abs(x);
    return Select(a < N(p[0]), (a + a - N(p[0])) / p[0] / p[0] / p[0], N(0.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 3>{{{0, 0}, {0, 0}, {0, 0}}}; }
};

struct DeltaLorentz {
  static constexpr Parameter kParameters[] = {
      {"a", "Half width at half height; towards 0 it is Dirac's delta.", 1, kNarrowest, kWidest}};
  static constexpr Spec kSpec = {
      .name = "delta_lorentz",
      .description = "Dirac's delta as a Lorentz (Cauchy) curve of half width a.",
      .formula = "a/(pi*(x^2+a^2))",
      .derivative = "-2*a*x/(pi*(x^2+a^2)^2)",
      .parameters = kParameters,
  };
  template <class N>
  static HWY_INLINE N SumOfSquares(N x, N a) {
    return x * x + a * a;
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return N(kInvPi) * p[0] / SumOfSquares(x, N(p[0]));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    const N sum = SumOfSquares(x, N(p[0]));
    return x / sum * -2.0 * N(kInvPi) * p[0] / sum;
  }
  // (x - a) (x + a) / (pi (x^2 + a^2)^2).
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N sum = SumOfSquares(x, N(p[0]));
    return N(kInvPi) * (x - N(p[0])) / sum * (x + N(p[0])) / sum;
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 3>{{{0, 0}, {0, -0.0}, {0, 0}}}; }
};

struct DeltaSinc {
  static constexpr Parameter kParameters[] = {
      {"alpha", "Frequency; towards infinity it is Dirac's delta.", 1, kNarrowest, kWidest}};
  static constexpr Spec kSpec = {
      .name = "delta_sinc",
      .description = "Dirac's delta as a sinc of frequency alpha.",
      .formula = "x == 0 ? alpha/pi : sin(alpha*x)/(pi*x)",
      .derivative = "x == 0 ? 0 : (alpha*x*cos(alpha*x)-sin(alpha*x))/(pi*x^2)",
      .parameters = kParameters,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Sinc(x * p[0], N(kInvPi) * p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return SincSlope(x * p[0], N(kInvPi) * p[0] * p[0]);
  }
  // cos(alpha x) / pi.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N cosine = Cos(x * p[0]);
    return Result<N>(N(kInvPi) * cosine, N(kInvPi));
  }
  static auto AtInfinity(const double*) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // cos has no limit
    return std::array<Ends, 3>{{{0, 0}, {0, 0}, {kNone, kNone}}};
  }
};

using Deltas = std::tuple<Step, StepNormal, StepLogistic, DeltaGaussian, DeltaTriangle,
                          DeltaLorentz, DeltaSinc>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
