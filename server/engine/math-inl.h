// The functions that activations share, each written once over any number type (see lanes-inl.h):
// Logistic, LogisticSlope, LogisticRamp, LogisticRampSlope, Softplus, Tanh, ExponentialRamp,
// NormalCdf, NormalPdf, NormalRamp, NormalRampSlope, Gaussian, Sinc, SincSlope, SumKeepingSign.
//
// None of them forms 1 + erf, e^x - 1 or 1 - y^2, which cancel.
#include <concepts>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "server/engine/elementary-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_MATH_INL_H_
#undef ACTIVATION_SERVER_ENGINE_MATH_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A factor that is a parameter or a constant.
struct Factor : Constant {
  HWY_INLINE Factor(double value) : Constant{{value}} {}
  HWY_INLINE Factor(const Constant& value) : Constant(value) {}
};

// A value as a product with a sum in it that may cancel: `magnitude` is the same with the sum's
// terms taken positive. The relative error bounds hold for the magnitude.
template <class N>
struct Result {
  typename N::Scaled value;
  typename N::Scaled magnitude;

  template <std::convertible_to<typename N::Scaled> T>
  HWY_INLINE Result(const T& v) : value(v), magnitude(value) {}
  HWY_INLINE Result(typename N::Scaled v, typename N::Scaled m) : value(v), magnitude(m) {}
  // An implicit one would be compiled for the baseline instruction set.
  HWY_INLINE Result(const Result& other) : value(other.value), magnitude(other.magnitude) {}
};

template <class Mask, class N>
HWY_INLINE Result<N> Select(const Mask& mask, const Result<N>& yes, const Result<N>& no) {
  return {Select(mask, yes.value, no.value), Select(mask, yes.magnitude, no.magnitude)};
}

// (x + b) / c. Where float64 has the exact result, which may be a tie, the magnitude of Lanes is 0:
// nothing is left to decide before it is multiplied.
template <class N>
HWY_INLINE Result<N> SumOver(N x, double b, double c) {
  return Result<N>((x + b) / c);
}
template <class D, size_t kCount>
HWY_INLINE Result<Lanes<D, kCount>> SumOver(const Lanes<D, kCount>& x, double b, double c) {
  using N = Lanes<D, kCount>;
  const N sum = x + b;
  const N quotient = sum / N(c);
#if HWY_NATIVE_FMA
  const N part = sum - x;
  const N lost = (x - (sum - part)) + (N(b) - part);  // D. E. Knuth
  const N rest = NegMulAdd(quotient, N(c), sum);      // exact
  return {quotient, Select(Abs(lost) + Abs(rest) == N(0.0), N(0.0), quotient)};
#else
  return Result<N>(quotient);
#endif
}

// factor * (a + b), where a + b may cancel.
template <class N>
HWY_INLINE Result<N> CancellingSum(typename N::Scaled factor, N a, N b) {
  return {factor * (a + b), factor * (Abs(a) + Abs(b))};
}

// For |z| < N::kSeriesBelow takes the series, whose second term keeps its sign however small it is.
template <class N, class S>
HWY_INLINE S WithSeries(N z, S series, S otherwise) {
  if constexpr (N::kSeriesBelow > 0) {
    return Select(Abs(z) < N(N::kSeriesBelow), series, otherwise);
  } else {
    return otherwise;
  }
}

// a * x; as DoubleDouble never below 2^-700 in size unless a factor is 0, so that its sign survives
// further products, and never above 2^900, so that it does not overflow. For arguments of functions
// that don't see the difference.
template <class N>
HWY_INLINE N SignedProduct(N a, N x) {
  if constexpr (N::kSeriesBelow == 0) {
    return a * x;
  } else {
    const N rough = hn::Mul(a.hi, x.hi);
    const N least = CopySign(N(0x1p-700), a * CopySign(N(1.0), x));
    const N most = CopySign(N(0x1p900), rough);
    const N floored = Select(Abs(rough) < N(0x1p-700), least, a * x);
    const N product = Select(N(0x1p900) < Abs(rough), most, floored);
    return Select(a == N(0.0), rough, Select(x == N(0.0), rough, product));
  }
}

