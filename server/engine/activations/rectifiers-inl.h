// Activations made of straight and exponential pieces that meet at kinks.
// elu: D.-A. Clevert et al., arXiv:1511.07289.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_RECTIFIERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_RECTIFIERS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_RECTIFIERS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_RECTIFIERS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

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
  static HWY_INLINE auto Value(N x, const double*) {
    return Select(N(0.0) < x, x, N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double*) {
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
  static HWY_INLINE auto Value(N x, const double* p) {
    return Select(N(0.0) < x, x, N(p[0]) * x);
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Select(N(0.0) < x, N(1.0), N(p[0]));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double*) {
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

using Rectifiers = std::tuple<Relu, LeakyRelu, Elu>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
