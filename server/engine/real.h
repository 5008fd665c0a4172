// A GNU MPFR number that frees what it has taken. MPFR's functions work on get().
#ifndef ACTIVATION_SERVER_ENGINE_REAL_H_
#define ACTIVATION_SERVER_ENGINE_REAL_H_

#include <mpfr.h>

namespace activation::engine {

class Real {
 public:
  // 0, with this many bits.
  explicit Real(mpfr_prec_t bits) {
    mpfr_init2(v_, bits);
    mpfr_set_zero(v_, 1);
  }
  // Copies take over the other's bits.
  Real(const Real& other) {
    mpfr_init2(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    if (this == &other) return *this;
    mpfr_set_prec(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(v_); }

  mpfr_ptr get() { return v_; }
  mpfr_srcptr get() const { return v_; }
  int Sign() const { return mpfr_sgn(v_); }

 private:
  mpfr_t v_;
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_REAL_H_
