// The functions that activations share, each written once over any number type (see lanes-inl.h):
// Logistic, LogisticSlope, LogisticRamp, LogisticRampSlope, Softplus, Tanh, ExponentialRamp,
// NormalCdf, NormalPdf, NormalRamp, NormalRampSlope, Gaussian, Sinc, SincSlope, SumKeepingSign.
//
// None of them forms 1 + erf, e^x - 1 or 1 - y^2, which cancel.
//
// Errors are relative. A comment as "Within 2^-44; 2^-44.6 seen, at z = 0x1p+3." states the bound
// that tests/accuracy/functions_test.cc asserts, then the largest error that it saw on any
// instruction set of x86-64, and where. It shows these figures:
//   build/release/bin/bounds_test --gtest_filter='*Functions*' | grep seen
// A function that is written once has a figure for each number type; QuickPairs that have a shorter
// way have theirs in quick_math-inl.h. Arguments of pairs are hi + lo.
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
// nothing is left to decide before it is multiplied. For b = 3, c = 6:
// Lanes: within 2^-52; 2^-52.4 seen, at x = 0x1.05b0d18b1c456p+0.
// QuickPairs: within 2^-102; 2^-103.1 seen, at x = 0x1.135bba9d26051p+0 + 0x1.ebefa15c211dfp-49.
// DoubleDouble: within 2^-105; 2^-105.7 seen, at x = 0x1.f6ffa5a18c96bp+5 - 0x1.8b0cac3629d1ep-49.
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
// that don't see the difference. It is a product otherwise, and so are the next three.
// Lanes: within 2^-52.5 for a in [1, 2]; 2^-53.0 seen, at x = 0x1.23c1b15544aa5p-1.
// QuickPairs: within 2^-99.5; 2^-100.1 seen, at x = -0x1.3c2bb5238da3p-50 + 0x1.2aa6307c84723p-98.
// DoubleDouble: within 2^-104; 2^-105.2 seen, at x = 0x1.0440cb6af3048p+41 + 0x1.f5c2dad2b045bp-13.
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

// a * b for two parameters, or NaN as there.
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

// Beyond this the logistic function and z s(-z) are 0 or 1 for every purpose: e^-4000 = 2^-5771.
inline constexpr double kSaturated = 4000;

// z clamped to [-limit, limit]; NaN stays NaN, so that an argument that has overflowed is noticed.
template <class N>
HWY_INLINE N Clamp(N z, double limit) {
  return Select(N(limit) < Abs(z), CopySign(N(limit), z), z);
}

// 1 / (1 + e^-z). As DoubleDouble within 2^-103; 2^-104.6 seen, at
// z = -0x1.946d714c5479p+4 + 0x1.56c1b92152b1bp-51.
template <class N>
HWY_INLINE auto Logistic(N z) -> typename N::Scaled {
  using S = typename N::Scaled;
  const S e = ExpScaled(-Abs(z));
  return Select(z < N(0.0), e, S(1.0)) / (Unscaled(e) + 1.0);
}

// Within 2^-44 for z >= -194; 2^-44.7 seen, at z = -0x1.7946d16e1e77bp+7.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Logistic(const Lanes<D, kCount>& z) {
  return Lanes<D, kCount>(1.0) / ExpPlusOne(z, -1.0);
}

// Its derivative, e^-z / (1 + e^-z)^2 = 1/4 - z^2/16 + z^4/96 - ...
// Lanes: within 2^-44 for |z| <= 194; 2^-44.6 seen, at z = -0x1.7cdab9b442204p+7.
// DoubleDouble: within 2^-103; 2^-103.7 seen, at z = -0x1.e7a6deb7864cp+2 - 0x1.ee1cf9fd24eep-54.
template <class N>
HWY_INLINE auto LogisticSlope(N z) -> typename N::Scaled {
  using S = typename N::Scaled;
  const S e = ExpScaled(-Abs(z));
  const N below = Unscaled(e) + 1.0;
  const N square = z * z;
  const N series = N(0.25) - square * (N(0.0625) - square * (N(1.0) / 96.0));
  return WithSeries(z, S(series), e / (below * below));
}

