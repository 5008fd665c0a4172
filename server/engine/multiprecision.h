// Number type 4 of 4: GNU MPFR at 240 bits, for the few inputs that pairs of float64 can't decide:
// the numbers next to a root of the derivative, sin of huge arguments, intermediate results outside
// float64's exponents. The kernels are those of the other types.
//
// A Constant has 265 bits, so that it does not limit the result. A number may be read by many
// threads while none changes it.
#ifndef ACTIVATION_SERVER_ENGINE_MULTIPRECISION_H_
#define ACTIVATION_SERVER_ENGINE_MULTIPRECISION_H_

#include <vector>

#include "server/engine/coefficients.h"
#include "server/engine/real.h"

namespace activation::engine {

class Multiprecision {
 public:
  using Mask = bool;
  using Scaled = Multiprecision;
  static constexpr double kSeriesBelow = 0;
  static constexpr bool kIsFast = false;
  static constexpr bool kHasAnyExponent = true;
  static constexpr int kSeriesTerms = 29;
  static constexpr mpfr_prec_t kBits = 240;

  // While it lives, this thread's new numbers have more bits: for an argument that is the sum of
  // two float64 far apart, of which the sine of a large one sees every bit.
  class WithMoreBits {
   public:
    explicit WithMoreBits(mpfr_prec_t more) { current_bits = kBits + more; }
    ~WithMoreBits() { current_bits = kBits; }
    WithMoreBits(const WithMoreBits&) = delete;
    WithMoreBits& operator=(const WithMoreBits&) = delete;
  };

  Multiprecision(double value) : Multiprecision() { mpfr_set_d(get(), value, MPFR_RNDN); }
  Multiprecision(const Constant& value) : Multiprecision() {
    for (double part : value.part) mpfr_add_d(get(), get(), part, MPFR_RNDN);
  }
  // Named, so that there are no moves, which would copy all the same.
  Multiprecision(const Multiprecision&) = default;
  Multiprecision& operator=(const Multiprecision&) = default;

  friend Multiprecision operator+(const Multiprecision& a, const Multiprecision& b) {
    return Binary(mpfr_add, a, b);
  }
  friend Multiprecision operator-(const Multiprecision& a, const Multiprecision& b) {
    return Binary(mpfr_sub, a, b);
  }
  friend Multiprecision operator*(const Multiprecision& a, const Multiprecision& b) {
    return Binary(mpfr_mul, a, b);
  }
  friend Multiprecision operator/(const Multiprecision& a, const Multiprecision& b) {
    return Binary(mpfr_div, a, b);
  }
  friend Multiprecision operator-(const Multiprecision& a) { return Unary(mpfr_neg, a); }
  friend bool operator<(const Multiprecision& a, const Multiprecision& b) {
    return mpfr_less_p(a.get(), b.get()) != 0;
  }
  friend bool operator==(const Multiprecision& a, const Multiprecision& b) {
    return mpfr_equal_p(a.get(), b.get()) != 0;
  }

  static Multiprecision PowerOfTwo(long exponent) {
    Multiprecision result;
    mpfr_set_ui_2exp(result.get(), 1, exponent, MPFR_RNDN);
    return result;
  }

  using UnaryFunction = int(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  static Multiprecision Unary(UnaryFunction* function, const Multiprecision& a) {
    Multiprecision result;
    function(result.get(), a.get(), MPFR_RNDN);
    return result;
  }

  // The number as m * 2^exponent with 1/2 <= |m| < 1, m to double precision; for 0, infinity and
  // NaN the exponent is 0.
  double Split(long* exponent) const { return mpfr_get_d_2exp(exponent, get(), MPFR_RNDN); }
  mpfr_srcptr get() const { return real_.get(); }
  mpfr_ptr get() { return real_.get(); }

 private:
  using BinaryFunction = int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

  Multiprecision() : real_(current_bits) {}
  static Multiprecision Binary(BinaryFunction* function, const Multiprecision& a,
                               const Multiprecision& b) {
    Multiprecision result;
    function(result.get(), a.get(), b.get(), MPFR_RNDN);
    return result;
  }

  static inline thread_local mpfr_prec_t current_bits = kBits;
  Real real_;
};

inline Multiprecision Abs(const Multiprecision& a) { return Multiprecision::Unary(mpfr_abs, a); }
inline Multiprecision Select(bool mask, const Multiprecision& yes, const Multiprecision& no) {
  return mask ? yes : no;
}
inline Multiprecision CopySign(const Multiprecision& magnitude, const Multiprecision& sign) {
  return mpfr_signbit(sign.get()) != 0 ? -magnitude : magnitude;
}
// MPFR's exponents end at +-2^30: what has underflowed even there is small enough if not quite 0.
inline Multiprecision Unscaled(const Multiprecision& a) {
  return a == 0.0 ? Multiprecision::PowerOfTwo(-(1L << 29)) : a;
}

// The elementary functions that elementary-inl.h has for the other types.
inline Multiprecision ExpScaled(const Multiprecision& z) {
  return Multiprecision::Unary(mpfr_exp, z);
}
inline Multiprecision Expm1(const Multiprecision& z) {
  return Multiprecision::Unary(mpfr_expm1, z);
}
inline Multiprecision Log1p(const Multiprecision& u) {
  return Multiprecision::Unary(mpfr_log1p, u);
}
inline Multiprecision Sin(const Multiprecision& z) { return Multiprecision::Unary(mpfr_sin, z); }
inline Multiprecision Sqrt(const Multiprecision& a) { return Multiprecision::Unary(mpfr_sqrt, a); }
inline Multiprecision Cos(const Multiprecision& z) { return Multiprecision::Unary(mpfr_cos, z); }
// Q(t) / phi(t) for t >= 0.
inline Multiprecision Mills(const Multiprecision& t) {
  const Multiprecision square_half = t * t / 2.0;
  return Multiprecision::Unary(mpfr_erfc, t * kInvSqrt2) *
         Multiprecision::Unary(mpfr_exp, square_half) * kSqrtPiOver2;
}
// 1 / n!
inline const Multiprecision& InverseFactorial(const Multiprecision&, int n) {
  static const auto& all = *[] {
    auto* table = new std::vector<Multiprecision>{1.0};
    for (int i = 1; i <= 2 * Multiprecision::kSeriesTerms + 1; ++i) {
      table->push_back(table->back() / static_cast<double>(i));
    }
    return table;
  }();
  return all[n];
}

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_MULTIPRECISION_H_
