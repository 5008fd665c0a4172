// The functions that kernels are made of, over each number type (see lanes-inl.h).
//
// First the elementary ones, for Lanes and DoubleDouble (Multiprecision has MPFR's): ExpScaled,
// Expm1, Log1p, Sin, Cos, Mills. Then those that activations share, each written once over any
// type: Logistic, LogisticSlope, Softplus, Tanh, NormalCdf, NormalPdf, Gaussian, Sinc, SincSlope.
//
// None of them forms 1 + erf, e^x - 1 or 1 - y^2, which cancel. Error bounds are relative.
// Polynomials and their bounds: coefficients.h.
#include <concepts>

#include "hwy/highway.h"
#include "server/engine/double_double-inl.h"
#include "server/engine/lanes-inl.h"

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

// ---- Lanes
// ------------------------------------------------------------------------------------------

// e^z = (1 + tail) 2^exponent, |tail| < 0.42.
template <class N, class V>
struct ExpParts {
  N tail;
  V exponent;
};

// z clamped to [-708, 709], where e^z is a normal float64. Error of 1 + tail: 2^-52 + |z| 2^-53.
template <class D>
HWY_INLINE ExpParts<Lanes<D>, hn::Vec<D>> SplitExp(Lanes<D> z) {
  const D d;
  const auto clamped = hn::Min(hn::Max(z.v, hn::Set(d, -708.0)), hn::Set(d, 709.0));
  const auto k = hn::Round(hn::Mul(clamped, hn::Set(d, kLog2E.part[0])));
  const auto rest = hn::NegMulAdd(k, hn::Set(d, kLn2Part[0]), clamped);
  const Lanes<D> r = hn::NegMulAdd(k, hn::Set(d, kLn2Part[1]), rest);
  return {r + r * r * Polynomial(r, kExpm1Tail), k};
}

template <class D>
HWY_INLINE Lanes<D> ExpScaled(Lanes<D> z) {
  const auto e = SplitExp(z);
  return (e.tail + 1.0) * Lanes<D>(PowerOfTwo(D(), e.exponent));
}

template <class D>
HWY_INLINE Lanes<D> Expm1(Lanes<D> z) {
  const auto e = SplitExp(z);
  const Lanes<D> scale = PowerOfTwo(D(), e.exponent);
  return scale * e.tail + (scale - 1.0);
}

// log(1 + u) for 0 <= u <= 1, as 2 atanh(u / (2 + u)). Error 2^-50.
template <class D>
HWY_INLINE Lanes<D> Log1p(Lanes<D> u) {
  const Lanes<D> s = u / (u + 2.0);
  const Lanes<D> square = s * s;
  return s + s + s * square * Polynomial(square, kAtanhTail);
}

// For 0 <= t <= 21; larger t as 21, where the density is already 2^-318. Error 2^-49.
template <class D>
HWY_INLINE Lanes<D> Mills(Lanes<D> t) {
  const Lanes<D> clamped = hn::Min(t.v, hn::Set(D(), 21.0));
  return Polynomial(clamped, kMillsNumerator) / Polynomial(clamped, kMillsDenominator);
}

// r = z - quadrant pi/2. NaN for |z| above 2^20, where the next number type takes over.
template <class N, class V>
struct ReducedAngle {
  N r;
  V quadrant;
};

template <class D>
HWY_INLINE hn::Vec<D> Quadrant(D d, hn::Vec<D> z) {
  const auto nan = hn::NaN(d);
  const auto quadrant = hn::Round(hn::Mul(z, hn::Set(d, kTwoOverPi.part[0])));
  return hn::IfThenElse(hn::Le(hn::Abs(z), hn::Set(d, 0x1p20)), quadrant, nan);
}

template <class D>
HWY_INLINE ReducedAngle<Lanes<D>, hn::Vec<D>> Reduce(Lanes<D> z) {
  const D d;
  const auto n = Quadrant(d, z.v);
  auto r = hn::NegMulAdd(n, hn::Set(d, kPiOver2Part[0]), z.v);
  r = hn::NegMulAdd(n, hn::Set(d, kPiOver2Part[1]), r);
  return {Lanes<D>(hn::NegMulAdd(n, hn::Set(d, kPiOver2Part[2]), r)), n};
}

template <class D>
HWY_INLINE Lanes<D> SinReduced(Lanes<D> r) {
  const Lanes<D> square = r * r;
  return r + r * square * Polynomial(square, kSinTail);
}

template <class D>
HWY_INLINE Lanes<D> CosReduced(Lanes<D> r) {
  const Lanes<D> square = r * r;
  return Lanes<D>(1.0) - square * 0.5 + square * square * Polynomial(square, kCosTail);
}

template <class D>
HWY_INLINE Lanes<D> InverseFactorial(Lanes<D>, int n) {
  return kInverseFactorialPair[n].hi;
}

// ---- DoubleDouble
// -----------------------------------------------------------------------------------

// Taylor terms from the kPairTerms-th on are small enough for float64.
inline constexpr int kPairTerms = 15;
inline constexpr int kTerms = 28;