// x s(factor u). As DoubleDouble within 2^-103; 2^-104.2 seen, at
// factor u = 0x1.25ee120974af2p-37 - 0x1.cf744c67b2e85p-91.
template <class N>
HWY_INLINE auto LogisticRamp(N x, N u, Factor factor) -> typename N::Scaled {
  return x * Logistic(SignedProduct(N(factor), u));
}
// Within 2^-44 for factor u >= -194; 2^-44.7 seen, at factor u = -0x1.7946d16e1e77bp+7.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> LogisticRamp(const Lanes<D, kCount>& x, const Lanes<D, kCount>& u,
                                         Factor factor) {
  return x / ExpPlusOne(u, -factor.part[0]);
}

// s(u) (1 + v s(-u)), the derivative of x s(u) for v = x u'. As Lanes (1 + e + v e) / (1 + e)^2,
// e = e^-u, for |u| <= 300. For v = u, relative to the magnitude:
// Lanes: within 2^-44 for u >= -194; 2^-44.7 seen, at u = -0x1.80d71a745351dp+7.
// DoubleDouble: within 2^-103; 2^-104.0 seen, at u = 0x1.a6a6a09c51deep-6.
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
// sign. As DoubleDouble within 2^-94.5; 2^-95.7 seen, at
// beta x = 0x1.cbe4c59422363p-14 - 0x1.5a3c4d727c128p-70.
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

// Within 2^-43 for beta x >= -194; 2^-43.5 seen, at beta x = -0x1.49e5a40aa32ep+0.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Softplus(const Lanes<D, kCount>& x, double beta) {
  using N = Lanes<D, kCount>;
  return MulAdd(Log1p(ExpScaled(Abs(x), -beta)), N(1 / beta), Max(0.0, x));
}

// -expm1(-2a) / (2 + expm1(-2a)) = a - a^3/3 + 2 a^5/15 - ..., a = |z|. As DoubleDouble within
// 2^-103; 2^-104.7 seen, at z = 0x1.b342707df03fp+1.
template <class N>
HWY_INLINE N Tanh(N z) {
  const N a = Abs(z);
  const N e = Expm1(a * -2.0);
  const N square = a * a;
  const N series = a - a * (square * (N(1.0) / 3.0 - square * (N(2.0) / 15.0)));
  return CopySign(WithSeries(a, series, -e / (e + 2.0)), z);
}

// tanh(100) is 1 less 2^-287, and e^200 far from infinity. Within 2^-47; 2^-47.8 seen, at
// z = 0x1.7b6c1bb8d0af5p-7.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Tanh(const Lanes<D, kCount>& z) {
  const auto e = Expm1(Min(100.0, z), 2.0);
  return e / (e + 2.0);
}

// x on the right, alpha (e^(x / width) - 1) on the left. For alpha = width = 1 as DoubleDouble
// within 2^-104; 2^-105.5 seen, at x = -0x1.28cc9bc0affeep-2 + 0x1.28d3d33c6777ap-56.
template <class N>
HWY_INLINE N ExponentialRamp(N x, double alpha, double width) {
  return Select(N(0.0) < x, x, N(alpha) * Expm1(-Abs(x) / width));
}
// Within 2^-48; 2^-48.3 seen, at x = -0x1.894b9c24b19f3p-6.
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

// e^(-z^2/2) / sqrt(2 pi), for |z| <= 60 (see NormalArgument); for |z| <= 21:
// Lanes: within 2^-43.5; 2^-44.2 seen, at z = 0x1.3688f58812645p+4.
// DoubleDouble: within 2^-96; 2^-97.3 seen, at z = -0x1.4ba91affa4fb2p+4 - 0x1.0f2cd9b988c93p-50.
template <class N>
HWY_INLINE auto NormalPdf(N z) -> typename N::Scaled {
  return ExpScaled(z * z * -0.5) * N(kInvSqrt2Pi);
}

// The integral of the density up to z: phi(t) M(t) on the left, 1 - phi(t) M(t) on the right; 1/2 +
// (z - z^3/6 + z^5/40 - ...) / sqrt(2 pi). As DoubleDouble within 2^-96 for |z| <= 21; 2^-97.3
// seen, at z = -0x1.4ba91affa4fb2p+4 - 0x1.0f2cd9b988c93p-50.
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

// Within 2^-43; 2^-43.6 seen, at z = -0x1.36e46463b4d4p+4.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> NormalCdf(const Lanes<D, kCount>& z) {
  using N = Lanes<D, kCount>;
  const N t = NormalArgument(z), square = t * t;
  const N tail = ExpScaled<true>(square, -0.5) * ScaledNormalTail(t, square);
  return Select(z < N(0.0), tail, N(1.0) - tail);
}

