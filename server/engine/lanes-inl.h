// Number type 1 of 4: a vector of float64 lanes, for the fast path.
//
// Every kernel is written once, over a number type N, and instantiated four times:
//   Lanes           float64 lanes                 error 2^-42   float32, before the rounding test
//   QuickPairs      pairs of float64 lanes        error 2^-63   float64, before the rounding test
//   DoubleDouble    pairs of float64 lanes        error 2^-91   all else
//   Multiprecision  240 bits, exponents unbounded error 2^-200  where those can't decide
// (tests/accuracy/bounds_test.cc holds every kernel of the first three against these bounds.)
// N converts from double and Constant and has + - * /, comparison to a mask, Select, Abs and the
// functions of elementary-inl.h. N::Scaled is a number with a separate binary exponent, for results
// that may leave float64's range before they are rounded; here it is the number itself.
#include <cstddef>
#include <utility>

#include "hwy/highway.h"
#include "server/engine/coefficients.h"
#include "server/engine/sized_vectors-inl.h"

#if defined(ACTIVATION_SERVER_ENGINE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#undef ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_LANES_INL_H_
#endif

// Lambdas that the compiler must not leave as calls.
#undef ACTIVATION_LAMBDA
#define ACTIVATION_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// kCount vectors that go through every operation side by side, so that the arithmetic of one hides
// the latency of the others.
template <class D, size_t kCount = 1>
struct Lanes {
  using V = SizedVec<D>;
  using Scaled = Lanes;
  struct Mask {
    SizedMask<D> m[kCount];
    HWY_INLINE operator hn::Mask<D>() const requires(kCount == 1) { return m[0]; }
  };
  // Largest |z| for which a function takes the first terms of its series because the sign of the
  // term after an exact one matters; 0: no need.
  static constexpr double kSeriesBelow = 0;
  // Whether results below 2^-280 count as 0, since no product with a float32 lifts them to one.
  static constexpr bool kIsFast = true;
  // Whether products don't underflow.
  static constexpr bool kHasAnyExponent = false;
  // Terms of a Taylor series on [-1, 1] of the sine's kind that reach the precision.
  static constexpr int kSeriesTerms = 9;

  V v[kCount];

  // function(i) for each vector i.
  template <class Function>
  static HWY_INLINE Lanes Each(Function function) {
    Lanes result;
    ForEach([&](size_t i) ACTIVATION_LAMBDA { result.v[i] = function(i); });
    return result;
  }
  template <class Function>
  static HWY_INLINE Mask EachMask(Function function) {
    Mask result;
    ForEach([&](size_t i) ACTIVATION_LAMBDA { result.m[i] = function(i); });
    return result;
  }
  // A loop that is always unrolled, so that the arrays live in registers.
  template <class Function>
  static HWY_INLINE void ForEach(Function function) {
    [&]<size_t... i>(std::index_sequence<i...>) ACTIVATION_LAMBDA { (function(i), ...); }
    (std::make_index_sequence<kCount>());
  }

  HWY_INLINE Lanes() = default;
  // Vector by vector, since GCC leaves copies of whole arrays in memory and moves 16 bytes of them
  // at a time, which AVX2 then waits for.
  HWY_INLINE Lanes(const Lanes& other) {
    ForEach([&](size_t i) ACTIVATION_LAMBDA { v[i] = other.v[i]; });
  }
  HWY_INLINE Lanes& operator=(const Lanes& other) {  // NOLINT(bugprone-unhandled-self-assignment)
    ForEach([&](size_t i) ACTIVATION_LAMBDA { v[i] = other.v[i]; });
    return *this;
  }
  HWY_INLINE Lanes(V value) requires(kCount == 1) : v{value} {}
  HWY_INLINE Lanes(double value)
      : Lanes(Each([value](size_t) ACTIVATION_LAMBDA { return hn::Set(D(), value); })) {}
  HWY_INLINE Lanes(const Constant& value) : Lanes(value.part[0]) {}

  friend HWY_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    return Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Add(a.v[i], b.v[i]); });
  }
  friend HWY_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
    return Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Sub(a.v[i], b.v[i]); });
  }
  friend HWY_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    return Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Mul(a.v[i], b.v[i]); });
  }
  friend HWY_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
    return Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Div(a.v[i], b.v[i]); });
  }
  // By the reciprocal, which is a normal number.
  friend HWY_INLINE Lanes operator/(const Lanes& a, double b) { return a * Lanes(1 / b); }
  friend HWY_INLINE Lanes operator-(const Lanes& a) {
    return Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Neg(a.v[i]); });
  }
  friend HWY_INLINE Mask operator<(const Lanes& a, const Lanes& b) {
    return EachMask([&](size_t i) ACTIVATION_LAMBDA { return hn::Lt(a.v[i], b.v[i]); });
  }
  friend HWY_INLINE Mask operator==(const Lanes& a, const Lanes& b) {
    return EachMask([&](size_t i) ACTIVATION_LAMBDA { return hn::Eq(a.v[i], b.v[i]); });
  }
};

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Abs(const Lanes<D, kCount>& a) {
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Abs(a.v[i]); });
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Select(const typename Lanes<D, kCount>::Mask& mask,
                                   const Lanes<D, kCount>& yes, const Lanes<D, kCount>& no) {
  return Lanes<D, kCount>::Each(
      [&](size_t i) ACTIVATION_LAMBDA { return hn::IfThenElse(mask.m[i], yes.v[i], no.v[i]); });
}

