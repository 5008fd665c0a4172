// The elementary functions over Lanes and DoubleDouble: ExpScaled, Expm1, Log1p, Sin, Cos,
// InverseFactorial, Sqrt, and Mills (Lanes: ScaledNormalTail). (Multiprecision has MPFR's.)
//
// Errors are relative. A comment as "Within 2^-44; 2^-44.6 seen, at z = 0x1p+3." states the bound
// that tests/accuracy/functions_test.cc asserts, then the largest error that it saw on any
// instruction set of x86-64, and where. It shows these figures:
//   build/release/bin/bounds_test --gtest_filter='*Functions*' | grep seen
// Coefficients, and the bounds of polynomials by themselves: coefficients.h, which
// coefficients/generate.py makes.
#include <cmath>

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

// e^(factor z) = scale 2^r, |r| at most 1/32 or 1/2, with an absolute error of r of |factor z|
// 2^-52. Where |factor z| is not known to be bounded by 708 (e^708 = 2^1021.4: scale is a normal
// number up to there), scale is 0 or infinite beyond, or stays as there.
template <bool kIsBounded, class D, size_t kCount>
HWY_INLINE void SplitExp(const Lanes<D, kCount>& z, double factor, Lanes<D, kCount>* scale,
                         Lanes<D, kCount>* r) {
  using N = Lanes<D, kCount>;
  const D d;
  const hn::RebindToUnsigned<D> du;
  // A large number rounds a sum with it to a multiple of its last place, and then holds the rest:
  // 2^-4 for 1.5 2^48, 1 for 1.5 2^52. 1023 is the bias of exponents.
#if HWY_TARGET == HWY_AVX3
  // n = k + j/16: powers of 2^(1/16) come from a table in two registers, and the instruction that
  // multiplies by 2^k needs no bounds. Beyond 2^47 r is no remainder, and the result may be NaN;
  // not where a single vector asks for the sign of a float64 result.
  constexpr bool kNeedsBounds = !kIsBounded && kCount == 1;
  const N magic = 0x1.8p48;
#else
  constexpr bool kNeedsBounds = !kIsBounded;
  const N magic = 0x1.8p52 + 1023;
#endif
  const N argument = kNeedsBounds ? Clamp(z, 708 / std::abs(factor)) : z;
  const N log2 = factor * kLog2E.part[0];
  const N sum = MulAdd(argument, log2, magic);
  const N n = sum - magic;
  *r = N::Each([&](size_t i)
                   ACTIVATION_LAMBDA { return hn::MulSub(argument.v[i], log2.v[i], n.v[i]); });
#if HWY_TARGET == HWY_AVX3
  const auto low = hn::LoadU(d, kSixteenths), high = hn::LoadU(d, kSixteenths + 8);
  *scale = N::Each([&](size_t i) ACTIVATION_LAMBDA {
    const auto place = hn::BitCast(du, sum.v[i]);
    return hn::Vec<D>{
        _mm512_scalef_pd(_mm512_permutex2var_pd(low.raw, place.raw, high.raw), n.v[i].raw)};
  });
#else
  *scale = N::Each([&](size_t i) ACTIVATION_LAMBDA {
    return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, sum.v[i])));
  });
#endif
}

#if HWY_TARGET == HWY_AVX3
inline constexpr auto& kExp2Terms = kExp2Sixteenth;
inline constexpr auto& kExp2m1Terms = kExp2m1Sixteenth;
#else
inline constexpr auto& kExp2Terms = kExp2;
inline constexpr auto& kExp2m1Terms = kExp2m1;
#endif

// 2^r, r from SplitExp. Within 2^-45.9, or of a single vector, which softmax takes, 2^-49 (kExp2
// and kExp2m1 in coefficients.h). What is seen includes the rounding of r: ExpScaled.
template <bool kIsBounded, class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Exp2Reduced(const Lanes<D, kCount>& r) {
  const Lanes<D, kCount> one = 1.0;
  if constexpr (kCount == 1) {
    return MulAdd(r, Polynomial(r, kExp2m1Terms), one);
  } else {
    const auto power = MulAdd(r, Polynomial(r, kExp2Terms), one);
#if HWY_TARGET == HWY_AVX3
    // Where r is no remainder, a polynomial of odd degree may be negative.
    if constexpr (!kIsBounded) return Abs(power);
#endif
    return power;
  }
}