// a * x for a sum; NaN, so that a type with any exponent takes its place, where that is so small
// that its sign might be lost.
template <class N>
HWY_INLINE N ProductInRange(N a, N x) {
  const N product = a * x;
  if constexpr (N::kHasAnyExponent) {
    return product;
  } else {
    const N lost = std::numeric_limits<double>::quiet_NaN();
    const N kept = Select(Abs(product) < N(0x1p-900), lost, product);
    return Select(a == N(0.0), product, Select(x == N(0.0), product, kept));
  }
}

// The same for two parameters.
template <class N>
HWY_INLINE N ParameterProduct(double a, double b) {
  const bool is_zero = a == 0 || b == 0;
  if (!N::kHasAnyExponent && !is_zero && std::abs(a * b) < 0x1p-900) {
    return N(std::numeric_limits<double>::quiet_NaN());
  }
  return N(a) * N(b);
}

// a * x, to be added to `other`, where its sign may decide a tie: as DoubleDouble not below 2^-200
// of `other` in size, unless a factor is 0, so that the sign survives however small it is.
template <class N>
HWY_INLINE N DecidingProduct(N a, N x, N other) {
  const N product = a * x;
  if constexpr (N::kSeriesBelow == 0) {
    return product;
  } else {
    const N least = Abs(other) * 0x1p-200;
    const N small = CopySign(least, a * CopySign(N(1.0), x));
    const N kept = Select(Abs(product) < least, small, product);
    return Select(a == N(0.0), product, Select(x == N(0.0), product, kept));
  }
}

// Beyond this the logistic function and z s(-z) are 0 or 1 for every purpose.
inline constexpr double kSaturated = 4000;

// z clamped to [-limit, limit]; NaN stays NaN, so that an argument that has overflowed is noticed.
template <class N>
HWY_INLINE N Clamp(N z, double limit) {
  return Select(N(limit) < Abs(z), CopySign(N(limit), z), z);
}

