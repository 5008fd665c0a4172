// The functions of elementary-inl.h, and those of math-inl.h that have a shorter way, over
// QuickPairs.
//
// Errors are relative. A comment as "Within 2^-44; 2^-44.6 seen, at z = 0x1p+3." states the bound
// that tests/accuracy/functions_test.cc asserts, then the largest error that it saw on any
// instruction set of x86-64, and where. It shows these figures:
//   build/release/bin/bounds_test --gtest_filter='*Functions*' | grep seen
// Arguments are pairs hi + lo, |lo| up to 2^-48 |hi|. Coefficients, and the bounds of polynomials
// by themselves: coefficients.h.
#include <cmath>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "server/engine/math-inl.h"
#include "server/engine/quick_pairs-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_QUICK_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_QUICK_MATH_INL_H_
#undef ACTIVATION_SERVER_ENGINE_QUICK_MATH_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_QUICK_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sixteen pairs, in both layouts that LookUp reads.
struct PairTable {
  double hi[16], lo[16];
  Pair pairs[16];
};
constexpr PairTable TableOf(const double (&hi)[16], const double (&lo)[16]) {
  PairTable table = {};
  for (int j = 0; j < 16; ++j) {
    table.hi[j] = table.pairs[j].hi = hi[j];
    table.lo[j] = table.pairs[j].lo = lo[j];
  }
  return table;
}
inline constexpr PairTable kRoots = TableOf(kSixteenths, kSixteenthsRest);
inline constexpr PairTable kInverses = TableOf(kLogInverse, kLogInverseLess);
inline constexpr PairTable kLogs = TableOf(kLogHigh, kLogRest);

// The pair at the low four bits of each lane of j. (A gather for each half took twice as long on
// AVX2. SVE can't combine halves.)
template <class D, size_t kCount>
HWY_INLINE QuickPairs<Lanes<D, kCount>> LookUp(const PairTable& table, const Lanes<D, kCount>& j) {
  using L = Lanes<D, kCount>;
  const D d;
  L high, low;
#if HWY_TARGET == HWY_AVX3
  const auto half = [&](const double* from, L& to) ACTIVATION_LAMBDA {
    const auto first = hn::LoadU(d, from), second = hn::LoadU(d, from + 8);
    const hn::RebindToSigned<D> di;
    L::ForEach([&](size_t i) ACTIVATION_LAMBDA {
      const auto place = hn::BitCast(di, j.v[i]);
      to.v[i] = hn::Vec<D>{_mm512_permutex2var_pd(first.raw, place.raw, second.raw)};
    });
  };
  half(table.hi, high);
  half(table.lo, low);
#else
  const hn::RebindToUnsigned<D> du;
  L::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    alignas(64) uint64_t place[HWY_LANES(double)];
    hn::Store(hn::And(hn::BitCast(du, j.v[i]), hn::Set(du, 15)), du, place);
#if HWY_TARGET == HWY_SCALAR
    high.v[i] = hn::Set(d, table.pairs[place[0]].hi);
    low.v[i] = hn::Set(d, table.pairs[place[0]].lo);
#elif defined(__ARM_FEATURE_SVE_BITS)
    const hn::RebindToSigned<D> di;
    const auto index = hn::Load(di, reinterpret_cast<const int64_t*>(place));
    high.v[i] = hn::GatherIndex(d, table.hi, index);
    low.v[i] = hn::GatherIndex(d, table.lo, index);
#else
    const hn::Full128<double> d2;
    const auto pair = [&](size_t lane)
                          ACTIVATION_LAMBDA { return hn::LoadU(d2, &table.pairs[place[lane]].hi); };
#if HWY_TARGET == HWY_AVX2
    const auto even = hn::Combine(d, pair(2), pair(0)), odd = hn::Combine(d, pair(3), pair(1));
#else
    const auto even = pair(0), odd = pair(1);
#endif
    high.v[i] = hn::InterleaveLower(d, even, odd);
    low.v[i] = hn::InterleaveUpper(d, even, odd);
#endif
  });
#endif
  return {high, low};
}