// e^r - 1 for |r| < 0.35: r + r^2 (1/2! + r/3! + ...). Error 2^-101.
template <class D>
HWY_INLINE DoubleDouble<D> Expm1Reduced(DoubleDouble<D> r) {
  const D d;
  auto small = hn::Set(d, kInverseFactorialPair[kTerms - 1].hi);
  for (int n = kTerms - 2; n >= kPairTerms; --n) {
    small = hn::MulAdd(small, r.hi, hn::Set(d, kInverseFactorialPair[n].hi));
  }
  DoubleDouble<D> sum = small;
  for (int n = kPairTerms - 1; n >= 2; --n) sum = sum * r + kInverseFactorialPair[n];
  return r + r * r * sum;
}

template <class D>
HWY_INLINE ExpParts<DoubleDouble<D>, hn::Vec<D>> SplitExp(DoubleDouble<D> z) {
  using N = DoubleDouble<D>;
  const D d;
  // Up to 4096 the parts' products with k are exact; further out only 0 and infinity are left.
  const auto limit = hn::Set(d, 4096.0);
  const auto outside = hn::Gt(hn::Abs(z.hi), limit);  // false for NaN, which must stay NaN
  const N clamped = {hn::IfThenElse(outside, hn::CopySign(limit, z.hi), z.hi),
                     hn::IfThenZeroElse(outside, z.lo)};
  const auto k = hn::Round(hn::Mul(clamped.hi, hn::Set(d, kLog2E.part[0])));
  const auto minus_k = hn::Neg(k);
  N r = N::TwoSum(clamped.hi, hn::Mul(minus_k, hn::Set(d, kLn2Part[0])));
  r = r + N(hn::Mul(minus_k, hn::Set(d, kLn2Part[1])));
  r = r + N(clamped.lo) + N::TwoProduct(minus_k, hn::Set(d, kLn2Part[2]));
  return {Expm1Reduced(r), k};
}

// Error 2^-100, wherever it lies.
template <class D>
HWY_INLINE ScaledDoubleDouble<D> ExpScaled(DoubleDouble<D> z) {
  const D d;
  const auto e = SplitExp(z);
  const auto limit = hn::Set(d, ScaledDoubleDouble<D>::kMaxExponent);
  return {e.tail + 1.0, hn::Min(hn::Max(e.exponent, hn::Neg(limit)), limit)};
}

// z below -200 counts as -200: -1 + 2^-288. Error 2^-100.
template <class D>
HWY_INLINE DoubleDouble<D> Expm1(DoubleDouble<D> z) {
  using N = DoubleDouble<D>;
  const D d;
  const N lowest = -200.0;
  const auto e = SplitExp(Select(z < lowest, lowest, z));
  const auto scale = PowerOfTwo(d, hn::Min(e.exponent, hn::Set(d, 1023.0)));
  const N grown = {hn::Mul(e.tail.hi, scale), hn::Mul(e.tail.lo, scale)};
  return grown + N::TwoSum(scale, hn::Set(d, -1.0));
}

// A Newton step from the float64 result y: log(1+u) = y + log(1 + w), w = (u - (e^y - 1)) / e^y,
// where |w| < 2^-49 u, so that w - w^2/2 is enough. Error 2^-99.
template <class D>
HWY_INLINE DoubleDouble<D> Log1p(DoubleDouble<D> u) {
  using N = DoubleDouble<D>;
  const N y = Log1p(Lanes<D>(u.hi)).v;
  const N grown = Expm1(y);
  const auto w = hn::Div((u - grown).hi, hn::Add(grown.hi, hn::Set(D(), 1.0)));
  const auto half_square = hn::Mul(hn::Mul(w, w), hn::Set(D(), 0.5));
  return N::FastTwoSum(y.hi, hn::Sub(w, half_square));
}

template <class D, size_t kCount>
HWY_INLINE DoubleDouble<D> Polynomial(DoubleDouble<D> r, const Pair (&c)[kCount]) {
  DoubleDouble<D> sum = c[kCount - 1];
  for (size_t i = kCount - 1; i-- > 0;) sum = sum * r + c[i];
  return sum;
}

// For 0 <= t <= 60. Error 2^-98: all coefficients are positive, so that Horner's rule is stable.
template <class D>
HWY_INLINE DoubleDouble<D> Mills(DoubleDouble<D> t) {
  return Polynomial(t, kMillsNumeratorPair) / Polynomial(t, kMillsDenominatorPair);
}

template <class D>
HWY_INLINE ReducedAngle<DoubleDouble<D>, hn::Vec<D>> Reduce(DoubleDouble<D> z) {
  using N = DoubleDouble<D>;
  const D d;
  const auto n = Quadrant(d, z.hi);
  const auto minus_n = hn::Neg(n);
  N r = N::TwoSum(z.hi, hn::Mul(minus_n, hn::Set(d, kPiOver2Part[0])));
  r = r + N(hn::Mul(minus_n, hn::Set(d, kPiOver2Part[1])));
  r = r + N(z.lo);
  r = r + N(hn::Mul(minus_n, hn::Set(d, kPiOver2Part[2])));
  return {r + N::TwoProduct(minus_n, hn::Set(d, kPiOver2Part[3])), n};
}

