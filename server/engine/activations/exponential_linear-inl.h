// Rectifiers with an exponential on the left.
// elu: D.-A. Clevert et al., arXiv:1511.07289. celu: J. T. Barron, arXiv:1704.07483. selu: G.
// Klambauer et al., arXiv:1706.02515. xielu: A. H. Huang, I. Schlag, arXiv:2411.13010.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_EXPONENTIAL_LINEAR_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_EXPONENTIAL_LINEAR_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_EXPONENTIAL_LINEAR_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_EXPONENTIAL_LINEAR_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

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
  static HWY_INLINE auto Value(N x, const double* p) {
    return ExponentialRamp(x, p[0], 1.0);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    using S = typename N::Scaled;
    return Select(N(0.0) < x, S(1.0), ExpScaled(-Abs(x)) * N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double*) {
    return Select(N(0.0) < x, N(0.0), Expm1(-Abs(x)));
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 3>{{{-p[0], kInf}, {0 * p[0], 1}, {-1, 0}}};
  }
};

struct Celu {
  static constexpr Parameter kParameters[] = {
      {"alpha", "Minus the limit on the left, and the width of the exponential.", 1, kNarrowest,
       kWidest}};
  static constexpr Spec kSpec = {
      .name = "celu",
      .description = "ELU whose derivative is continuous for every alpha.",
      .formula = "x > 0 ? x : alpha*(exp(x/alpha)-1)",
      .derivative = "x > 0 ? 1 : exp(x/alpha)",
      .parameters = kParameters,
  };
  // alpha (e^t - 1) = x (1 + t/2 + ...), t = x / alpha, which underflows where x may not. The two
  // terms are right to 2^-108 for |t| < 2^-54.
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const N t = -(Abs(x) / p[0]);
    const N left = WithSeries(t * 0x1p36, x + x * (t * 0.5), Expm1(t) * p[0]);
    return Select(N(0.0) < x, x, left);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    using S = typename N::Scaled;
    return Select(N(0.0) < x, S(1.0), ExpScaled(-(Abs(x) / p[0])));
  }
  // e^t - 1 - t e^t = -(t^2 (2-1)/2! + t^3 (3-1)/3! + ...).
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    constexpr int kLast = 2 * N::kSeriesTerms + 1;
    const N t = Clamp(-(Abs(x) / p[0]), kSaturated);
    const N near = Clamp(t, 0.5);
    N series = InverseFactorial(x, kLast) * static_cast<double>(kLast - 1);
    for (int n = kLast - 1; n >= 2; --n) {
      series = InverseFactorial(x, n) * static_cast<double>(n - 1) + near * series;
    }
    const N far = Expm1(t) - t * Unscaled(ExpScaled(t));
    const N left = Select(N(-0.5) < t, -(near * near * series), far);
    return Select(N(0.0) < x, N(0.0), left);
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 3>{{{-p[0], kInf}, {0, 1}, {-1, 0}}};
  }
};