template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> CopySign(const Lanes<D, kCount>& magnitude,
                                     const Lanes<D, kCount>& sign) {
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA {
    return hn::CopySign(hn::Vec<D>(magnitude.v[i]), hn::Vec<D>(sign.v[i]));
  });
}

// function(a), of at most four vectors at a time: where more intermediate results are alive than
// the registers hold.
template <class D, size_t kCount, class Function>
HWY_INLINE Lanes<D, kCount> ByFour(const Lanes<D, kCount>& a, Function function) {
  if constexpr (kCount <= 4) {
    return function(a);
  } else {
    using Part = Lanes<D, 4>;
    static_assert(kCount % 4 == 0);
    Lanes<D, kCount> result;
    [&]<size_t... part>(std::index_sequence<part...>) ACTIVATION_LAMBDA {
      const auto run = [&]<size_t first>(std::integral_constant<size_t, first>) ACTIVATION_LAMBDA {
        const Part done =
            function(Part::Each([&](size_t i) ACTIVATION_LAMBDA { return a.v[first + i]; }));
        Part::ForEach([&](size_t i) ACTIVATION_LAMBDA { result.v[first + i] = done.v[i]; });
      };
      (run(std::integral_constant<size_t, 4 * part>()), ...);
    }
    (std::make_index_sequence<kCount / 4>());
    return result;
  }
}

// The smaller and the larger of a and a bound; NaN stays NaN.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Min(double bound, const Lanes<D, kCount>& a) {
#if HWY_TARGET == HWY_SCALAR  // whose Min and Max prefer a number to NaN
  return Select(Lanes<D, kCount>(bound) < a, Lanes<D, kCount>(bound), a);
#else
  const auto limit = hn::Set(D(), bound);  // first, since x86 returns the second if one is NaN
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Min(limit, a.v[i]); });
#endif
}
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Max(double bound, const Lanes<D, kCount>& a) {
#if HWY_TARGET == HWY_SCALAR
  return Select(a < Lanes<D, kCount>(bound), Lanes<D, kCount>(bound), a);
#else
  const auto limit = hn::Set(D(), bound);
  return Lanes<D, kCount>::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::Max(limit, a.v[i]); });
#endif
}

// z in [-limit, limit]; NaN stays NaN.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Clamp(const Lanes<D, kCount>& z, double limit) {
  return Max(-limit, Min(limit, z));
}

// a * b + c, rounded once where the target can.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> MulAdd(const Lanes<D, kCount>& a, const Lanes<D, kCount>& b,
                                   const Lanes<D, kCount>& c) {
  return Lanes<D, kCount>::Each(
      [&](size_t i) ACTIVATION_LAMBDA { return hn::MulAdd(a.v[i], b.v[i], c.v[i]); });
}

// c - a * b, rounded once where the target can.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> NegMulAdd(const Lanes<D, kCount>& a, const Lanes<D, kCount>& b,
                                      const Lanes<D, kCount>& c) {
  return Lanes<D, kCount>::Each(
      [&](size_t i) ACTIVATION_LAMBDA { return hn::NegMulAdd(a.v[i], b.v[i], c.v[i]); });
}

// The number behind a Scaled, never rounded to 0 unless it is 0.
template <class D, size_t kCount>
HWY_INLINE Lanes<D, kCount> Unscaled(const Lanes<D, kCount>& a) {
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
template <class D, size_t kCount, size_t kTerms>
HWY_INLINE Lanes<D, kCount> Polynomial(const Lanes<D, kCount>& r, const double (&c)[kTerms]) {
  using N = Lanes<D, kCount>;
  return [&]<size_t... i>(std::index_sequence<i...>) ACTIVATION_LAMBDA {
    N sum = c[kTerms - 1];
    ((sum = MulAdd(sum, r, N(c[kTerms - 2 - i]))), ...);  // NOLINT(google-readability-casting)
    return sum;
  }
  (std::make_index_sequence<kTerms - 1>());
}

// c[kFirst] + square c[kFirst + 2] + square^2 c[kFirst + 4] ...
template <size_t kFirst, class D, size_t kCount, size_t kTerms>
HWY_INLINE Lanes<D, kCount> EverySecondTerm(const Lanes<D, kCount>& square,
                                            const double (&c)[kTerms]) {
  using N = Lanes<D, kCount>;
  constexpr size_t kSteps = (kTerms - 1 - kFirst) / 2;
  return [&]<size_t... i>(std::index_sequence<i...>) ACTIVATION_LAMBDA {
    N sum = c[kFirst + 2 * kSteps];
    ((sum = MulAdd(sum, square, N(c[kFirst + 2 * (kSteps - 1 - i)]))), ...);  // NOLINT: as above
    return sum;
  }
  (std::make_index_sequence<kSteps>());
}

// Polynomial(r, c) in half as long a chain of operations, given r^2.
template <class D, size_t kCount, size_t kTerms>
HWY_INLINE Lanes<D, kCount> PolynomialInHalves(const Lanes<D, kCount>& r,
                                               const Lanes<D, kCount>& square,
                                               const double (&c)[kTerms]) {
  return MulAdd(r, EverySecondTerm<1>(square, c), EverySecondTerm<0>(square, c));
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
