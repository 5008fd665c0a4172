// THE CATALOGUE: one struct per activation, its Spec beside its kernels, and one list at the end.
// To add an activation, add a struct and its name to the list; nothing else changes.
//
// Kernels are templates over the number type (lanes-inl.h); p holds the parameters in Spec order.
//   Value, Derivative                  f(x) and f'(x) for finite x
//   ParameterDerivative<i>             df/dp for the i-th parameter (where there are parameters)
//   AtInfinity(p)                      the limits at -inf and +inf of f, f' and each df/dp
// Formulas: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415 (gelu and its
// two approximations); P. Ramachandran et al., "Searching for Activation Functions",
// arXiv:1710.05941 (silu); D.-A. Clevert et al., arXiv:1511.07289 (elu); C. Dugas et al., NIPS 2000
// (softplus).
#include <array>
#include <limits>
#include <span>
#include <tuple>

#include "hwy/highway.h"
#include "server/engine/kernels.h"
#include "server/engine/math-inl.h"
#include "server/engine/spec.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
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

// Limits at -inf and +inf.
struct Ends {
  double left, right;
};

struct Relu {
  static constexpr Kink kKinks[] = {{"0", "0"}};
  static constexpr Spec kSpec = {
      .name = "relu",
      .description = "Rectified linear unit.",
      .formula = "x > 0 ? x : 0",
      .derivative = "x > 0 ? 1 : 0",
      .kinks = kKinks,
      .positive_zero = true,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return Select(N(0.0) < x, x, N(0.0));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
    return Select(N(0.0) < x, N(1.0), N(0.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, kInf}, {0, 1}}}; }
};

struct LeakyRelu {
  static constexpr Parameter kParameters[] = {
      {"negative_slope", "Slope for x <= 0.", 0.01, -kLargest, kLargest}};
  static constexpr Kink kKinks[] = {{"0", "negative_slope"}};
  static constexpr Spec kSpec = {
      .name = "leaky_relu",
      .description = "ReLU with a slope on the left.",
      .formula = "x > 0 ? x : negative_slope*x",
      .derivative = "x > 0 ? 1 : negative_slope",
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Select(N(0.0) < x, x, N(p[0]) * x);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return Select(N(0.0) < x, N(1.0), N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double*) {
    return Select(N(0.0) < x, N(0.0), x);
  }
  static auto AtInfinity(const double* p) {
    const double left = p[0] > 0 ? -kInf : p[0] < 0 ? kInf : -0.0;
    return std::array<Ends, 3>{{{left, kInf}, {p[0], 1}, {-kInf, 0}}};
  }
};

struct Elu {
  static constexpr Parameter kParameters[] = {
      {"alpha", "Minus the limit on the left.", 1, -kLargest, kLargest}};
  static constexpr Kink kKinks[] = {{"0", "alpha"}};
  static constexpr Spec kSpec = {
      .name = "elu",
      .description = "Exponential linear unit.",
      .formula = "x > 0 ? x : alpha*(exp(x)-1)",
      .derivative = "x > 0 ? 1 : alpha*exp(x)",
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Select(N(0.0) < x, x, N(p[0]) * Expm1(-Abs(x)));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    using S = typename N::Scaled;
    return Select(N(0.0) < x, S(1.0), ExpScaled(-Abs(x)) * N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double*) {
    return Select(N(0.0) < x, N(0.0), Expm1(-Abs(x)));
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 3>{{{-p[0], kInf}, {0 * p[0], 1}, {-1, 0}}};
  }
};

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
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return Logistic(x);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
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
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return Tanh(x);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
    return LogisticSlope(x * 2.0) * N(4.0);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-1, 1}, {0, 0}}}; }
};