struct Selu {
  // ONNX stores the constants as float32.
  static constexpr double kOnnx[] = {1.67326319217681884765625, 1.05070102214813232421875};
  static constexpr Alias kAliases[] = {{"onnx:selu", kOnnx}};
  static constexpr Parameter kParameters[] = {
      {"alpha", "Minus the limit on the left, before scaling.", 1.6732632423543772848170429916717,
       -kLargest, kLargest},
      {"scale", "Factor of everything.", 1.0507009873554804934193349852946, -kLargest, kLargest}};
  static constexpr Kink kKinks[] = {{"0", "scale*alpha"}};
  static constexpr Spec kSpec = {
      .name = "selu",
      .description = "ELU scaled so that activations normalize themselves.",
      .formula = "x > 0 ? scale*x : scale*(alpha*(exp(x)-1))",
      .derivative = "x > 0 ? scale : scale*alpha*exp(x)",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return N(p[1]) * Select(N(0.0) < x, x, N(p[0]) * Expm1(-Abs(x)));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    using S = typename N::Scaled;
    return Select(N(0.0) < x, S(p[1]), ExpScaled(-Abs(x)) * ParameterProduct<N>(p[1], p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const N left = N(p[1 - kIndex]) * Expm1(-Abs(x));
    return Select(N(0.0) < x, kIndex == 0 ? N(0.0) : x, left);
  }
  static auto AtInfinity(const double* p) {
    const double right = p[1] > 0 ? kInf : p[1] < 0 ? -kInf : 0.0;
    return std::array<Ends, 4>{
        {{-p[1] * p[0], right}, {0 * p[1] * p[0], p[1]}, {-p[1], 0}, {-p[0], kInf}}};
  }
};

// With m = min(x, eps) on the left: alpha_n (e^m - 1) + (beta - alpha_n) x, or near 0, where beta x
// may be all that does not cancel, beta x + alpha_n (e^x - 1 - x).
struct Xielu {
  static constexpr Parameter kParameters[] = {
      {"alpha_p", "Curvature on the right.", 0.8, -kLargest, kLargest},
      {"alpha_n", "Weight of the left side's bend.", 0.8, -kLargest, kLargest},
      {"beta", "Slope of the straight part.", 0.5, -kLargest, kLargest},
      {"eps", "Where the left side's exponential ends.", -1e-6, -1, 0}};
  // At eps PyTorch's minimum shares the derivative between its two sides.
  static constexpr Kink kKinks[] = {{"0", "beta-alpha_n"}, {"eps", "alpha_n*(exp(eps)/2-1)+beta"}};
  static constexpr Spec kSpec = {
      .name = "xielu",
      .description = "Expanded integral of the exponential linear unit, as Hugging Face has it.",
      .formula = "x > 0 ? x*(alpha_p*x+beta) : alpha_n*((exp(x < eps ? x : eps)-1)-x)+beta*x",
      .derivative =
          "x > 0 ? 2*alpha_p*x+beta : x < eps ? alpha_n*(exp(x)-1)+beta : "
          "x > eps ? beta-alpha_n : alpha_n*(exp(eps)/2-1)+beta",
      .parameters = kParameters,
      .kinks = kKinks,
  };
  // e^z - 1 - z for z <= 0: its series near 0.
  template <class N>
  static HWY_INLINE N Bend(N z) {
    constexpr int kLast = 2 * N::kSeriesTerms + 1;
    const N near = Clamp(z, 0.5);
    N series = InverseFactorial(z, kLast);
    for (int n = kLast - 1; n >= 2; --n) series = InverseFactorial(z, n) + near * series;
    return Select(N(-0.5) < z, near * near * series, Expm1(z) - z);
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const auto positive = N(0.0) < x;
    const auto curved = x < N(p[3]);
    const auto near = N(-0.5) < x;
    const N level = N(p[1]) * Expm1(Select(curved, x, N(p[3])));
    const N line = (N(p[2]) - N(p[1])) * x;
    const N straight = ProductInRange(N(p[2]), x);
    const N near_bend = DecidingProduct(N(p[1]), Bend(-Abs(x)), straight);
    const N bend = Select(curved, Select(near, near_bend, level), level);
    const N slope = Select(curved, Select(near, straight, line), line);
    return CancellingSum<N>(N(1.0), Select(positive, straight, slope),
                            Select(positive, DecidingProduct(N(p[0]), x * x, straight), bend));
  }
  // Where alpha_n is beta, the left side alone is alpha_n e^x, and nothing is left to cancel.
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    using S = typename N::Scaled;
    const N eps = p[3];
    const auto positive = N(0.0) < x;
    const auto curved = x < eps;
    const N at_eps = Unscaled(ExpScaled(eps)) * 0.5 - 1.0;
    const N left = Select(curved, Expm1(-Abs(x)), Select(eps < x, N(-1.0), at_eps));
    const N weight = Select(positive, N(2 * p[0]), N(p[1]));
    const N varying = Select(positive, x, left);
    const S sum = SumKeepingSign(N(p[2]), weight, varying);
    const S size = Abs(N(p[2])) + Abs(weight * varying);
    if (p[1] != p[2]) return Result<N>(sum, size);
    const S alone = ExpScaled(-Abs(x)) * N(p[1]);
    return Result<N>(Select(curved, alone, sum), Select(curved, Abs(alone), size));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    const auto positive = N(0.0) < x;
    const N eps = p[3];
    if constexpr (kIndex == 0) {
      return Select(positive, x * x, N(0.0));
    } else if constexpr (kIndex == 1) {
      const N edge = Expm1(eps);
      const auto curved = x < eps;
      const N bend = Select(curved, Bend(-Abs(x)), edge - x);
      const N size = Select(curved, bend, Abs(edge) + Abs(x));
      return Result<N>(Select(positive, N(0.0), bend), Select(positive, N(0.0), size));
    } else if constexpr (kIndex == 2) {
      return x;
    } else {
      const N moving = N(p[1]) * Unscaled(ExpScaled(eps));
      return Select(positive, N(0.0), Select(x < eps, N(0.0), moving));
    }
  }
  static auto AtInfinity(const double* p) {
    const double quadratic = p[0] != 0 ? p[0] : p[2];
    const double linear = p[2] == p[1] ? 0 * p[1] : p[2] - p[1];
    // What the difference, of two numbers, was rounded by.
    const double part = linear - p[2];
    const double rest = (p[2] - (linear - part)) - (p[1] + part);
    const Ends value = {linear == 0 ? -p[1] : -linear * kInf,
                        quadratic == 0 ? 0 : quadratic * kInf};
    return std::array<Ends, 6>{{value,
                                {linear, p[0] == 0 ? p[2] : p[0] * kInf, rest},
                                {0, kInf},
                                {kInf, 0},
                                {-kInf, kInf},
                                {0, 0}}};
  }
};

using ExponentialLinear = std::tuple<Elu, Celu, Selu, Xielu>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