// c[0] + r c[1] + r^2 c[2] ... by Horner's rule, in pairs for the first kPairs terms. Each of
// those, rounded up to a power of two, must be larger than all that follow together, and must not
// cancel more than a bit of them, but for the kCancelling-th.
template <size_t kPairs, size_t kCancelling = kPairs, class L, size_t kTerms>
HWY_INLINE QuickPairs<L> Polynomial(const QuickPairs<L>& r, const Pair (&c)[kTerms]) {
  using N = QuickPairs<L>;
  L rest = c[kTerms - 1].hi;
  [&]<size_t... i>(std::index_sequence<i...>) ACTIVATION_LAMBDA {
    ((rest = MulAdd(rest, r.hi, L(c[kTerms - 2 - i].hi))), ...);  // NOLINT: casts nothing
  }
  (std::make_index_sequence<kTerms - 1 - kPairs>());
  N sum = N(rest, 0.0);
  const auto step = [&]<size_t k>(std::integral_constant<size_t, k>) ACTIVATION_LAMBDA {
    const L next = c[k].hi;
    L cross = MulAdd(sum.hi, r.lo, L(c[k].lo));  // NOLINT(google-readability-casting)
    if constexpr (k + 1 < kPairs) cross = MulAdd(sum.lo, r.hi, cross);
    if constexpr (k == kCancelling) {
      const N product = N::TwoProduct(sum.hi, r.hi);
      const N high = N::FastTwoSum(next, product.hi);
      sum = {high.hi, (high.lo + product.lo) + cross};
    } else {
      const N high = N::FastMulAdd(sum.hi, r.hi, next);
      sum = {high.hi, high.lo + cross};
    }
  };
  [&]<size_t... i>(std::index_sequence<i...>) ACTIVATION_LAMBDA {
    (step(std::integral_constant<size_t, kPairs - 1 - i>()), ...);
  }
  (std::make_index_sequence<kPairs>());
  return sum;
}

// ---- Elementary functions ----

// e^z = power (1 + tail) (1 + rest), |tail| < 0.0222, |rest| < 2^-43.
template <class L>
struct QuickExpParts {
  QuickPairs<L> power, tail;
  L rest;

  HWY_INLINE QuickExpParts(const QuickPairs<L>& p, const QuickPairs<L>& t, const L& r)
      : power(p), tail(t), rest(r) {}
};

// Beyond this power is 0 or infinite, since a rest of 1 / power would be subnormal.
inline constexpr double kQuickExpLimit = 665;

// 1 + tail is within 2^-69; tail, where power is 1, within 2^-64.5. For what is seen see ExpScaled
// and Expm1.
template <class D, size_t kCount>
HWY_INLINE QuickExpParts<Lanes<D, kCount>> SplitExp(const QuickPairs<Lanes<D, kCount>>& z) {
  using L = Lanes<D, kCount>;
  using N = QuickPairs<L>;
  const D d;
#if HWY_TARGET == HWY_AVX3
  const L magic = 0x1.8p48;
#else
  const L magic = 0x1.8p48 + 1023;
#endif
  const L sum = MulAdd(z.hi, L(kLog2E.part[0]), magic);
  const L n = sum - magic;
#if HWY_NATIVE_FMA
  // Exact: a multiple of 2^-58 below 2^-5.
  const L r = N::NegMulAdd(n, L(kLn2.part[0]), z.hi);
  const L rest = N::NegMulAdd(n, L(kLn2.part[1]), z.lo);
#else
  const N reduced =
      N::FastTwoSum(z.hi - n * (16 * kLn2SixteenthPart[0]), z.lo - n * (16 * kLn2SixteenthPart[1]));
  const L r = reduced.hi;
  const L rest = reduced.lo;
#endif
  const L half = r * 0.5;
  const N square = N::TwoProduct(half, r);  // r^2/2
  const L cube = square.hi * r;             // r^3/2
  const N first = N::FastTwoSum(r, square.hi);
  const L others = MulAdd(cube, Polynomial(r, kExpCubic), square.lo);
  const N tail = N::FastTwoSum(first.hi, first.lo + others);

  const N root = LookUp(kRoots, sum);
  const auto vanishes = z.hi < L(-kQuickExpLimit), explodes = L(kQuickExpLimit) < z.hi;
  const L scale = L::Each([&](size_t i) ACTIVATION_LAMBDA {
#if HWY_TARGET == HWY_AVX3
    const hn::Vec<D> power{_mm512_scalef_pd(_mm512_set1_pd(1), n.v[i].raw)};
#else
    const hn::RebindToUnsigned<D> du;
    const auto power =
        hn::BitCast(d, hn::ShiftLeft<52>(hn::ShiftRight<4>(hn::BitCast(du, sum.v[i]))));
#endif
    return hn::IfThenElse(explodes.m[i], hn::Inf(d), hn::IfThenZeroElse(vanishes.m[i], power));
  });
  return {N(root.hi * scale, root.lo * scale), tail, rest};
}

