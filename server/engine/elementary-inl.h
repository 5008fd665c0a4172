// The elementary functions over Lanes and DoubleDouble: ExpScaled, Expm1, Log1p, Mills, Sin, Cos,
// InverseFactorial, Sqrt. (Multiprecision has MPFR's.)
//
// Error bounds are relative. Polynomials and their bounds: coefficients.h.
#include "hwy/highway.h"
#include "server/engine/double_double-inl.h"
#include "server/engine/lanes-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ELEMENTARY_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ELEMENTARY_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ELEMENTARY_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- Lanes ----

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

// ---- DoubleDouble ----

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

// ---- Any vector type ----

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

// ---- Square roots, of numbers above 0 ----

template <class D>
HWY_INLINE Lanes<D> Sqrt(Lanes<D> a) {
  return hn::Sqrt(a.v);
}

// A Newton step from the float64 result. Error 2^-105.
template <class D>
HWY_INLINE DoubleDouble<D> Sqrt(DoubleDouble<D> a) {
  using N = DoubleDouble<D>;
  const auto root = hn::Sqrt(a.hi);
  const N rest = a - N::TwoProduct(root, root);
  return N::FastTwoSum(root, hn::Div(rest.hi, hn::Add(root, root)));
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
