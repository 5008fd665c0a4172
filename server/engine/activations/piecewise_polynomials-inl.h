// Activations made of straight and parabolic pieces, most of them cheap forms of smooth ones.
// hard_swish: A. Howard et al., arXiv:1905.02244. relu2: D. R. So et al., arXiv:2109.08668.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_POLYNOMIALS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_POLYNOMIALS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_POLYNOMIALS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_POLYNOMIALS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct HardSigmoid {
  static constexpr Alias kAliases[] = {{"hardsigmoid"}, {"keras:hard_sigmoid"}};
  static constexpr Kink kKinks[] = {{"-3", "0"}, {"3", "0"}};
  static constexpr Spec kSpec = {
      .name = "hard_sigmoid",
      .description =
          "sigmoid's approximation by straight pieces, clamp(x/6 + 1/2, 0, 1) with an "
          "exact 1/6; with other numbers it is hard_sigmoid_linear.",
      .formula = "x <= -3 ? 0 : x >= 3 ? 1 : (x+3)/6",
      .derivative = "x <= -3 ? 0 : x >= 3 ? 0 : 1/6",
      .aliases = kAliases,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    const Result<N> inside = SumOver(x, 3.0, 6.0), left = N(0.0), right = N(1.0);
    return Select(N(-3.0) < x, Select(x < N(3.0), inside, right), left);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return Select(Abs(x) < N(3.0), N(kOneSixth), N(0.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, 1}, {0, 0}}}; }
};

// y = alpha x + beta, clamped. Which piece x is on must not hang on rounding errors: d = y - 1 is
// summed so that it has the right sign in 240 bits, whatever the parameters, and where a bound is
// too near for float64 to tell, the magnitude says so.
struct HardSigmoidLinear {
  // ONNX stores 0.2 as float32.
  static constexpr double kOnnx[] = {0x1.99999ap-3, 0.5};
  static constexpr Alias kAliases[] = {{"onnx:hard_sigmoid", kOnnx}, {"keras2:hard_sigmoid"}};
  static constexpr Parameter kParameters[] = {
      {"alpha", "Slope.", 0.2, kNarrowest, kWidest},
      {"beta", "Value at 0, before clamping.", 0.5, -kWidest, kWidest}};
  static constexpr Kink kKinks[] = {{"-beta/alpha", "0"}, {"(1-beta)/alpha", "0"}};
  static constexpr Spec kSpec = {
      .name = "hard_sigmoid_linear",
      .description =
          "sigmoid's approximation by straight pieces with a slope of choice, "
          "clamp(alpha x + beta, 0, 1).",
      .formula = "alpha*x+beta <= 0 ? 0 : alpha*x+beta >= 1 ? 1 : alpha*x+beta",
      .derivative = "alpha*x+beta <= 0 ? 0 : alpha*x+beta >= 1 ? 0 : alpha",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
      .positive_zero = true,
  };
  // Nearer to a bound than this, times the sum's terms, is too near.
  static constexpr double kNear = 0x1p-30;

