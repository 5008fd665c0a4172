// Number type 3 of 4: an unevaluated sum hi + lo of two float64, |lo| <= ulp(hi)/2, in each lane.
//
// Algorithms and their error bounds, in units of u^2 = 2^-106: M. Joldes, J.-M. Muller, V. Popescu,
// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS
// 44(2), 2017: sum 3 u^2, product 5 u^2, quotient below 10 u^2. A result that is an exact double
// plus a far smaller term keeps that term's sign in lo, and so decides a tie that no fixed
// precision sees. The figures at the operations are explained in elementary-inl.h; the other
// operand is one number of [1, 2].
#include "hwy/highway.h"
#include "server/engine/lanes-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_DOUBLE_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_DOUBLE_DOUBLE_INL_H_
#undef ACTIVATION_SERVER_ENGINE_DOUBLE_DOUBLE_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_DOUBLE_DOUBLE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct ScaledDoubleDouble;

template <class D>
struct DoubleDouble {
  using V = SizedVec<D>;
  using Mask = hn::Mask<D>;
  using Scaled = ScaledDoubleDouble<D>;
  // Three terms of a series are right to 2^-108 below this.
  static constexpr double kSeriesBelow = 0x1p-18;
  static constexpr bool kIsFast = false;
  static constexpr bool kHasAnyExponent = false;
  static constexpr int kSeriesTerms = 13;

  V hi, lo;

  HWY_INLINE DoubleDouble(V high, V low) : hi(high), lo(low) {}
  HWY_INLINE DoubleDouble(V value) : hi(value), lo(hn::Zero(D())) {}
  HWY_INLINE DoubleDouble(double value) : hi(hn::Set(D(), value)), lo(hn::Zero(D())) {}
  HWY_INLINE DoubleDouble(const Pair& value)
      : hi(hn::Set(D(), value.hi)), lo(hn::Set(D(), value.lo)) {}
  HWY_INLINE DoubleDouble(const Constant& value)
      : hi(hn::Set(D(), value.part[0])), lo(hn::Set(D(), value.part[1])) {}

  // a + b exactly. (Scalars have their own in double_pair.h.)
  static HWY_INLINE DoubleDouble TwoSum(V a, V b) {
    const V sum = hn::Add(a, b);
    const V part = hn::Sub(sum, a);
    return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, part)), hn::Sub(b, part))};
  }
  // a + b exactly, where |a| >= |b| or a = 0.
  static HWY_INLINE DoubleDouble FastTwoSum(V a, V b) {
    const V sum = hn::Add(a, b);
    return {sum, hn::Sub(b, hn::Sub(sum, a))};
  }
  // a * b exactly, while the product's last bit is above 2^-1074.
  static HWY_INLINE DoubleDouble TwoProduct(V a, V b) {
    const V product = hn::Mul(a, b);
#if HWY_NATIVE_FMA
    return {product, hn::MulSub(a, b, product)};
#else
    // Dekker: halves of 26 bits, whose products are exact.
    const V a1 = Upper(a), b1 = Upper(b);
    const V a2 = hn::Sub(a, a1), b2 = hn::Sub(b, b1);
    const V middle = hn::Add(hn::Sub(hn::Mul(a1, b1), product), hn::Mul(a1, b2));
    return {product, hn::Add(hn::Add(middle, hn::Mul(a2, b1)), hn::Mul(a2, b2))};
#endif
  }

  // Relative to |a| + |b|. Within 2^-104.4; 2^-105.5 seen, at
  // a = 0x1.04f26f645993ap+48 + 0x1.9e16711e8e192p-6.
  friend HWY_INLINE DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = TwoSum(a.hi, b.hi);
    const DoubleDouble low = TwoSum(a.lo, b.lo);
    const DoubleDouble sum = FastTwoSum(high.hi, hn::Add(high.lo, low.hi));
    return FastTwoSum(sum.hi, hn::Add(low.lo, sum.lo));
  }
  // Within 2^-103.6; 2^-104.8 seen, at a = 0x1.982dcf0832aap+58 + 0x1.daffdb0ff2cf9p+4.
  friend HWY_INLINE DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble high = TwoProduct(a.hi, b.hi);
    const V cross = hn::MulAdd(a.hi, b.lo, hn::MulAdd(a.lo, b.hi, hn::Mul(a.lo, b.lo)));
    return FastTwoSum(high.hi, hn::Add(high.lo, cross));
  }
  // Within 2^-102.6; 2^-105.4 seen, at a = 0x1.13a741a17bc5bp+48.
  friend HWY_INLINE DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const V first = hn::Div(a.hi, b.hi);
    const DoubleDouble rest = a - b * DoubleDouble(first);
    const V second = hn::Div(rest.hi, b.hi);
    const DoubleDouble last = rest - b * DoubleDouble(second);
    const DoubleDouble quotient = FastTwoSum(first, second);
    return FastTwoSum(quotient.hi, hn::Add(quotient.lo, hn::Div(last.hi, b.hi)));
  }
  friend HWY_INLINE DoubleDouble operator-(DoubleDouble a) {
    return {hn::Neg(a.hi), hn::Neg(a.lo)};
  }
  friend HWY_INLINE DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
  friend HWY_INLINE Mask operator<(DoubleDouble a, DoubleDouble b) {
    return hn::Or(hn::Lt(a.hi, b.hi), hn::And(hn::Eq(a.hi, b.hi), hn::Lt(a.lo, b.lo)));
  }
  friend HWY_INLINE Mask operator==(DoubleDouble a, DoubleDouble b) {
    return hn::And(hn::Eq(a.hi, b.hi), hn::Eq(a.lo, b.lo));
  }

 private:
  // The 26 most significant bits.
  static HWY_INLINE V Upper(V a) {
    const V scaled = hn::Mul(a, hn::Set(D(), 0x1p27 + 1));
    return hn::Sub(scaled, hn::Sub(scaled, a));
  }
};