// e^z, for |z| <= kQuickExpLimit; as ExpScaled.
template <class L>
HWY_INLINE QuickPairs<L> Exp(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const auto [power, tail, rest] = SplitExp(z);
  const N high = N::FastMulAdd(power.hi, tail.hi, power.hi);
  const L low = MulAdd(power.lo, tail.hi, power.lo) + high.lo;
  return {high.hi, MulAdd(high.hi, rest, MulAdd(power.hi, tail.lo, low))};
}

// e^z for |z| <= kQuickExpLimit; 0, infinity or NaN beyond. Within 2^-68; 2^-70.8 seen, at
// z = -0x1.0e4b6fc5b8f3bp+2 + 0x1.a367f5bd43cf3p-51.
template <class L>
HWY_INLINE ScaledQuickPairs<L> ExpScaled(const QuickPairs<L>& z) {
  return Exp(z);
}

// e^z - 1, less = power - 1.
template <class L>
HWY_INLINE QuickPairs<L> Expm1(const QuickExpParts<L>& parts, const QuickPairs<L>& less) {
  using N = QuickPairs<L>;
  const auto& [power, tail, rest] = parts;
  const N grown = N::TwoProduct(power.hi, tail.hi);
  const N high = N::FastTwoSum(less.hi, grown.hi);
  const L low = (high.lo + less.lo) + (grown.lo + power.lo);
  const L sum = MulAdd(power.hi, tail.lo, MulAdd(power.lo, tail.hi, low));
  return {high.hi, MulAdd(high.hi, rest, rest) + sum};
}

// e^z - 1 for z <= kQuickExpLimit. Within 2^-64; 2^-65.4 seen, at
// z = -0x1.311d4b3693fadp-6 + 0x1.d3d0aa72c8fb6p-56.
template <class L>
HWY_INLINE QuickPairs<L> Expm1(const QuickPairs<L>& z) {
  const auto parts = SplitExp(z);
  return Expm1(parts, QuickPairs<L>::TwoSum(parts.power.hi, -1.0));
}
// The same for z <= 0, with one operation less. Within 2^-64; 2^-65.4 seen, at
// z = -0x1.311d4b3693fadp-6 + 0x1.d3d0aa72c8fb6p-56.
template <class L>
HWY_INLINE QuickPairs<L> Expm1OfNegative(const QuickPairs<L>& z) {
  const auto parts = SplitExp(z);
  return Expm1(parts, QuickPairs<L>::FastTwoSum(-1.0, parts.power.hi));
}