// 1 / (1 + e^-z).
template <class N>
HWY_INLINE auto Logistic(N z) -> typename N::Scaled {
  using S = typename N::Scaled;
  const S e = ExpScaled(-Abs(z));
  return Select(z < N(0.0), e, S(1.0)) / (Unscaled(e) + 1.0);
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Logistic(const Lanes<D, kCount>& z) {
  return Lanes<D, kCount>(1.0) / ExpPlusOne(z, -1.0);
}

// Its derivative, e^-z / (1 + e^-z)^2 = 1/4 - z^2/16 + z^4/96 - ...
template <class N>
HWY_INLINE auto LogisticSlope(N z) -> typename N::Scaled {
  using S = typename N::Scaled;
  const S e = ExpScaled(-Abs(z));
  const N below = Unscaled(e) + 1.0;
  const N square = z * z;
  const N series = N(0.25) - square * (N(0.0625) - square * (N(1.0) / 96.0));
  return WithSeries(z, S(series), e / (below * below));
}

// x s(factor u).
template <class N>
HWY_INLINE auto LogisticRamp(N x, N u, Factor factor) -> typename N::Scaled {
  return x * Logistic(SignedProduct(N(factor), u));
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> LogisticRamp(const Lanes<D, kCount>& x, const Lanes<D, kCount>& u,
                                         Factor factor) {
  return x / ExpPlusOne(u, -factor.part[0]);
}

// s(u) (1 + v s(-u)), the derivative of x s(u) for v = x u'. As Lanes (1 + e + v e) / (1 + e)^2,
// e = e^-u, for |u| <= 300.
template <class N>
HWY_INLINE Result<N> LogisticRampSlope(N u, N v) {
  return CancellingSum<N>(Logistic(u), N(1.0), v * Unscaled(Logistic(-u)));
}
template <class D, size_t kCount>
HWY_INLINE Result<Lanes<D, kCount>> LogisticRampSlope(const Lanes<D, kCount>& u,
                                                      const Lanes<D, kCount>& v) {
  using N = Lanes<D, kCount>;
  const N e = ExpScaled<true>(u, -1.0);
  const N below = e + 1.0;
  return CancellingSum<N>(N(1.0) / (below * below), below, v * e);
}

// log(1 + e^(beta x)) / beta for beta > 0: on the right x plus a term that vanishes, but keeps its
// sign.
template <class N>
HWY_INLINE auto Softplus(N x, double p) -> typename N::Scaled {
  using S = typename N::Scaled;
  const N beta = p;
  const N z = SignedProduct(beta, x);
  const S e = ExpScaled(-Abs(z));
  const N small = Unscaled(e);
  const N log = Log1p(small);
  return Select(z < N(0.0), e * (log / (small * beta)), S{x + log / beta});
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Softplus(const Lanes<D, kCount>& x, double beta) {
  using N = Lanes<D, kCount>;
  return MulAdd(Log1p(ExpScaled(Abs(x), -beta)), N(1 / beta), Max(0.0, x));
}

// -expm1(-2a) / (2 + expm1(-2a)) = a - a^3/3 + 2 a^5/15 - ..., a = |z|.
template <class N>
HWY_INLINE N Tanh(N z) {
  const N a = Abs(z);
  const N e = Expm1(a * -2.0);
  const N square = a * a;
  const N series = a - a * (square * (N(1.0) / 3.0 - square * (N(2.0) / 15.0)));
  return CopySign(WithSeries(a, series, -e / (e + 2.0)), z);
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Tanh(const Lanes<D, kCount>& z) {
  const auto e = Expm1(Min(100.0, z), 2.0);
  return e / (e + 2.0);
}

// x on the right, alpha (e^(x / width) - 1) on the left.
template <class N>
HWY_INLINE N ExponentialRamp(N x, double alpha, double width) {
  return Select(N(0.0) < x, x, N(alpha) * Expm1(-Abs(x) / width));
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> ExponentialRamp(const Lanes<D, kCount>& x, double alpha, double width) {
  return MulAdd(Expm1(Min(0.0, x), 1 / width), Lanes<D, kCount>(alpha), Max(0.0, x));
}

// Where the normal density is 2^-318, 0 for every float32 purpose.
inline constexpr double kFarTail = 21;

// |z|, at most 60: beyond that the normal density is below 2^-2597, 0 for every purpose.
template <class N>
HWY_INLINE N NormalArgument(N z) {
  return Clamp(Abs(z), 60.0);
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> NormalArgument(const Lanes<D, kCount>& z) {
  return Min(kFarTail, Abs(z));
}

// e^(-z^2/2) / sqrt(2 pi), for |z| <= 60 (see NormalArgument).
template <class N>
HWY_INLINE auto NormalPdf(N z) -> typename N::Scaled {
  return ExpScaled(z * z * -0.5) * N(kInvSqrt2Pi);
}

// The integral of the density up to z: phi(t) M(t) on the left, 1 - phi(t) M(t) on the right;
// 1/2 + (z - z^3/6 + z^5/40 - ...) / sqrt(2 pi).
template <class N>
HWY_INLINE auto NormalCdf(N z) -> typename N::Scaled {
  using S = typename N::Scaled;
  const N t = NormalArgument(z);
  const S tail = NormalPdf(t) * Mills(t);
  const N square = z * z;
  const N series =
      N(0.5) + z * (N(kInvSqrt2Pi) * (N(1.0) - square * (N(1.0) / 6.0 - square * (N(1.0) / 40.0))));
  return WithSeries(z, S(series), Select(z < N(0.0), tail, S(N(1.0) - Unscaled(tail))));
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> NormalCdf(const Lanes<D, kCount>& z) {
  using N = Lanes<D, kCount>;
  const N t = NormalArgument(z), square = t * t;
  const N tail = ExpScaled<true>(square, -0.5) * ScaledNormalTail(t, square);
  return Select(z < N(0.0), tail, N(1.0) - tail);
}

// x Phi(x / width). As Lanes relu(x) less |x| times the tail.
template <class N>
HWY_INLINE auto NormalRamp(N x, double width) -> typename N::Scaled {
  return x * NormalCdf(x / width);
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> NormalRamp(const Lanes<D, kCount>& x, double width) {
  return ByFour(x, [width](const auto& part) ACTIVATION_LAMBDA {
    using N = std::remove_cvref_t<decltype(part)>;
    const N t = NormalArgument(part / width), square = t * t;
    const N scaled = t * N(width) * ExpScaled<true>(square, -0.5);
    return NegMulAdd(scaled, ScaledNormalTail(t, square), Max(0.0, part));
  });
}

// The derivative of z Phi(z), Phi(z) + z phi(z): phi(t) (M(t) - t) on the left, where it has a
// root; 1 + phi(t) (t - M(t)) on the right; 1/2 + (2z - 2z^3/3 + 3z^5/20 - ...) / sqrt(2 pi).
template <class N>
HWY_INLINE Result<N> NormalRampSlope(N z) {
  using S = typename N::Scaled;
  const N t = NormalArgument(z);
  const N mills = Mills(t);
  const S pdf = NormalPdf(t);
  const N square = z * z;
  const N series =
      N(0.5) + z * (N(kInvSqrt2Pi) * (N(2.0) - square * (N(2.0) / 3.0 - square * (N(3.0) / 20.0))));
  const S right = WithSeries(z, S(series), S(N(1.0) + Unscaled(pdf) * (t - mills)));
  const S left = WithSeries(z, S(series), pdf * (mills - t));
  const auto negative = z < N(0.0);
  return Result<N>(Select(negative, left, right), Select(negative, pdf * (mills + t), right));
}

template <class D, size_t kCount>
HWY_INLINE Result<Lanes<D, kCount>> NormalRampSlope(const Lanes<D, kCount>& z) {
  using N = Lanes<D, kCount>;
  const N t = NormalArgument(z), square = t * t;
  const N power = ExpScaled<true>(square, -0.5);
  const N tail = ScaledNormalTail(t, square), density = t * N(kInvSqrt2Pi);
  const N left = power * (tail - density);
  const N right = N(1.0) - left;
  const auto negative = z < N(0.0);
  return {Select(negative, left, right), Select(negative, power * (tail + density), right)};
}

// e^(-z^2).
template <class N>
HWY_INLINE auto Gaussian(N z) -> typename N::Scaled {
  const N t = NormalArgument(z);
  return ExpScaled(-(t * t));
}

// At 26.6 it is 2^-1021.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Gaussian(const Lanes<D, kCount>& z) {
  const auto t = Min(26.6, Abs(z));
  return ExpScaled<true>(t * t, -1.0);
}

// sin(z)/z, 1 at 0. Near a root its error is that of z's product, hence the magnitude.
template <class N>
HWY_INLINE Result<N> Sinc(N z, N factor) {
  const auto at_zero = z == N(0.0);
  const N value = Select(at_zero, N(1.0), Sin(z) / Select(at_zero, N(1.0), z));
  return {factor * value, factor * (Abs(value) + 0x1p-6)};
}

// The derivative of sin(z)/z: (z cos z - sin z) / z^2, whose error has a part from z's product that
// does not fall with z; below 1 the series -z (2/3! - z^2 (4/5! -
// z^2 (6/7! - ...))), of which 29 terms reach 2^-240.
template <class N>
HWY_INLINE Result<N> SincSlope(N z, N factor) {
  constexpr int kLast = 2 * (N::kSeriesTerms) + 1;
  const N square = z * z;
  N series = InverseFactorial(z, kLast) * static_cast<double>(kLast - 1);
  for (int n = kLast - 2; n >= 3; n -= 2) {
    series = InverseFactorial(z, n) * static_cast<double>(n - 1) - square * series;
  }
  series = -(z * series);
  const auto small = Abs(z) < N(1.0);
  const N safe = Select(small, N(1.0), z);
  const N cosine = Cos(safe);
  const N quotient = Sin(safe) / safe;
  const N value = Select(small, series, (cosine - quotient) / safe);
  const N magnitude =
      Select(small, Abs(series), (Abs(cosine) + Abs(quotient)) / Abs(safe) + 0x1p-8);
  return {factor * value, factor * magnitude};
}

// base + a x, where a product too small to count keeps its sign: base may be a tie.
template <class N>
HWY_INLINE N SumKeepingSign(N base, N a, N x) {
  const N product = a * x;
  const N least = CopySign(Abs(base) * 0x1p-150, CopySign(N(1.0), a) * CopySign(N(1.0), x));
  const N floored = Select(Abs(product) < Abs(least), least, product);
  return base + Select(a == N(0.0), product, Select(x == N(0.0), product, floored));
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