// e^(factor z); beyond +-708 something of at most 2^-1021 or at least 2^1021, or infinity. The
// error is that of Exp2Reduced and |factor z| 2^-52.
// Within 2^-44 for |factor z| <= 194, where results are above 2^-280; 2^-44.6 seen, at
// factor z = 0x1.683d5e4d76124p+7.
// For a single vector within 2^-45; 2^-45.4 seen, at factor z = -0x1.80950f4d24c16p+7.
template <bool kIsBounded = false, class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> ExpScaled(const Lanes<D, kCount>& z, double factor) {
  Lanes<D, kCount> scale, r;
  SplitExp<kIsBounded>(z, factor, &scale, &r);
  return scale * Exp2Reduced<kIsBounded>(r);
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> ExpScaled(const Lanes<D, kCount>& z) {
  return ExpScaled(z, 1.0);
}

// e^(factor z) + 1. Within 2^-44 for factor z <= 194; 2^-44.7 seen, at
// factor z = 0x1.7a94cf6cc55c4p+7.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> ExpPlusOne(const Lanes<D, kCount>& z, double factor) {
  Lanes<D, kCount> scale, r;
  SplitExp<false>(z, factor, &scale, &r);
  return MulAdd(scale, Exp2Reduced<false>(r), Lanes<D, kCount>(1.0));
}

// e^(factor z) - 1, for factor z <= 708. Within 2^-44 for factor z <= 194; 2^-45.4 seen, at
// factor z = 0x1.683d5e4d76124p+7. For factor z <= 0 see ExponentialRamp (math-inl.h).
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Expm1(const Lanes<D, kCount>& z, double factor) {
  Lanes<D, kCount> scale, r;
  SplitExp<false>(z, factor, &scale, &r);
  return MulAdd(scale, r * Polynomial(r, kExp2m1Terms), scale - 1.0);
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Expm1(const Lanes<D, kCount>& z) {
  return Expm1(z, 1.0);
}

// log(1 + u) for 0 <= u <= 1, as 2 atanh(u / (2 + u)). Within 2^-43.5; 2^-43.7 seen, at
// u = 0x1.880b48a2f377ap-1.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Log1p(const Lanes<D, kCount>& u) {
  using N = Lanes<D, kCount>;
  const N s = u / (u + 2.0);
  const N square = s * s;
  return s * MulAdd(square, Polynomial(square, kAtanhTail), N(2.0));
}

// e^(t^2/2) times the integral of the normal density from t on, for 0 <= t <= 21. Within 2^-44;
// 2^-44.4 seen, at t = 0x1.9507e68c02996p+3.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> ScaledNormalTail(const Lanes<D, kCount>& t,
                                             const Lanes<D, kCount>& square) {
  return PolynomialInHalves(t, square, kTailNumerator) /
         PolynomialInHalves(t, square, kTailDenominator);
}

// r = z - quadrant pi/2; the quadrant is one of Lanes. NaN for |z| above 2^20, where the next
// number type takes over.
template <class N, class Quadrants>
struct ReducedAngle {
  N r;
  Quadrants quadrant;
};

template <class D>
HWY_INLINE hn::Vec<D> Quadrant(D d, hn::Vec<D> z) {
  const auto nan = hn::NaN(d);
  const auto quadrant = hn::Round(hn::Mul(z, hn::Set(d, kTwoOverPi.part[0])));
  return hn::IfThenElse(hn::Le(hn::Abs(z), hn::Set(d, 0x1p20)), quadrant, nan);
}

template <class D, size_t kCount>
HWY_INLINE ReducedAngle<Lanes<D, kCount>, Lanes<D, kCount>> Reduce(const Lanes<D, kCount>& z) {
  using N = Lanes<D, kCount>;
  const D d;
  const N n = N::Each([&](size_t i) ACTIVATION_LAMBDA { return Quadrant(d, z.v[i]); });
  const N r = N::Each([&](size_t i) ACTIVATION_LAMBDA {
    auto rest = hn::NegMulAdd(n.v[i], hn::Set(d, kPiOver2Part[0]), z.v[i]);
    rest = hn::NegMulAdd(n.v[i], hn::Set(d, kPiOver2Part[1]), rest);
    return hn::NegMulAdd(n.v[i], hn::Set(d, kPiOver2Part[2]), rest);
  });
  return {r, n};
}