struct SmoothPlus {
  static constexpr Parameter kParameters[] = {
      {"beta", "Sharpness: the larger, the closer to relu.", 1, kNarrowest, kWidest}};
  static constexpr const char* kApproximations[] = {"relu"};
  static constexpr Spec kSpec = {
      .name = "softplus",
      .description = "A smooth ReLU, the integral of sigmoid(beta x); no threshold.",
      .formula = "log(1+exp(beta*x))/beta",
      .derivative = "1/(1+exp(-beta*x))",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Softplus(x, N(p[0]));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return Logistic(SignedProduct(N(p[0]), x));
  }
  // -(a s(-a) + log(1 + e^-a)) / beta^2, a = |beta x|: the same on both sides, and nothing cancels.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
    const N a = Clamp(Abs(SignedProduct(N(p[0]), x)), kSaturated);
    const auto e = ExpScaled(-a);
    const N small = Unscaled(e);
    const N inner = a / (small + 1.0) + Log1p(small) / small;
    return -(e * inner) / (N(p[0]) * N(p[0]));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 3>{{{0, kInf}, {0, 1}, {-0.0, -0.0}}};
  }
};

// x s(z) for z = slope * x, and its derivatives; what silu and gelu_sigmoid share.
template <class N>
HWY_INLINE Result<N> LogisticRamp(N x, N slope) {
  return x * Logistic(SignedProduct(slope, x));
}
// s(z) (1 + z s(-z)).
template <class N>
HWY_INLINE Result<N> LogisticRampSlope(N x, N slope) {
  const N z = Clamp(SignedProduct(slope, x), kSaturated);
  return CancellingSum<N>(Logistic(z), N(1.0), z * Unscaled(Logistic(-z)));
}

struct Silu {
  static constexpr const char* kAliases[] = {"swish"};
  static constexpr Parameter kParameters[] = {
      {"beta", "Slope of the sigmoid: 0 gives x/2, a large one relu.", 1, -1e300, 1e300}};
  static constexpr const char* kApproximations[] = {"relu"};
  static constexpr Spec kSpec = {
      .name = "silu",
      .description = "Sigmoid linear unit, also known as Swish.",
      .formula = "x/(1+exp(-beta*x))",
      .derivative = "(1+beta*x/(1+exp(beta*x)))/(1+exp(-beta*x))",
      .aliases = kAliases,
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return LogisticRamp(x, N(p[0]));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return LogisticRampSlope(x, N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
    return LogisticSlope(SignedProduct(N(p[0]), x)) * (x * x);
  }
  static auto AtInfinity(const double* p) {
    if (p[0] == 0) return std::array<Ends, 3>{{{-kInf, kInf}, {0.5, 0.5}, {kInf, kInf}}};
    if (p[0] < 0) return std::array<Ends, 3>{{{-kInf, 0}, {1, -0.0}, {0, 0}}};
    return std::array<Ends, 3>{{{-0.0, kInf}, {-0.0, 1}, {0, 0}}};
  }
};

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
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return x * NormalCdf(x);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
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
  // Beyond +-64 the logistic's argument is beyond +-18000.
  template <class N>
  static HWY_INLINE N Argument(N x, double times) {
    const N y = Clamp(x, 64.0);
    return N(kTwoSqrt2OverPi) * (y + N(kGeluTanhCubic) * times * (y * y * y));
  }
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return x * Logistic(Argument(x, 1.0));
  }
  // s(u) (1 + x u' s(-u)).
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
    const N u = Argument(x, 1.0);
    return CancellingSum<N>(Logistic(u), N(1.0), Argument(x, 3.0) * Unscaled(Logistic(-u)));
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
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return LogisticRamp(x, N(kGeluSigmoidSlope));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double*) {
    return LogisticRampSlope(x, N(kGeluSigmoidSlope));
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return x * NormalCdf(x / p[0]);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return NormalRampSlope(x / p[0]);
  }
  // -t^2 phi(t), t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
    const N t = NormalArgument(x / p[0]);
    return -(NormalPdf(t) * (t * t));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 3>{{{-0.0, kInf}, {-0.0, 1}, {-0.0, -0.0}}};
  }
};

