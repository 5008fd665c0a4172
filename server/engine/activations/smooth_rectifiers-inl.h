// Smooth relatives of relu that are made of exponentials.
// softplus: C. Dugas et al., NIPS 2000. silu: P. Ramachandran et al., "Searching for Activation
// Functions", arXiv:1710.05941. squareplus: J. T. Barron, arXiv:2112.11687. mish: D. Misra,
// arXiv:1908.08681.
#include <type_traits>

#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SMOOTH_RECTIFIERS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SMOOTH_RECTIFIERS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SMOOTH_RECTIFIERS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_SMOOTH_RECTIFIERS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct SmoothPlus {
  static constexpr Parameter kParameters[] = {
      {"beta", "Sharpness: the larger, the closer to relu.", 1, kNarrowest, kWidest}};
  static constexpr const char* kApproximations[] = {"relu", "softplus_threshold", "squareplus"};
  static constexpr Spec kSpec = {
      .name = "softplus",
      .description = "A smooth ReLU, the integral of sigmoid(beta x); no threshold.",
      .formula = "log(1+exp(beta*x))/beta",
      .derivative = "1/(1+exp(-beta*x))",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Softplus(x, p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Logistic(SignedProduct(N(p[0]), x));
  }
  // -(a s(-a) + log(1 + e^-a)) / beta^2, a = |beta x|: the same on both sides, and nothing cancels.
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
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

// Whether beta x is above the threshold must not hang on rounding errors. A product in float64, or
// the first of a pair, is the nearest number to the exact one: only where it is the threshold
// itself can it mislead, and there the magnitude says so.
struct SoftplusThreshold {
  static constexpr Alias kAliases[] = {{"torch:softplus"}};
  static constexpr Parameter kParameters[] = {
      {"beta", "Sharpness: the larger, the closer to relu.", 1, kNarrowest, kWidest},
      {"threshold", "Where beta x exceeds it, the result is x.", 20, -kAny, kAny}};
  static constexpr Kink kKinks[] = {{"threshold/beta", "1/(1+exp(-threshold))"}};
  static constexpr Spec kSpec = {
      .name = "softplus_threshold",
      .description = "softplus as PyTorch has it, the identity on the far right.",
      .formula = "beta*x > threshold ? x : log(1+exp(beta*x))/beta",
      .derivative = "beta*x > threshold ? 1 : 1/(1+exp(-beta*x))",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE Result<N> Piece(N x, const double* p,
                                    const std::type_identity_t<Result<N>>& below,
                                    const std::type_identity_t<Result<N>>& above) {
    using S = typename N::Scaled;
    const N product = x * p[0];
    const N threshold = p[1];
    const auto is_above = threshold < product;
    const S size = Select(is_above, above.magnitude, S(N(kInf)));
    return {Select(is_above, above.value, below.value),
            Select(product < threshold, below.magnitude, size)};
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Piece(x, p, SmoothPlus::Value(x, p), x);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Piece(x, p, SmoothPlus::Derivative(x, p), N(1.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    if constexpr (kIndex == 0) {
      return Piece(x, p, SmoothPlus::ParameterDerivative<kIndex>(x, p), N(0.0));
    } else {
      return N(0.0);
    }
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 4>{{{0, kInf}, {0, 1}, {-0.0, 0}, {0, 0}}};
  }
};

struct SquarePlus {
  static constexpr Parameter kParameters[] = {
      {"b", "Width of the bend: towards 0 it is relu.", 4, kNarrowest, kWidest}};
  static constexpr const char* kApproximations[] = {"relu"};
  static constexpr Spec kSpec = {
      .name = "squareplus",
      .description = "A smooth ReLU made of a hyperbola.",
      .formula = "(x+sqrt(x^2+b))/2",
      .derivative = "(1+x/sqrt(x^2+b))/2",
      .parameters = kParameters,
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE N Root(N x, const double* p) {
    return Sqrt(x * x + N(p[0]));
  }
  // On the left the same as b / (2 (sqrt(x^2 + b) - x)).
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const N sum = Abs(x) + Root(x, p);
    return Select(x < N(0.0), N(p[0]) / (sum + sum), sum * 0.5);
  }
  // With r the root, and t = b / (2 r (r + |x|)): t on the left, 1 - t on the right, and 1/2 +
  // x/(2r) between, which is exact at 0.
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    const N r = Root(x, p);
    const N tail = N(p[0]) / (r + r) / (r + Abs(x));
    const N side = Select(x < N(0.0), tail, N(1.0) - tail);
    return Select(x * x < N(p[0]), x / (r + r) + 0.5, side);
  }
  // 1 / (4 r).
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return N(0.25) / Root(x, p);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 3>{{{0, kInf}, {0, 1}, {0, 0}}}; }
};

struct Silu {
  static constexpr Alias kAliases[] = {{"swish"}};
  static constexpr Parameter kParameters[] = {
      {"beta", "Slope of the sigmoid: 0 gives x/2, a large one relu.", 1, -1e300, 1e300}};
  static constexpr const char* kApproximations[] = {"relu", "hard_swish"};
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
  static HWY_INLINE auto Value(N x, const double* p) {
    return LogisticRamp(x, x, p[0]);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    const N z = Clamp(SignedProduct(N(p[0]), x), N::kIsFast ? 300.0 : kSaturated);
    return LogisticRampSlope(z, z);
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return LogisticSlope(SignedProduct(N(p[0]), x)) * (x * x);
  }
  static auto AtInfinity(const double* p) {
    if (p[0] == 0) return std::array<Ends, 3>{{{-kInf, kInf}, {0.5, 0.5}, {kInf, kInf}}};
    if (p[0] < 0) return std::array<Ends, 3>{{{-kInf, 0}, {1, -0.0}, {0, 0}}};
    return std::array<Ends, 3>{{{-0.0, kInf}, {-0.0, 1}, {0, 0}}};
  }
};

// With e = e^x, q = e^2 + 2e + 2: f = x e (e + 2) / q. On the right everything is divided by powers
// of e, with u = e^-x and q = 1 + 2u + 2u^2: f = x (1 - 2u^2/q).
struct Mish {
  static constexpr Spec kSpec = {
      .name = "mish",
      .description = "A smooth, non-monotonic rectifier, x tanh(softplus(x)).",
      .formula = "x*tanh(log(1+exp(x)))",
      .derivative =
          "x < 0 ? exp(x)*((exp(x)+2)*(exp(2*x)+2*exp(x)+2)+4*x*(exp(x)+1))"
          "/(exp(2*x)+2*exp(x)+2)^2 : ((1+2*exp(-x))*(1+2*exp(-x)+2*exp(-2*x))"
          "+4*x*exp(-2*x)*(1+exp(-x)))/(1+2*exp(-x)+2*exp(-2*x))^2",
  };
  // u, at least 2^-400, so that the sign of 1 - u^2 survives.
  template <class N>
  static HWY_INLINE N Floored(N u) {
    return Select(u < N(0x1p-400), N(0x1p-400), u);
  }
  // As Lanes x w / (w + 2), w = e (e + 2), for all x; e^200 is large enough to give x.
  template <class D, size_t kCount>
  static HWY_INLINE auto Value(const Lanes<D, kCount>& x, const double*) {
    const auto e = ExpScaled(Min(200.0, x));
    const auto w = e * (e + 2.0);
    return x * w / (w + 2.0);
  }
  // Near 0 3x/5 + 8x^2/25, right to 2^-108 for |x| < 2^-54, with an exact first term.
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    using S = typename N::Scaled;
    const S e = ExpScaled(-Abs(x));
    const N small = Unscaled(e);
    const S left = e * (x * (small + 2.0) / (small * (small + 2.0) + 2.0));
    const N u = Floored(small);
    const N square = u * u * 2.0;
    const N right = x - x * (square / (square + u + u + 1.0));
    const N series = x * 3.0 / 5.0 + x * (x * (N(8.0) / 25.0));
    return WithSeries(x * 0x1p36, S(series), Select(x < N(0.0), left, S(right)));
  }
  template <class D, size_t kCount>
  static HWY_INLINE auto Derivative(const Lanes<D, kCount>& x, const double*) {
    const auto z = Max(-220.0, Min(100.0, x));
    const auto e = ExpScaled(z);
    const auto q = e * (e + 2.0) + 2.0;
    return CancellingSum<Lanes<D, kCount>>(e / (q * q), (e + 2.0) * q, z * 4.0 * (e + 1.0));
  }
  // e ((e + 2) q + 4x (e + 1)) / q^2, which has a root; 1 + u^2 (4x (1 + u) - 2q) / q^2.
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    using S = typename N::Scaled;
    const N z = Clamp(x, kSaturated);
    const S e = ExpScaled(-Abs(z));
    const N small = Unscaled(e);
    const N q = small * (small + 2.0) + 2.0;
    const Result<N> left =
        CancellingSum<N>(e / (q * q), (small + 2.0) * q, z * 4.0 * (small + 1.0));
    const N u = Floored(small);
    const N p = u * (u + 1.0) * 2.0 + 1.0;
    const S right = N(1.0) + u * u * ((z * 4.0 * (u + 1.0) - p * 2.0) / (p * p));
    const auto negative = z < N(0.0);
    return Result<N>(Select(negative, left.value, right), Select(negative, left.magnitude, right));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-0.0, kInf}, {-0.0, 1}}}; }
};

using SmoothRectifiers = std::tuple<SmoothPlus, SoftplusThreshold, SquarePlus, Silu, Mish>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