// start/first! - square (1/(first+2)! - square (...)): the alternating Taylor series of sin and
// cos, whose argument is below pi/4 + 2^-20.
template <int kFirst, class D>
HWY_INLINE DoubleDouble<D> AlternatingTaylor(DoubleDouble<D> square) {
  DoubleDouble<D> sum = kInverseFactorialPair[kFirst + 24];
  for (int n = kFirst + 22; n >= kFirst; n -= 2) sum = kInverseFactorialPair[n] - square * sum;
  return sum;
}

template <class D>
HWY_INLINE DoubleDouble<D> SinReduced(DoubleDouble<D> r) {
  const auto square = r * r;
  return r - r * (square * AlternatingTaylor<3>(square));
}

template <class D>
HWY_INLINE DoubleDouble<D> CosReduced(DoubleDouble<D> r) {
  const auto square = r * r;
  return DoubleDouble<D>(1.0) - square * AlternatingTaylor<2>(square);
}

template <class D>
HWY_INLINE DoubleDouble<D> InverseFactorial(DoubleDouble<D>, int n) {
  return kInverseFactorialPair[n];
}

// ---- Any vector type
// --------------------------------------------------------------------------------

// sin(r + (quadrant + shift) pi/2).
template <int kShift, class N, class V>
HWY_INLINE N SinQuadrant(const ReducedAngle<N, V>& angle) {
  const hn::DFromV<V> d;
  const auto turned = hn::Add(angle.quadrant, hn::Set(d, kShift));
  const auto half = hn::Mul(turned, hn::Set(d, 0.5));
  const auto odd = hn::Ne(half, hn::Floor(half));
  const auto quarter = hn::Mul(hn::Floor(half), hn::Set(d, 0.5));
  const auto negative = hn::Ne(quarter, hn::Floor(quarter));
  const N value = Select(odd, CosReduced(angle.r), SinReduced(angle.r));
  return Select(negative, -value, value);
}

template <class N>
HWY_INLINE N Sin(N z) {
  return SinQuadrant<0>(Reduce(z));
}

template <class N>
HWY_INLINE N Cos(N z) {
  return SinQuadrant<1>(Reduce(z));
}

// ---- Any number type
// --------------------------------------------------------------------------------

// A value as a product with a sum in it that may cancel: `magnitude` is the same with the sum's
// terms taken positive. The relative error bounds hold for the magnitude.
template <class N>
struct Result {
  typename N::Scaled value;
  typename N::Scaled magnitude;

  template <std::convertible_to<typename N::Scaled> T>
  HWY_INLINE Result(const T& v) : value(v), magnitude(value) {}
  HWY_INLINE Result(typename N::Scaled v, typename N::Scaled m) : value(v), magnitude(m) {}
};

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

// log(1 + e^(beta x)) / beta for beta > 0: on the right x plus a term that vanishes, but keeps its
// sign.
template <class N>
HWY_INLINE auto Softplus(N x, N beta) -> typename N::Scaled {
  using S = typename N::Scaled;
  const N z = SignedProduct(beta, x);
  const S e = ExpScaled(-Abs(z));
  const N small = Unscaled(e);
  const N log = Log1p(small);
  return Select(z < N(0.0), e * (log / (small * beta)), S{x + log / beta});
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

// |z|, at most 60: beyond that the normal density is below 2^-2597, 0 for every purpose.
template <class N>
HWY_INLINE N NormalArgument(N z) {
  return Clamp(Abs(z), 60.0);
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

// The derivative of z Phi(z), Phi(z) + z phi(z): phi(t) (M(t) - t) on the left, where it has a
// root; 1 + phi(t) (t - M(t)) on the right; 1/2 + (2z - 2z^3/3 + 3z^5/20 - ...) / sqrt(2 pi).
template <class N>
HWY_INLINE auto NormalRampSlope(N z) {
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

// e^(-z^2).
template <class N>
HWY_INLINE auto Gaussian(N z) -> typename N::Scaled {
  const N t = NormalArgument(z);
  return ExpScaled(-(t * t));
}

// sin(z)/z, 1 at 0. Near a root its error is that of z's product, hence the magnitude.
template <class N>
HWY_INLINE Result<N> Sinc(N z, N factor) {
  const auto at_zero = z == N(0.0);
  const N value = Select(at_zero, N(1.0), Sin(z) / Select(at_zero, N(1.0), z));
  return {factor * value, factor * (Abs(value) + 0x1p-10)};
}

// The derivative of sin(z)/z: (z cos z - sin z) / z^2; below 1 the series -z (2/3! - z^2 (4/5! -
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
      Select(small, Abs(series), (Abs(cosine) + Abs(quotient) + 0x1p-10) / Abs(safe));
  return {factor * value, factor * magnitude};
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
