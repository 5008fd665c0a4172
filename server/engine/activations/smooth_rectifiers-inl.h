// Smooth relatives of relu that are made of exponentials.
// softplus: C. Dugas et al., NIPS 2000. silu: P. Ramachandran et al., "Searching for Activation
// Functions", arXiv:1710.05941.
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

using SmoothRectifiers = std::tuple<SmoothPlus, Silu>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