// log(1 + u) for 0 <= u <= 1: 1 + u = (1 + r)/c, c the double nearest to 1/(1 + j/15). Within
// 2^-66; 2^-69.9 seen, at u = 0x1.1720009550ea8p-5 - 0x1.d20298f3a344bp-54.
template <class D, size_t kCount>
HWY_INLINE QuickPairs<Lanes<D, kCount>> Log1p(const QuickPairs<Lanes<D, kCount>>& u) {
  using L = Lanes<D, kCount>;
  using N = QuickPairs<L>;
  const L j = MulAdd(u.hi, L(15.0), L(0x1.8p52));
  const N c = LookUp(kInverses, j);  // and c - 1
  const N product = N::TwoProduct(u.hi, c.hi);
  const L high = product.hi + c.lo;  // exact
  const N r = N::FastTwoSum(high, MulAdd(u.lo, c.hi, product.lo));

  const L minus_half = r.hi * -0.5;
  const N square = N::TwoProduct(minus_half, r.hi);  // -r^2/2
  const N cubic = Polynomial<1>(r, kLogCubic) * -2.0;
  const N cube = N(square.hi, MulAdd(minus_half, r.lo + r.lo, square.lo)) * r * cubic;
  const N first = N::FastTwoSum(r.hi, square.hi);
  const N second = N::FastTwoSum(first.hi, cube.hi);
  const L rest = (first.lo + second.lo) + (cube.lo + square.lo) + N::NegMulAdd(r.hi, r.lo, r.lo);
  const N of_c = LookUp(kLogs, j);
  const N log = N::FastTwoSum(of_c.hi, second.hi);
  return {log.hi, log.lo + (rest + of_c.lo)};
}

// Terms of kMillsSeries that are pairs; the rest is below 2^-14 of the sum. Near t = 0 one of them
// almost cancels what follows it.
inline constexpr size_t kMillsPairs = 10, kMillsCancelling = 5;

// For 0 <= t <= 36. Within 2^-65; 2^-65.1 seen, at t = 0x1.1f6442f5fbeaap+5 - 0x1.298a7c1c7a4fp-45.
template <class L>
HWY_INLINE QuickPairs<L> Mills(const QuickPairs<L>& t) {
  using N = QuickPairs<L>;
  const N y = N::Reciprocal(t + kMillsShift);
  const N from_middle = N::TwoSum(y.hi, L(-kMillsMiddle));
  return y * Polynomial<kMillsPairs, kMillsCancelling>(N(from_middle.hi, from_middle.lo + y.lo),
                                                       kMillsSeries);
}

// (-1)^k / (first + 2k)!
template <size_t kTerms>
struct AlternatingSeries {
  Pair terms[kTerms];
};
template <size_t kTerms>
constexpr AlternatingSeries<kTerms> AlternatingFrom(size_t first) {
  AlternatingSeries<kTerms> series = {};
  for (size_t k = 0; k < kTerms; ++k) {
    const Pair& term = kInverseFactorialPair[first + 2 * k];
    series.terms[k] = k % 2 == 0 ? term : Pair{-term.hi, -term.lo};
  }
  return series;
}
// The next terms are below 2^-73 of the sum for |r| < pi/4 + 2^-20; those that are not pairs, below
// 2^-14.
inline constexpr auto kSineSeries = AlternatingFrom<11>(1);
inline constexpr auto kCosineSeries = AlternatingFrom<11>(0);

// z - quadrant pi/2, with an absolute error of 2^-98 + 2^-105 |z|.
template <class D, size_t kCount>
HWY_INLINE ReducedAngle<QuickPairs<Lanes<D, kCount>>, Lanes<D, kCount>> Reduce(
    const QuickPairs<Lanes<D, kCount>>& z) {
  using L = Lanes<D, kCount>;
  using N = QuickPairs<L>;
  const L n = L::Each([&](size_t i) ACTIVATION_LAMBDA { return Quadrant(D(), z.hi.v[i]); });
  const N first = N::TwoSum(z.hi, n * -kPiOver2Part[0]);
  const N second = N::TwoSum(first.hi, n * -kPiOver2Part[1]);
  const N third = N::TwoSum(second.hi, n * -kPiOver2Part[2]);
  const L rest = (first.lo + second.lo) + (third.lo + MulAdd(n, L(-kPiOver2Part[3]), z.lo));
  return {N::FastTwoSum(third.hi, rest), n};
}