// value * 2^exponent, exponent integral, |exponent| <= kMaxExponent.
template <class D>
struct ScaledDoubleDouble {
  using V = SizedVec<D>;
  using N = DoubleDouble<D>;
  // Beyond it x * 2^-exponent is 0 for every float64 x.
  static constexpr double kMaxExponent = 3200;

  N value;
  V exponent;

  HWY_INLINE ScaledDoubleDouble(N v, V e) : value(v), exponent(e) {}
  HWY_INLINE ScaledDoubleDouble(N v) : value(v), exponent(hn::Zero(D())) {}
  HWY_INLINE ScaledDoubleDouble(double v) : ScaledDoubleDouble(N(v)) {}

  friend HWY_INLINE ScaledDoubleDouble operator*(ScaledDoubleDouble a, N b) {
    return {a.value * b, a.exponent};
  }
  friend HWY_INLINE ScaledDoubleDouble operator*(N a, ScaledDoubleDouble b) { return b * a; }
  friend HWY_INLINE ScaledDoubleDouble operator/(ScaledDoubleDouble a, N b) {
    return {a.value / b, a.exponent};
  }
  friend HWY_INLINE ScaledDoubleDouble operator-(ScaledDoubleDouble a) {
    return {-a.value, a.exponent};
  }
};

template <class D>
HWY_INLINE DoubleDouble<D> Select(hn::Mask<D> mask, DoubleDouble<D> yes, DoubleDouble<D> no) {
  return {hn::IfThenElse(mask, yes.hi, no.hi), hn::IfThenElse(mask, yes.lo, no.lo)};
}

template <class D>
HWY_INLINE ScaledDoubleDouble<D> Select(hn::Mask<D> mask, ScaledDoubleDouble<D> yes,
                                        ScaledDoubleDouble<D> no) {
  return {Select(mask, yes.value, no.value), hn::IfThenElse(mask, yes.exponent, no.exponent)};
}

template <class D>
HWY_INLINE DoubleDouble<D> Abs(DoubleDouble<D> a) {
  const hn::Vec<D> hi = a.hi, lo = a.lo;
  return {hn::Abs(hi), hn::Xor(lo, hn::And(hi, hn::SignBit(D())))};
}

template <class D>
HWY_INLINE ScaledDoubleDouble<D> Abs(ScaledDoubleDouble<D> a) {
  return {Abs(a.value), a.exponent};
}

// For magnitude >= 0.
template <class D>
HWY_INLINE DoubleDouble<D> CopySign(DoubleDouble<D> magnitude, DoubleDouble<D> sign) {
  const hn::Vec<D> bit = hn::And(hn::Vec<D>(sign.hi), hn::SignBit(D()));
  return {hn::Xor(hn::Vec<D>(magnitude.hi), bit), hn::Xor(hn::Vec<D>(magnitude.lo), bit)};
}

// An exponent below -740 counts as -740: next to a term near 1 both vanish, but the sign survives,
// and so it does through a product with a float32.
template <class D>
HWY_INLINE DoubleDouble<D> Unscaled(ScaledDoubleDouble<D> a) {
  const D d;
  const auto scale =
      PowerOfTwo(d, hn::Min(hn::Max(a.exponent, hn::Set(d, -740.0)), hn::Set(d, 1000.0)));
  return {hn::Mul(a.value.hi, scale), hn::Mul(a.value.lo, scale)};
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