// x Phi(x / width). As Lanes relu(x) less |x| times the tail. For width = 1 and |x| <= 21:
// Lanes: within 2^-43; 2^-43.6 seen, at x = -0x1.36e46463b4d4p+4.
// QuickPairs: within 2^-67; 2^-68.4 seen, at x = 0x1.7975044ed55d5p-44 + 0x1.c6e36a0a9d589p-93.
// DoubleDouble: within 2^-96; 2^-97.3 seen, at x = -0x1.4ba91affa4fb2p+4 - 0x1.0f2cd9b988c93p-50.
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
// root; 1 + phi(t) (t - M(t)) on the right; 1/2 + (2z - 2z^3/3 + 3z^5/20 - ...) / sqrt(2 pi). For
// |z| <= 21, relative to the magnitude:
// Lanes: within 2^-43; 2^-44.4 seen, at z = 0x1.0997dc4ea6e98p-27.
// DoubleDouble: within 2^-96; 2^-97.3 seen, at z = -0x1.4ba91affa4fb2p+4 - 0x1.0f2cd9b988c93p-50.
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

// e^(-z^2). For |z| <= 14:
// QuickPairs: within 2^-69; 2^-70.6 seen, at z = 0x1.91d2c75fa4d68p+1 + 0x1.51ce21b442b5ap-48.
// DoubleDouble: within 2^-96; 2^-97.3 seen, at z = -0x1.9925193b7a62dp+3 - 0x1.e10944d3bef6dp-51.
template <class N>
HWY_INLINE auto Gaussian(N z) -> typename N::Scaled {
  const N t = NormalArgument(z);
  return ExpScaled(-(t * t));
}

// At 26.6 it is 2^-1021. Within 2^-43.5 for |z| <= 14; 2^-44.3 seen, at z = 0x1.b55900f733554p+3.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Gaussian(const Lanes<D, kCount>& z) {
  const auto t = Min(26.6, Abs(z));
  return ExpScaled<true>(t * t, -1.0);
}

// factor sin(z)/z, 1 at 0. Near a root its error is that of z's product, hence the magnitude: 2^-6
// of the error bounds is far above 2^-53 and 2^-99, to which products are right. For |z| <= 2^20:
// Lanes: within 2^-51; 2^-52.0 seen, at z = 0x1.988d72903b13fp-1.
// QuickPairs: within 2^-67; 2^-68.6 seen, at z = -0x1.15c4c007a2a47p+3 - 0x1.a08ea19b8e835p-46.
// DoubleDouble: within 2^-103; 2^-104.9 seen, at z = 0x1.21ffa39c2d22cp-11 - 0x1.f6d5ba513d028p-65.
template <class N>
HWY_INLINE Result<N> Sinc(N z, N factor) {
  const auto at_zero = z == N(0.0);
  const N value = Select(at_zero, N(1.0), Sin(z) / Select(at_zero, N(1.0), z));
  return {factor * value, factor * (Abs(value) + 0x1p-6)};
}

// factor times the derivative of sin(z)/z: (z cos z - sin z) / z^2, whose error has a part from z's
// product that does not fall with z; below 1 the series -z (2/3! - z^2 (4/5! - z^2 (6/7! - ...))),
// of which 29 terms reach 2^-240. For |z| <= 2^20, relative to the magnitude:
// Lanes: within 2^-51; 2^-51.8 seen, at z = 0x1.e39018caad537p+3.
// DoubleDouble: within 2^-96; 2^-96.6 seen, at z = -0x1.fbfaba4bd659bp-1 + 0x1.3ec3e5059f95dp-57.
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

// base + a x, where a product too small to count keeps its sign: base may be a tie. For a = 3 and
// base in [1, 2], relative to |base| + |a x|:
// Lanes: within 2^-51; 2^-52.1 seen, at x = -0x1.5c1ae2957e7cap+16.
// QuickPairs: within 2^-99.5; 2^-100.1 seen, at x = -0x1.6565bc466b1a3p+59 - 0x1.5af4dee0b2c76p+11.
// DoubleDouble: within 2^-104; 2^-105.3 seen, at x = 0x1.03a90222baab5p+5 - 0x1.819a30a1149a9p-49.
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