  template <class N>
  static HWY_INLINE N Below1(N product, const double* p) {
    const bool is_small = p[1] > -0.5 && p[1] < 0.5;
    return is_small ? product - 1.0 + N(p[1]) : product + (N(p[1]) - 1.0);
  }
  template <class N>
  static HWY_INLINE N Size(N product, const double* p) {
    return Abs(product) + Abs(N(p[1]));
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const N product = N(p[0]) * x;
    const N y = SumKeepingSign(N(p[1]), N(p[0]), x);
    const N d = Below1(product, p);
    const N size = Size(product, p);
    const N value = Select(N(0.0) < y, Select(d < N(0.0), y, N(1.0)), N(0.0));
    const N magnitude =
        Select(y < size * -kNear, N(0.0), Select((size + 1.0) * kNear < d, N(1.0), size));
    return Result<N>(value, magnitude);
  }
  // `inside` on the slope, 0 elsewhere.
  template <class N>
  static HWY_INLINE Result<N> OnSlope(N x, const double* p, N inside) {
    const N product = SignedProduct(N(p[0]), x);
    const N y = product + N(p[1]);
    const N d = Below1(product, p);
    const N size = Size(product, p);
    const N value = Select(N(0.0) < y, Select(d < N(0.0), inside, N(0.0)), N(0.0));
    const N undecided = kInf;
    return {value, Select(Abs(y) < size * kNear, undecided,
                          Select(Abs(d) < (size + 1.0) * kNear, undecided, Abs(value)))};
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return OnSlope(x, p, N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return OnSlope(x, p, kIndex == 0 ? x : N(1.0));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 4>{{{0, 1}, {0, 0}, {0, 0}, {0, 0}}};
  }
};

struct HardSwish {
  static constexpr Alias kAliases[] = {{"hardswish"}, {"keras:hard_silu"}};
  static constexpr Kink kKinks[] = {{"-3", "0"}, {"3", "1"}};
  static constexpr Spec kSpec = {
      .name = "hard_swish",
      .description = "silu's approximation without exponentials, x hard_sigmoid(x).",
      .formula = "x <= -3 ? 0 : x >= 3 ? x : x*(x+3)/6",
      .derivative = "x <= -3 ? 0 : x >= 3 ? 1 : (2*x+3)/6",
      .aliases = kAliases,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return Select(N(-3.0) < x, Select(x < N(3.0), x * (x + 3.0) / 6.0, x), N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    const Result<N> inside = SumOver(x + x, 3.0, 6.0), left = N(0.0), right = N(1.0);
    return Select(N(-3.0) < x, Select(x < N(3.0), inside, right), left);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, kInf}, {0, 1}}}; }
};

struct SparseSigmoid {
  static constexpr Kink kKinks[] = {{"-1", "0"}, {"1", "0"}};
  static constexpr Spec kSpec = {
      .name = "sparse_sigmoid",
      .description = "The derivative of sparse_plus.",
      .formula = "x <= -1 ? 0 : x >= 1 ? 1 : (x+1)/2",
      .derivative = "x <= -1 ? 0 : x >= 1 ? 0 : 1/2",
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    const Result<N> inside = SumOver(x, 1.0, 2.0), left = N(0.0), right = N(1.0);
    return Select(N(-1.0) < x, Select(x < N(1.0), inside, right), left);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return Select(Abs(x) < N(1.0), N(0.5), N(0.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, 1}, {0, 0}}}; }
};

struct SparsePlus {
  static constexpr const char* kApproximations[] = {"relu"};
  static constexpr Spec kSpec = {
      .name = "sparse_plus",
      .description = "relu with its bend rounded by a parabola.",
      .formula = "x <= -1 ? 0 : x >= 1 ? x : (x+1)^2/4",
      .derivative = "x <= -1 ? 0 : x >= 1 ? 1 : (x+1)/2",
      .approximations = kApproximations,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    const N half = (x + 1.0) * 0.5;
    return Select(N(-1.0) < x, Select(x < N(1.0), half * half, x), N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return SparseSigmoid::Value(x, nullptr);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, kInf}, {0, 1}}}; }
};

struct Relu2 {
  static constexpr Alias kAliases[] = {{"squared_relu"}};
  static constexpr Spec kSpec = {
      .name = "relu2",
      .description = "The square of relu.",
      .formula = "x > 0 ? x^2 : 0",
      .derivative = "x > 0 ? 2*x : 0",
      .aliases = kAliases,
      .positive_zero = true,
      .exact = true,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return Select(N(0.0) < x, x * x, N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
    return Select(N(0.0) < x, x + x, N(0.0));
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{0, kInf}, {0, kInf}}}; }
};

using PiecewisePolynomials =
    std::tuple<HardSigmoid, HardSigmoidLinear, HardSwish, SparseSigmoid, SparsePlus, Relu2>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
