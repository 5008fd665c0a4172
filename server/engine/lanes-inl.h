// Number type 1 of 3: a vector of float64 lanes, for the fast path.
//
// Every kernel is written once, over a number type N, and instantiated three times:
//   Lanes          float64 lanes                  relative error 2^-40    float32, before the
//   rounding test DoubleDouble   pairs of float64 lanes         relative error 2^-95    all else
//   Multiprecision 240 bits, exponents unbounded  relative error 2^-200   where those can't decide
// N converts from double and Constant and has + - * /, comparison to a mask, Select, Abs and the
// functions of elementary-inl.h. N::Scaled is a number with a separate binary exponent, for results
// that may leave float64's range before they are rounded; here it is the number itself.
#include "hwy/highway.h"
#include "server/engine/coefficients.h"

#if defined(ACTIVATION_SERVER_ENGINE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#undef ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct Lanes {
  using V = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  using Scaled = Lanes;
  // Largest |z| for which a function takes the first terms of its series because the sign of the
  // term after an exact one matters; 0: no need.
  static constexpr double kSeriesBelow = 0;
  // Terms of a Taylor series on [-1, 1] of the sine's kind that reach the precision.
  static constexpr int kSeriesTerms = 9;

  V v;

  HWY_INLINE Lanes(V value) : v(value) {}
  HWY_INLINE Lanes(double value) : v(hn::Set(D(), value)) {}
  HWY_INLINE Lanes(const Constant& value) : v(hn::Set(D(), value.part[0])) {}

  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a) { return hn::Neg(a.v); }
  friend HWY_INLINE Mask operator<(Lanes a, Lanes b) { return hn::Lt(a.v, b.v); }
  friend HWY_INLINE Mask operator==(Lanes a, Lanes b) { return hn::Eq(a.v, b.v); }
};

template <class D>
HWY_INLINE Lanes<D> Abs(Lanes<D> a) {
  return hn::Abs(a.v);
}

template <class D>
HWY_INLINE Lanes<D> Select(hn::Mask<D> mask, Lanes<D> yes, Lanes<D> no) {
  return hn::IfThenElse(mask, yes.v, no.v);
}

template <class D>
HWY_INLINE Lanes<D> CopySign(Lanes<D> magnitude, Lanes<D> sign) {
  return hn::CopySign(magnitude.v, sign.v);
}

// The number behind a Scaled, never rounded to 0 unless it is 0.
template <class D>
HWY_INLINE Lanes<D> Unscaled(Lanes<D> a) {
  return a;
}

// 2^k for integral k in [-1022, 1023].
template <class D>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, hn::Vec<D> k) {
  // The sum's low bits are k + 1023, the exponent field.
  const hn::RebindToUnsigned<D> du;
  const auto biased = hn::Add(k, hn::Set(d, 0x1.8p52 + 1023));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, biased)));
}

// c[0] + r c[1] + r^2 c[2] ..., by Horner's rule.
template <class D, size_t kCount>
HWY_INLINE Lanes<D> Polynomial(Lanes<D> r, const double (&c)[kCount]) {
  const D d;
  auto sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) sum = hn::MulAdd(sum, r.v, hn::Set(d, c[i]));
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
