// Number type 2 of 4: pairs hi + lo of float64 lanes with as little arithmetic as float64 results
// need, for the fast path of FLOAT64.
//
// |lo| < 2^-48 |hi|: sums of one sign and products are not normalized as DoubleDouble's are, and
// cross terms are rounded as they come. Arithmetic is right to 2^-95, the elementary functions
// (quick_math-inl.h) to 2^-64 or better, so that the rounding test leaves two lanes of a thousand
// to DoubleDouble. The figures at the operations are explained in elementary-inl.h; the other
// operand is one number of [1, 2].
//
// What paid (ns per element, 65,536 elements, one thread of a busy Zen 5):
//   - Only the leading terms of a polynomial in pairs; the rest, below 2^-12 of it, is float64.
//   - A pair step of Horner's rule by the rest of one FMA (FastMulAdd) takes 6 operations, by
//     TwoProduct and a sum 9.
//   - Vectors side by side on AVX3, 1, 2, 3, 4: gelu 5.8, 4.4, 3.5, 3.1; sigmoid 1.39, 1.18, 1.05,
//     1.02. On AVX2 2 are best.
//   - Copies vector by vector, on AVX2: gelu 39 to 9.3, sigmoid 9.0 to 2.4.
//   - A last factor 1 + rest of the exponential, for the argument's low part and what reduction
//     leaves: sigmoid 1.03 to 0.92 on AVX3.
//   - The Mills ratio by one polynomial in 1/(t + 4) about its middle: 10 of 29 terms are pairs. In
//     a quotient of polynomials in t every term matters at some t, so that all would be pairs.
// What did not: gathers on AVX2, 10 % slower than loads of pairs at scalar indices.
#include <utility>

#include "hwy/highway.h"
#include "server/engine/lanes-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_QUICK_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_QUICK_PAIRS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_QUICK_PAIRS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_QUICK_PAIRS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class L>
struct ScaledQuickPairs;

// L is one of Lanes.
template <class L>
struct QuickPairs {
  using Mask = typename L::Mask;
  using Scaled = ScaledQuickPairs<L>;
  static constexpr double kSeriesBelow = 0;  // the rounding test finds what is next to a tie
  static constexpr bool kIsFast = false;
  static constexpr bool kHasAnyExponent = false;
  static constexpr int kSeriesTerms = 11;

  L hi, lo;

  HWY_INLINE QuickPairs() = default;
  // Copies go vector by vector, since GCC leaves whole arrays in memory and moves 16 bytes of them
  // at a time, which AVX2 can't load again before they are all stored: it was three times slower.
  HWY_INLINE QuickPairs(const L& high, const L& low) { Assign(high, low); }
  HWY_INLINE QuickPairs(const QuickPairs& other) { Assign(other.hi, other.lo); }
  HWY_INLINE QuickPairs& operator=(const QuickPairs& other) {
    Assign(other.hi, other.lo);
    return *this;
  }
  HWY_INLINE void Assign(const L& high, const L& low) {
    L::ForEach([&](size_t i) ACTIVATION_LAMBDA {
      const auto h = high.v[i], l = low.v[i];
      hi.v[i] = h;
      lo.v[i] = l;
    });
  }
  HWY_INLINE QuickPairs(const L& value) : hi(value), lo(0.0) {}
  HWY_INLINE QuickPairs(double value) : hi(value), lo(0.0) {}
  HWY_INLINE QuickPairs(const Pair& value) : hi(value.hi), lo(value.lo) {}
  HWY_INLINE QuickPairs(const Constant& value) : hi(value.part[0]), lo(value.part[1]) {}

  // a * b - c, where c is a * b rounded, or a b rounded to what has passed through a sum with c.
  static HWY_INLINE L ProductRest(const L& a, const L& b, const L& c) {
#if HWY_NATIVE_FMA
    return L::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::MulSub(a.v[i], b.v[i], c.v[i]); });
#else
    // Dekker: halves of 26 bits, whose products are exact.
    const L a1 = Upper(a), b1 = Upper(b);
    const L a2 = a - a1, b2 = b - b1;
    return ((a1 * b1 - c) + a1 * b2 + a2 * b1) + a2 * b2;