// For |r| <= pi/4 + 2^-20. Within 2^-66; 2^-67.1 seen, at
// r = 0x1.8ee56a236308ep-1 - 0x1.8c166109a84f9p-49.
template <class L>
HWY_INLINE QuickPairs<L> SinReduced(const QuickPairs<L>& r) {
  return r * Polynomial<3>(r * r, kSineSeries.terms);
}
// For |r| <= pi/4 + 2^-20. Within 2^-69; 2^-70.8 seen, at
// r = -0x1.90a80568af7fbp-1 - 0x1.63ae37cf3cec1p-49.
template <class L>
HWY_INLINE QuickPairs<L> CosReduced(const QuickPairs<L>& r) {
  return Polynomial<4>(r * r, kCosineSeries.terms);
}

// 1/n!, within 2^-107.7.
template <class L>
HWY_INLINE QuickPairs<L> InverseFactorial(const QuickPairs<L>&, int n) {
  return kInverseFactorialPair[n];
}

// The square of what lo adds to the root is left out. Within 2^-98; 2^-98.7 seen, at
// a = 0x1.1601fd902376bp+36 - 0x1.13fade3402b89p-12.
template <class D, size_t kCount>
HWY_INLINE QuickPairs<Lanes<D, kCount>> Sqrt(const QuickPairs<Lanes<D, kCount>>& a) {
  using L = Lanes<D, kCount>;
  using N = QuickPairs<L>;
  const L root = L::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Sqrt(a.hi.v[i]); });
  const N square = N::TwoProduct(root, root);
  return {root, ((a.hi - square.hi) - square.lo + a.lo) / (root + root)};
}

// ---- math-inl.h ----
//
// What each function is, and its formula, is said there.

// Within 2^-69; 2^-70.7 seen, at z = -0x1.fb4b5393408c9p+6 + 0x1.a81cc0ce0e953p-42.
template <class L>
HWY_INLINE ScaledQuickPairs<L> Logistic(const QuickPairs<L>& z) {
  return QuickPairs<L>::Reciprocal(QuickPairs<L>::PositiveSum(Exp(-z), 1.0));
}

// Within 2^-69; 2^-70.6 seen, at z = -0x1.5db0b8fb8a6f8p+4 + 0x1.9bc3e98bb237dp-46.
template <class L>
HWY_INLINE ScaledQuickPairs<L> LogisticSlope(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const N e = Exp(-Abs(z));
  const N below = N::FastSum(1.0, e);
  return e / (below * below);
}

// Within 2^-69; 2^-70.7 seen, at factor u = -0x1.fb4b5393408c9p+6 + 0x1.a81cc0ce0e953p-42.
template <class L>
HWY_INLINE ScaledQuickPairs<L> LogisticRamp(const QuickPairs<L>& x, const QuickPairs<L>& u,
                                            Factor factor) {
  using N = QuickPairs<L>;
  return x / N::PositiveSum(Exp(u * -N(factor)), 1.0);
}

// Within 2^-69; 2^-70.9 seen, at u = -0x1.38b24020cf64dp+6 + 0x1.1673f91162834p-42.
template <class L>
HWY_INLINE Result<QuickPairs<L>> LogisticRampSlope(const QuickPairs<L>& u, const QuickPairs<L>& v) {
  using N = QuickPairs<L>;
  const N e = Exp(-u);
  const N inverse = N::Reciprocal(N::PositiveSum(e, 1.0));
  return CancellingSum<N>(inverse, N(1.0), v * (e * inverse));
}

// Within 2^-69; 2^-70.0 seen, at beta x = -0x1.b25197d73887p+1 + 0x1.abbaeeea9b28ap-47.
template <class L>
HWY_INLINE ScaledQuickPairs<L> Softplus(const QuickPairs<L>& x, double beta) {
  using N = QuickPairs<L>;
  const N log = Log1p(Exp(Abs(x) * -beta));
  return Max(0.0, x) + log / beta;
}

// Within 2^-64; 2^-65.6 seen, at z = 0x1.57690ab36a83p-7 + 0x1.c293b2bc2f218p-56.
template <class L>
HWY_INLINE QuickPairs<L> Tanh(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const N a = Abs(z);
  const N e = Expm1OfNegative(N(a.hi * -2.0, a.lo * -2.0));
  return CopySign(-e / N::FastSum(2.0, e), z);
}