// For |r| <= pi/4 + 2^-20. Within 2^-52; 2^-52.9 seen, at r = -0x1.0f67ca013cf5p-1.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> SinReduced(const Lanes<D, kCount>& r) {
  const auto square = r * r;
  return r + r * square * Polynomial(square, kSinTail);
}

// For |r| <= pi/4 + 2^-20. Within 2^-51; 2^-51.7 seen, at r = -0x1.89ade7af61a61p-1.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> CosReduced(const Lanes<D, kCount>& r) {
  using N = Lanes<D, kCount>;
  const N square = r * r;
  return N(1.0) - square * 0.5 + square * square * Polynomial(square, kCosTail);
}

// 1/n!, within 2^-53: the nearest float64.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> InverseFactorial(const Lanes<D, kCount>&, int n) {
  return kInverseFactorialPair[n].hi;
}

// ---- DoubleDouble ----

// Taylor terms from the kPairTerms-th on are small enough for float64; those from the kTerms-th on
// are left out (kInverseFactorialPair in coefficients.h has the error of that).
inline constexpr int kPairTerms = 15;
inline constexpr int kTerms = 28;

// e^r - 1 for |r| < 0.35: r + r^2 (1/2! + r/3! + ...). Within 2^-101; for what is seen see Expm1.
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

// e^z = (1 + tail) 2^exponent, |tail| < 0.42.
template <class D>
struct PairExpParts {
  DoubleDouble<D> tail;
  SizedVec<D> exponent;
};

template <class D>
HWY_INLINE PairExpParts<D> SplitExp(DoubleDouble<D> z) {
  using N = DoubleDouble<D>;
  const D d;
  // Up to 4096 the parts' products with k are exact; further out only 0 and infinity are left.
  const auto limit = hn::Set(d, 4096.0);
  const hn::Vec<D> hi = z.hi;
  const auto outside = hn::Gt(hn::Abs(hi), limit);  // false for NaN, which must stay NaN
  const N clamped = {hn::IfThenElse(outside, hn::CopySign(limit, hi), hi),
                     hn::IfThenZeroElse(outside, z.lo)};
  const auto k = hn::Round(hn::Mul(clamped.hi, hn::Set(d, kLog2E.part[0])));
  const auto minus_k = hn::Neg(k);
  N r = N::TwoSum(clamped.hi, hn::Mul(minus_k, hn::Set(d, kLn2Part[0])));
  r = r + N(hn::Mul(minus_k, hn::Set(d, kLn2Part[1])));
  r = r + N(clamped.lo) + N::TwoProduct(minus_k, hn::Set(d, kLn2Part[2]));
  return {Expm1Reduced(r), k};
}

// e^z, wherever it lies. Within 2^-100; 2^-106.0 seen, at
// z = -0x1.cecfc61543716p+8 + 0x1.09c2a6268fb34p-46.
template <class D>
HWY_INLINE ScaledDoubleDouble<D> ExpScaled(DoubleDouble<D> z) {
  const D d;
  const auto e = SplitExp(z);
  const auto limit = hn::Set(d, ScaledDoubleDouble<D>::kMaxExponent);
  return {e.tail + 1.0, hn::Min(hn::Max(e.exponent, hn::Neg(limit)), limit)};
}