#endif
  }
  // a * b exactly.
  static HWY_INLINE QuickPairs TwoProduct(const L& a, const L& b) {
    const L product = a * b;
    return {product, ProductRest(a, b, product)};
  }
  // a + b exactly. (DoubleDouble has its own, since it is made of single vectors.)
  static HWY_INLINE QuickPairs TwoSum(const L& a, const L& b) {
    const L sum = a + b;
    const L part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  // a + b exactly, where |a| >= |b| or a = 0.
  static HWY_INLINE QuickPairs FastTwoSum(const L& a, const L& b) {
    const L sum = a + b;
    return {sum, b - (sum - a)};
  }
  // a * b + c to 2^-104 of c, where |c|, rounded up to a power of two, is at least |a * b|.
  static HWY_INLINE QuickPairs FastMulAdd(const L& a, const L& b, const L& c) {
#if HWY_NATIVE_FMA
    const L sum = MulAdd(a, b, c);
    return {sum, ProductRest(a, b, sum - c)};
#else
    const QuickPairs product = TwoProduct(a, b);
    const QuickPairs sum = FastTwoSum(c, product.hi);
    return {sum.hi, sum.lo + product.lo};
#endif
  }
  // a + b, where |a| >= |b| or a = 0. Within 2^-100; 2^-100.8 seen, at
  // a = 0x1.144bae6e789d1p+35 - 0x1.feb4179228e71p-14.
  static HWY_INLINE QuickPairs FastSum(const QuickPairs& a, const QuickPairs& b) {
    const QuickPairs sum = FastTwoSum(a.hi, b.hi);
    return {sum.hi, sum.lo + (a.lo + b.lo)};
  }
  // a + b, where |a| >= |b| or a = 0; as the sum above.
  static HWY_INLINE QuickPairs FastSum(double a, const QuickPairs& b) {
    const QuickPairs sum = FastTwoSum(a, b.hi);
    return {sum.hi, sum.lo + b.lo};
  }
  // a + b, where both are positive, so that nothing cancels. Within 2^-100; 2^-101.0 seen, at
  // a = 0x1.07d4d04063322p+20 - 0x1.fe84441d5a4bfp-29.
  static HWY_INLINE QuickPairs PositiveSum(const QuickPairs& a, double b) {
    const QuickPairs sum = TwoSum(a.hi, b);
    return {sum.hi, sum.lo + a.lo};
  }
  // 1 / a. The square of lo / hi is left out. Within 2^-95.5; 2^-95.9 seen, at
  // a = 0x1.7c9fa01045a71p-28 - 0x1.7c411437519b4p-76.
  static HWY_INLINE QuickPairs Reciprocal(const QuickPairs& a) {
    const L first = L(1.0) / a.hi;
#if HWY_NATIVE_FMA
    const L rest = NegMulAdd(first, a.hi, L(1.0));
#else
    const QuickPairs product = TwoProduct(first, a.hi);
    const L rest = (L(1.0) - product.hi) - product.lo;
#endif
    return {first, first * NegMulAdd(first, a.lo, rest)};
  }
  // c - a * b, rounded once where the target can.
  static HWY_INLINE L NegMulAdd(const L& a, const L& b, const L& c) {
    return L::Each([&](size_t i)
                       ACTIVATION_LAMBDA { return hn::NegMulAdd(a.v[i], b.v[i], c.v[i]); });
  }

  // Relative to |a| + |b|. Within 2^-100; 2^-100.7 seen, at
  // a = -0x1.183afbafde64ap+29 - 0x1.fbebcfac0fa53p-20.
  friend HWY_INLINE QuickPairs operator+(const QuickPairs& a, const QuickPairs& b) {
    const QuickPairs high = TwoSum(a.hi, b.hi);
    return FastTwoSum(high.hi, high.lo + (a.lo + b.lo));
  }
  // Relative to |a| + |b|. Within 2^-100; 2^-101.0 seen, at
  // a = 0x1.07d4d04063322p+20 - 0x1.fe84441d5a4bfp-29.
  friend HWY_INLINE QuickPairs operator+(const QuickPairs& a, double b) {
    const QuickPairs high = TwoSum(a.hi, b);
    return FastTwoSum(high.hi, high.lo + a.lo);
  }
  friend HWY_INLINE QuickPairs operator-(const QuickPairs& a, const QuickPairs& b) {
    return a + -b;
  }
  // Within 2^-99; 2^-99.6 seen, at a = -0x1.5f8696214e16cp+59 + 0x1.5654d81809576p+11.
  friend HWY_INLINE QuickPairs operator*(const QuickPairs& a, const QuickPairs& b) {
    const QuickPairs high = TwoProduct(a.hi, b.hi);
    return {high.hi, MulAdd(a.hi, b.lo, MulAdd(a.lo, b.hi, high.lo))};
  }
  // Within 2^-99.5; 2^-100.1 seen, at a = -0x1.3c2bb5238da3p-50 + 0x1.2aa6307c84723p-98.
  friend HWY_INLINE QuickPairs operator*(const QuickPairs& a, double b) {
    const QuickPairs high = TwoProduct(a.hi, b);
    return {high.hi, MulAdd(a.lo, L(b), high.lo)};
  }
  // Within 2^-99; 2^-99.6 seen, at a = -0x1.2eb962cb66653p-30 + 0x1.12a7885fe5b8bp-78.
  friend HWY_INLINE QuickPairs operator/(const QuickPairs& a, const QuickPairs& b) {
    const L inverse = L(1.0) / b.hi;
    const L first = a.hi * inverse;
#if HWY_NATIVE_FMA
    const L rest = NegMulAdd(first, b.hi, a.hi);
#else
    const QuickPairs product = TwoProduct(first, b.hi);
    const L rest = (a.hi - product.hi) - product.lo;
#endif
    return {first, inverse * (rest + NegMulAdd(first, b.lo, a.lo))};
  }
  // The reciprocal is the same for all lanes, and computed once. Within 2^-99; 2^-99.5 seen, at
  // a = 0x1.50786f7f40fe6p+59 - 0x1.4af014e27bdc8p+11.
  friend HWY_INLINE QuickPairs operator/(const QuickPairs& a, double b) {
    return a * Reciprocal(L(b));
  }
  friend HWY_INLINE QuickPairs operator-(const QuickPairs& a) { return {-a.hi, -a.lo}; }
  friend HWY_INLINE Mask operator<(const QuickPairs& a, const QuickPairs& b) { return a.hi < b.hi; }
  friend HWY_INLINE Mask operator==(const QuickPairs& a, const QuickPairs& b) {
    const Mask high = a.hi == b.hi, low = a.lo == b.lo;
    return L::EachMask([&](size_t i) ACTIVATION_LAMBDA { return hn::And(high.m[i], low.m[i]); });
  }

#if !HWY_NATIVE_FMA
 private:
  // The 26 most significant bits.
  static HWY_INLINE L Upper(const L& a) {
    const L scaled = a * L(0x1p27 + 1);
    return scaled - (scaled - a);
  }
#endif
};