// Within 2^-64; 2^-65.8 seen, at x = -0x1.5cc60585dcbc4p-6 + 0x1.4b8e6299a8bf6p-54.
template <class L>
HWY_INLINE QuickPairs<L> ExponentialRamp(const QuickPairs<L>& x, double alpha, double width) {
  using N = QuickPairs<L>;
  return Select(N(0.0) < x, x, N(alpha) * Expm1OfNegative(-Abs(x) / width));
}

// Where the density vanishes (kQuickExpLimit), a little beyond what kMillsSeries reaches: results
// from there on are too small to be accepted, or 1.
inline constexpr double kQuickTail = 37;

template <class L>
HWY_INLINE QuickPairs<L> NormalArgument(const QuickPairs<L>& z) {
  return Min(kQuickTail, Abs(z));
}

// Within 2^-69; 2^-70.8 seen, at z = -0x1.9d89dcbd9df35p+3 - 0x1.a3e611b75d5d1p-50.
template <class L>
HWY_INLINE ScaledQuickPairs<L> NormalPdf(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const N half = {z.hi * -0.5, z.lo * -0.5};
  return Exp(half * z) * N(kInvSqrt2Pi);
}

// Within 2^-67; 2^-68.4 seen, at z = 0x1.7975044ed55d5p-44 + 0x1.c6e36a0a9d589p-93.
template <class L>
HWY_INLINE ScaledQuickPairs<L> NormalCdf(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const N t = NormalArgument(z);
  const N tail = NormalPdf(t).value * Mills(t);
  return Select(z < N(0.0), tail, N::FastSum(1.0, -tail));
}

// Within 2^-67; 2^-68.4 seen, at z = 0x1.7975044ed55d5p-44 + 0x1.c6e36a0a9d589p-93.
template <class L>
HWY_INLINE Result<QuickPairs<L>> NormalRampSlope(const QuickPairs<L>& z) {
  using N = QuickPairs<L>;
  const N t = NormalArgument(z);
  const N mills = Mills(t);
  const N pdf = NormalPdf(t).value;
  const N left = pdf * (mills - t);
  const N right = N::FastSum(1.0, -left);
  const auto negative = z < N(0.0);
  return Result<N>(Select(negative, left, right), Select(negative, pdf * (mills + t), right));
}

// (n-1)/n! with alternating signs, n = 3, 5, ..., 23: the series of -f(z)/z, f the derivative of
// sin(z)/z. The next term is below 2^-77 of the sum for |z| <= 1.
inline constexpr auto kSincSlopeSeries = [] {
  AlternatingSeries<11> series = {};
  for (size_t k = 0; k < 11; ++k) {
    const Pair& a = kInverseFactorialPair[2 * k + 2];
    const Pair& b = kInverseFactorialPair[2 * k + 3];
    const double sign = k % 2 == 0 ? 1 : -1, hi = a.hi - b.hi;
    series.terms[k] = {sign * hi, sign * (((a.hi - hi) - b.hi) + (a.lo - b.lo))};
  }
  return series;
}();

// Within 2^-67; 2^-68.0 seen, at z = -0x1.0bffde1c33c1p+18 + 0x1.79908ad53d448p-33.
template <class L>
HWY_INLINE Result<QuickPairs<L>> SincSlope(const QuickPairs<L>& z, const QuickPairs<L>& factor) {
  using N = QuickPairs<L>;
  const N series = -(z * Polynomial<4>(z * z, kSincSlopeSeries.terms));
  const auto small = Abs(z) < N(1.0);
  const N safe = Select(small, N(1.0), z);
  const auto angle = Reduce(safe);
  const N cosine = SinQuadrant<1>(angle);
  const N quotient = SinQuadrant<0>(angle) / safe;
  const N value = Select(small, series, (cosine - quotient) / safe);
  const N magnitude =
      Select(small, Abs(series), (Abs(cosine) + Abs(quotient) + 0x1p-6) / Abs(safe));
  return {factor * value, factor * magnitude};
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