// e^z - 1; z below -200 counts as -200: -1 + 2^-288. Within 2^-100; 2^-105.6 seen, at
// z = -0x1.04f2dd4db35b6p-53 + 0x1.37beaec710e6fp-107.
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
// where |w| < 2^-43 u, so that w - w^2/2 is enough; w is a float64, whose rounding is most of the
// error. Within 2^-94.5; 2^-95.0 seen, at u = 0x1.d8ea3725a0d64p-4.
template <class D>
HWY_INLINE DoubleDouble<D> Log1p(DoubleDouble<D> u) {
  using N = DoubleDouble<D>;
  const N y = Log1p(Lanes<D>(u.hi)).v[0];
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

// For 0 <= t <= 60: all coefficients are positive, so that Horner's rule is stable. Within 2^-98;
// 2^-102.1 seen, at t = 0x1.37c206efd2651p+4 + 0x1.ceda87415ee57p-50.
template <class D>
HWY_INLINE DoubleDouble<D> Mills(DoubleDouble<D> t) {
  return Polynomial(t, kMillsNumeratorPair) / Polynomial(t, kMillsDenominatorPair);
}

template <class D>
HWY_INLINE ReducedAngle<DoubleDouble<D>, Lanes<D>> Reduce(DoubleDouble<D> z) {
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

// For |r| <= pi/4 + 2^-20. Within 2^-103; 2^-105.4 seen, at
// r = -0x1.17ca87e6a44c1p-1 - 0x1.9f3aadeaf22cfp-55.
template <class D>
HWY_INLINE DoubleDouble<D> SinReduced(DoubleDouble<D> r) {
  const auto square = r * r;
  return r - r * (square * AlternatingTaylor<3>(square));
}

// For |r| <= pi/4 + 2^-20. Within 2^-103; 2^-105.6 seen, at
// r = 0x1.72ca2b5b9bc46p-1 - 0x1.36a82623d974fp-55.
template <class D>
HWY_INLINE DoubleDouble<D> CosReduced(DoubleDouble<D> r) {
  const auto square = r * r;
  return DoubleDouble<D>(1.0) - square * AlternatingTaylor<2>(square);
}

// 1/n!, within 2^-107.7.
template <class D>
HWY_INLINE DoubleDouble<D> InverseFactorial(DoubleDouble<D>, int n) {
  return kInverseFactorialPair[n];
}

// ---- Any vector type ----

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Floor(const Lanes<D, kCount>& a) {
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Floor(a.v[i]); });
}

// sin(r + (quadrant + shift) pi/2).
template <int kShift, class N, class Quadrants>
HWY_INLINE N SinQuadrant(const ReducedAngle<N, Quadrants>& angle) {
  const auto half = (angle.quadrant + kShift) * 0.5;
  const auto whole = Floor(half);
  const auto quarter = whole * 0.5;
  const N value = Select(whole < half, CosReduced(angle.r), SinReduced(angle.r));
  return Select(Floor(quarter) < quarter, -value, value);
}

// For |z| <= 2^20. Errors are absolute, since near roots that of the reduced angle remains.
// Lanes: within 2^-51; 2^-51.9 seen, at z = -0x1.b1b106d7e72ecp+17.
// QuickPairs: within 2^-67; 2^-68.5 seen, at z = 0x1.f3ab3f3a7c258p+18 - 0x1.bcab2c37baeeap-31.
// DoubleDouble: within 2^-104; 2^-105.8 seen, at
// z = -0x1.e9fff723cc6adp+19 + 0x1.171de967ab991p-36.
template <class N>
HWY_INLINE N Sin(N z) {
  return SinQuadrant<0>(Reduce(z));
}

// For |z| <= 2^20, with absolute errors too.
// Lanes: within 2^-51; 2^-51.9 seen, at z = 0x1.ae52cc3b2827p+17.
// QuickPairs: within 2^-67; 2^-68.4 seen, at z = -0x1.0bffde1c33c1p+18 + 0x1.79908ad53d448p-33.
// DoubleDouble: within 2^-104; 2^-105.7 seen, at z = -0x1.d77357c14b55p+16 - 0x1.c7a7bf7e344e4p-40.
template <class N>
HWY_INLINE N Cos(N z) {
  return SinQuadrant<1>(Reduce(z));
}

// ---- Square roots, of numbers above 0 ----

// Correctly rounded.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Sqrt(const Lanes<D, kCount>& a) {
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Sqrt(a.v[i]); });
}

// A Newton step from the float64 result. Within 2^-104; 2^-104.6 seen, at
// a = 0x1.02bb33047d648p+58 + 0x1.d2d37a6a22b72p+4.
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