// A result of ExpScaled and what is made of it, which may have underflowed: 0 may mean less than
// 2^-900.
template <class L>
struct ScaledQuickPairs {
  using N = QuickPairs<L>;

  N value;

  HWY_INLINE ScaledQuickPairs(const N& v) : value(v) {}
  HWY_INLINE ScaledQuickPairs(const ScaledQuickPairs& other) : value(other.value) {}
  HWY_INLINE ScaledQuickPairs& operator=(const ScaledQuickPairs& other) {
    value = other.value;
    return *this;
  }
  HWY_INLINE ScaledQuickPairs(double v) : value(v) {}

  friend HWY_INLINE ScaledQuickPairs operator*(const ScaledQuickPairs& a, const N& b) {
    return a.value * b;
  }
  friend HWY_INLINE ScaledQuickPairs operator*(const N& a, const ScaledQuickPairs& b) {
    return a * b.value;
  }
  friend HWY_INLINE ScaledQuickPairs operator/(const ScaledQuickPairs& a, const N& b) {
    return a.value / b;
  }
  friend HWY_INLINE ScaledQuickPairs operator-(const ScaledQuickPairs& a) { return -a.value; }
};

template <class L>
HWY_INLINE QuickPairs<L> Select(const typename QuickPairs<L>::Mask& mask, const QuickPairs<L>& yes,
                                const QuickPairs<L>& no) {
  return {Select(mask, yes.hi, no.hi), Select(mask, yes.lo, no.lo)};
}

template <class L>
HWY_INLINE ScaledQuickPairs<L> Select(const typename QuickPairs<L>::Mask& mask,
                                      const ScaledQuickPairs<L>& yes,
                                      const ScaledQuickPairs<L>& no) {
  return Select(mask, yes.value, no.value);
}

// a, or -a where b has a minus sign.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> TimesSign(const Lanes<D, kCount>& a, const Lanes<D, kCount>& b) {
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA {
    const hn::Vec<D> sign = hn::And(hn::Vec<D>(b.v[i]), hn::SignBit(D()));
    return hn::Xor(hn::Vec<D>(a.v[i]), sign);
  });
}

template <class L>
HWY_INLINE QuickPairs<L> Abs(const QuickPairs<L>& a) {
  return {Abs(a.hi), TimesSign(a.lo, a.hi)};
}

template <class L>
HWY_INLINE ScaledQuickPairs<L> Abs(const ScaledQuickPairs<L>& a) {
  return Abs(a.value);
}

// For magnitude >= 0.
template <class L>
HWY_INLINE QuickPairs<L> CopySign(const QuickPairs<L>& magnitude, const QuickPairs<L>& sign) {
  return {TimesSign(magnitude.hi, sign.hi), TimesSign(magnitude.lo, sign.hi)};
}

template <class L>
HWY_INLINE QuickPairs<L> Unscaled(const ScaledQuickPairs<L>& a) {
  return a.value;
}

// a, of which the high part has been bounded.
template <class L>
HWY_INLINE QuickPairs<L> Bounded(const QuickPairs<L>& a, const L& bounded) {
  return {bounded, Select(a.hi == bounded, a.lo, L(0.0))};
}

// The smaller and the larger of a and a bound; NaN stays NaN.
template <class L>
HWY_INLINE QuickPairs<L> Min(double bound, const QuickPairs<L>& a) {
  return Bounded(a, Min(bound, a.hi));
}
template <class L>
HWY_INLINE QuickPairs<L> Max(double bound, const QuickPairs<L>& a) {
  return Bounded(a, Max(bound, a.hi));
}
template <class L>
HWY_INLINE QuickPairs<L> Clamp(const QuickPairs<L>& a, double limit) {
  return Bounded(a, Max(-limit, Min(limit, a.hi)));
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
