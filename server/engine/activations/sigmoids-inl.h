// S-shaped activations: smooth steps and what is made of them.
// laplace: X. Ma et al., "Mega", arXiv:2209.10655.
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
  static constexpr Alias kAliases[] = {{"logistic"}, {"expit"}};
  static constexpr const char* kApproximations[] = {"hard_sigmoid"};
  static constexpr Spec kSpec = {
      .name = "sigmoid",
      .description = "The logistic function, a smooth step.",
      .formula = "1/(1+exp(-x))",
      .derivative = "1/((1+exp(-x))*(1+exp(x)))",
      .aliases = kAliases,
      .approximations = kApproximations,
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

struct LogSigmoid {
  static constexpr Alias kAliases[] = {{"logsigmoid"}};
  static constexpr Spec kSpec = {
      .name = "log_sigmoid",
      .description = "The logarithm of sigmoid.",
      .formula = "-log(1+exp(-x))",
      .derivative = "1/(1+exp(x))",
      .aliases = kAliases,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return -Softplus(-x, 1.0);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return Logistic(-x);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-kInf, -0.0}, {1, 0}}}; }
};

struct HyperbolicTangent {
  static constexpr const char* kApproximations[] = {"hardtanh", "softsign"};
  static constexpr Spec kSpec = {
      .name = "tanh",
      .description = "The hyperbolic tangent.",
      .formula = "tanh(x)",
      .derivative = "1/cosh(x)^2",
      .approximations = kApproximations,
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

struct TanhShrink {
  static constexpr Alias kAliases[] = {{"keras:tanh_shrink"}};
  static constexpr Spec kSpec = {
      .name = "tanhshrink",
      .description = "What tanh takes away from x.",
      .formula = "x-tanh(x)",
      .derivative = "tanh(x)^2",
      .aliases = kAliases,
  };
  // Below 1: (x cosh x - sinh x) / cosh x, whose numerator x^3 (2/3! + 4 x^2/5! + 6 x^4/7! + ...)
  // has positive terms only; further down x^3/3 (1 - 2 x^2/5 + 17 x^4/105 - ...).
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    constexpr int kLast = 2 * N::kSeriesTerms + 1;
    const N near = Clamp(x, 1.0);
    const N square = near * near;
    N sum = InverseFactorial(x, kLast) * static_cast<double>(kLast - 1);
    for (int n = kLast - 2; n >= 3; n -= 2) {
      sum = InverseFactorial(x, n) * static_cast<double>(n - 1) + square * sum;
    }
    const N e = Unscaled(ExpScaled(Abs(near)));
    const N cube = near * square;
    const N third = cube / 3.0;
    const N series = third - third * (square * (N(0.4) - square * (N(17.0) / 105.0)));
    const N inner = WithSeries(near, series, cube * sum * 2.0 / (e + N(1.0) / e));
    return Select(Abs(x) < N(1.0), inner, x - Tanh(x));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const N t = Tanh(x);
    return t * t;
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-kInf, kInf}, {1, 1}}}; }
};

struct SoftSign {
  static constexpr Spec kSpec = {
      .name = "softsign",
      .description = "A step that nears its ends as 1/x.",
      .formula = "x < 0 ? x/(1-x) : x/(1+x)",
      .derivative = "x < 0 ? 1/(1-x)^2 : 1/(1+x)^2",
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return x / (N(1.0) + Abs(x));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const N sum = N(1.0) + Abs(x);
    return N(1.0) / sum / sum;
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-1, 1}, {0, 0}}}; }
};

struct Laplace {
  static constexpr Parameter kParameters[] = {
      {"mu", "Where the step is.", 0.707107, -kWidest, kWidest},
      {"sigma", "Width: towards 0 it is step.", 0.282095, kNarrowest, kWidest}};
  static constexpr Spec kSpec = {
      .name = "laplace",
      .description =
          "The normal distribution function, which stands for relu2 in Mega's attention.",
      .formula = "erfc(-(x-mu)/(sigma*sqrt(2)))/2",
      .derivative = "exp(-((x-mu)/sigma)^2/2)/(sigma*sqrt(2*pi))",
      .parameters = kParameters,
  };
  template <class N>
  static HWY_INLINE N Argument(N x, const double* p) {
    return Clamp((x - N(p[0])) / N(p[1]), 60.0);
  }
  // The argument is rounded twice, which its square multiplies in the exponent; as Lanes by no more
  // than their bound allows.
  template <class N, class S>
  static HWY_INLINE auto Widened(const S& value) {
    if constexpr (N::kIsFast) {
      return value;
    } else {
      return Result<N>{value, Abs(value) * N(16.0)};
    }
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Widened<N>(NormalCdf(Argument(x, p)));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Widened<N>(NormalPdf(Argument(x, p)) * (N(1.0) / p[1]));
  }
  // By mu -phi(z)/sigma, by sigma z times that.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N z = Argument(x, p);
    return -(NormalPdf(z) * ((kIndex == 0 ? N(1.0) : z) / p[1]));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 4>{{{0, 1}, {0, 0}, {-0.0, -0.0}, {0, -0.0}}};
  }
};

using Sigmoids = std::tuple<Sigmoid, LogSigmoid, HyperbolicTangent, TanhShrink, SoftSign, Laplace>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