// ---- Where GELU comes from: deltas, their integrals (steps); a step times x is a ramp
// ------------------

struct Step {
  static constexpr const char* kAliases[] = {"heaviside"};
  static constexpr Kink kKinks[] = {{"0", "0"}};
  static constexpr Spec kSpec = {
      .name = "step",
      .description = "Heaviside's step, 1/2 at 0; its derivative is 0 wherever it has one.",
      .formula = "x > 0 ? 1 : x < 0 ? 0 : 1/2",
      .derivative = "0",
      .aliases = kAliases,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE Result<N> Value(N x, const double*) {
    return Select(N(0.0) < x, N(1.0), Select(x < N(0.0), N(0.0), N(0.5)));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N, const double*) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return NormalCdf(x * N(kSqrt2) / p[0]);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return Gaussian(x / p[0]) * (N(kInvSqrtPi) / p[0]);
  }
  // -(t / sigma) e^(-t^2) / sqrt(pi), t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Logistic(SignedProduct(N(2 * p[0]), x));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return LogisticSlope(SignedProduct(N(2 * p[0]), x)) * N(2 * p[0]);
  }
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Gaussian(x / p[0]) * (N(kInvSqrtPi) / p[0]);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    const N t = Clamp(x / p[0], 60.0);
    return Gaussian(t) * (t * -2.0 / p[0] * (N(kInvSqrtPi) / p[0]));
  }
  // (2 t^2 - 1) / sigma times the value, t = x / sigma.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Select(Abs(x) < N(p[0]), (N(p[0]) - Abs(x)) / p[0] / p[0], N(0.0));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    const N slope = CopySign(N(1.0) / p[0] / p[0], -x);
    return Select(Abs(x) < N(p[0]), Select(x == N(0.0), N(0.0), slope), N(0.0));
  }
  // (2 |x| - eps) / eps^3.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return N(kInvPi) * p[0] / SumOfSquares(x, N(p[0]));
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    const N sum = SumOfSquares(x, N(p[0]));
    return x / sum * -2.0 * N(kInvPi) * p[0] / sum;
  }
  // (x - a) (x + a) / (pi (x^2 + a^2)^2).
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
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
  static HWY_INLINE Result<N> Value(N x, const double* p) {
    return Sinc(x * p[0], N(kInvPi) * p[0]);
  }
  template <class N>
  static HWY_INLINE Result<N> Derivative(N x, const double* p) {
    return SincSlope(x * p[0], N(kInvPi) * p[0] * p[0]);
  }
  // cos(alpha x) / pi.
  template <int kIndex, class N>
  static HWY_INLINE Result<N> ParameterDerivative(N x, const double* p) {
    const N cosine = Cos(x * p[0]);
    return {N(kInvPi) * cosine, N(kInvPi)};
  }
  static auto AtInfinity(const double*) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // cos has no limit
    return std::array<Ends, 3>{{{0, 0}, {0, 0}, {kNone, kNone}}};
  }
};

// The catalogue's order, which ListActivations and the README's table follow.
using Activations = std::tuple<Relu, LeakyRelu, Elu, Sigmoid, HyperbolicTangent, SmoothPlus, Silu,
                               Gelu, GeluTanh, GeluSigmoid, GeluSigma, Step, StepNormal,
                               StepLogistic, DeltaGaussian, DeltaTriangle, DeltaLorentz, DeltaSinc>;

// One row (kernels.h) of one activation.
template <class A, int kRow, class N>
HWY_INLINE Result<N> Apply(const N& x, const double* p) {
  if constexpr (kRow == kValueRow) {
    return A::Value(x, p);
  } else if constexpr (kRow == kDerivativeRow) {
    return A::Derivative(x, p);
  } else {
    return A::template ParameterDerivative<kRow - kFirstParameterRow>(x, p);
  }
}

template <class A>
inline constexpr int kRowsOf = kFirstParameterRow + static_cast<int>(A::kSpec.parameters.size());

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
