// Activations made of straight pieces with free ends or slopes.
#include "server/engine/activations/activation-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_LINEAR_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_LINEAR_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_LINEAR_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_PIECEWISE_LINEAR_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

struct Identity {
  static constexpr Alias kAliases[] = {{"linear"}};
  static constexpr Spec kSpec = {
      .name = "identity",
      .description = "x itself: with another output type a cast, rounded once.",
      .formula = "x",
      .derivative = "1",
      .aliases = kAliases,
      .exact = true,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double*) {
    return x;
  }
  template <class N>
  static HWY_INLINE auto Derivative(N, const double*) {
    return N(1.0);
  }
  static auto AtInfinity(const double*) { return std::array<Ends, 2>{{{-kInf, kInf}, {1, 1}}}; }
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
      .exact = true,
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

struct Relu6 {
  static constexpr Alias kAliases[] = {{"clipped_relu"}};
  static constexpr Parameter kParameters[] = {{"max_val", "Largest value.", 6, 0, kAny}};
  static constexpr Kink kKinks[] = {{"0", "0"}, {"max_val", "0"}};
  static constexpr Spec kSpec = {
      .name = "relu6",
      .description = "ReLU clipped from above.",
      .formula = "x <= 0 ? 0 : x >= max_val ? max_val : x",
      .derivative = "x <= 0 ? 0 : x >= max_val ? 0 : 1",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
      .positive_zero = true,
      .exact = true,
  };
  template <class N>
  static HWY_INLINE N Piece(N x, const double* p, N left, N inside, N right) {
    return Select(N(0.0) < x, Select(x < N(p[0]), inside, right), left);
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Piece(x, p, N(0.0), x, N(p[0]));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Piece(x, p, N(0.0), N(1.0), N(0.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return Piece(x, p, N(0.0), N(0.0), N(1.0));
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 3>{{{0, p[0]}, {0, 0}, {0, 1}}};
  }
};

// What leaky_relu and prelu share.
struct TwoSlopes {
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

struct LeakyRelu : TwoSlopes {
  // The slopes of keras.activations.leaky_relu and tf.nn.leaky_relu, and of the layer
  // keras.layers.LeakyReLU.
  static constexpr double kKerasFunction[] = {0.2};
  static constexpr double kKerasLayer[] = {0.3};
  static constexpr Alias kAliases[] = {{"keras:leaky_relu", kKerasFunction},
                                       {"keras:LeakyReLU", kKerasLayer},
                                       {"tf:leaky_relu", kKerasFunction}};
  static constexpr Parameter kParameters[] = {
      {"negative_slope", "Slope for x <= 0.", 0.01, -kLargest, kLargest}};
  static constexpr Kink kKinks[] = {{"0", "negative_slope"}};
  static constexpr Spec kSpec = {
      .name = "leaky_relu",
      .description = "ReLU with a slope on the left.",
      .formula = "x > 0 ? x : negative_slope*x",
      .derivative = "x > 0 ? 1 : negative_slope",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
};

struct Prelu : TwoSlopes {
  static constexpr Parameter kParameters[] = {
      {"weight", "Slope for x <= 0, a learnable one.", 0.25, -kLargest, kLargest}};
  static constexpr Kink kKinks[] = {{"0", "weight"}};
  static constexpr Spec kSpec = {
      .name = "prelu",
      .description = "ReLU with a learnable slope on the left, at first PyTorch's 0.25.",
      .formula = "x > 0 ? x : weight*x",
      .derivative = "x > 0 ? 1 : weight",
      .parameters = kParameters,
      .kinks = kKinks,
  };
};

struct Threshold {
  static constexpr Alias kAliases[] = {{"thresholded_relu"}};
  static constexpr Parameter kParameters[] = {
      {"threshold", "Above it x is kept.", 1, -kAny, kAny},
      {"value", "What stands for all other x.", 0, -kAny, kAny}};
  static constexpr Kink kKinks[] = {{"threshold", "0"}};
  static constexpr Spec kSpec = {
      .name = "threshold",
      .description = "x above a threshold, a constant elsewhere.",
      .formula = "x > threshold ? x : value",
      .derivative = "x > threshold ? 1 : 0",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
      .positive_zero = true,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const N zero = 0.0;
    return Select(N(p[0]) < x, Select(x == zero, zero, x), N(p[1] == 0 ? 0.0 : p[1]));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Select(N(p[0]) < x, N(1.0), N(0.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return Select(N(p[0]) < x, N(0.0), N(kIndex == 0 ? 0.0 : 1.0));
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 4>{{{p[1], kInf}, {0, 1}, {0, 0}, {1, 0}}};
  }
};

struct HardTanh {
  static constexpr Alias kAliases[] = {{"clip"}};
  static constexpr Parameter kParameters[] = {{.name = "min_val",
                                               .description = "Least value.",
                                               .default_value = -1,
                                               .minimum = -kAny,
                                               .maximum = kAny,
                                               .at_most = "max_val"},
                                              {"max_val", "Largest value.", 1, -kAny, kAny}};
  static constexpr Kink kKinks[] = {{"min_val", "0"}, {"max_val", "0"}};
  static constexpr Spec kSpec = {
      .name = "hardtanh",
      .description = "x clipped to a range.",
      .formula = "x <= min_val ? min_val : x >= max_val ? max_val : x",
      .derivative = "x <= min_val ? 0 : x >= max_val ? 0 : 1",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE N Piece(N x, const double* p, N left, N inside, N right) {
    return Select(N(p[0]) < x, Select(x < N(p[1]), inside, right), left);
  }
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Piece(x, p, N(p[0]), x, N(p[1]));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Piece(x, p, N(0.0), N(1.0), N(0.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return Piece(x, p, N(kIndex == 0 ? 1.0 : 0.0), N(0.0), N(kIndex == 0 ? 0.0 : 1.0));
  }
  static auto AtInfinity(const double* p) {
    return std::array<Ends, 4>{{{p[0], p[1]}, {0, 0}, {1, 0}, {0, 1}}};
  }
};

struct HardShrink {
  static constexpr Alias kAliases[] = {{"onnx:shrink"}, {"keras:hard_shrink"}};
  static constexpr Parameter kParameters[] = {
      {"lambd", "Largest |x| that becomes 0. A negative one would leave every x alone.", 0.5, 0,
       kAny}};
  static constexpr Kink kKinks[] = {{"-lambd", "0"}, {"lambd", "0"}};
  static constexpr Spec kSpec = {
      .name = "hardshrink",
      .description = "x, or 0 where it is small.",
      .formula = "abs(x) > lambd ? x : 0",
      .derivative = "abs(x) > lambd ? 1 : 0",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    return Select(N(p[0]) < Abs(x), x, N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Select(N(p[0]) < Abs(x), N(1.0), N(0.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N, const double*) {
    return N(0.0);
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 3>{{{-kInf, kInf}, {1, 1}, {0, 0}}};
  }
};

struct SoftShrink {
  static constexpr Alias kAliases[] = {{"keras:soft_shrink"}};
  static constexpr Parameter kParameters[] = {
      {"lambd", "How far x is moved towards 0.", 0.5, 0, kAny}};
  static constexpr Kink kKinks[] = {{"-lambd", "0"}, {"lambd", "0"}};
  static constexpr Spec kSpec = {
      .name = "softshrink",
      .description = "x moved towards 0.",
      .formula = "x > lambd ? x-lambd : x < -lambd ? x+lambd : 0",
      .derivative = "abs(x) > lambd ? 1 : 0",
      .aliases = kAliases,
      .parameters = kParameters,
      .kinks = kKinks,
  };
  template <class N>
  static HWY_INLINE auto Value(N x, const double* p) {
    const N a = Abs(x);
    return Select(N(p[0]) < a, CopySign(a - N(p[0]), x), N(0.0));
  }
  template <class N>
  static HWY_INLINE auto Derivative(N x, const double* p) {
    return Select(N(p[0]) < Abs(x), N(1.0), N(0.0));
  }
  template <int kIndex, class N>
  static HWY_INLINE auto ParameterDerivative(N x, const double* p) {
    return Select(N(p[0]) < Abs(x), -CopySign(N(1.0), x), N(0.0));
  }
  static auto AtInfinity(const double*) {
    return std::array<Ends, 3>{{{-kInf, kInf}, {1, 1}, {1, -1}}};
  }
};

using PiecewiseLinear = std::tuple<Identity, Relu, Relu6, LeakyRelu, Prelu, Threshold, HardTanh,
                                   HardShrink, SoftShrink>;

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
