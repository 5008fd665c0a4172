// Owners of the three number types of FLINT and Arb that the oracle computes with: each initialises
// in its constructor, clears in its destructor, and copies by value. The library's own functions do
// the arithmetic, on get().
//
//   Ball      a real number that is known to lie in [mid - rad, mid + rad] (arb_t)
//   Dyadic    an exact m * 2^e of any size (arf_t)
//   Rational  an exact quotient (fmpq_t)
#ifndef ACTIVATION_TESTS_SUPPORT_BALL_H_
#define ACTIVATION_TESTS_SUPPORT_BALL_H_

#include <arb.h>
#include <arf.h>
#include <flint/fmpq.h>

namespace activation::oracle {

// T is one of the library's arrays of one struct; the functions are its init, clear, set and swap.
template <typename T, auto kInit, auto kClear, auto kSet, auto kSwap>
class Owned {
 public:
  Owned() { kInit(value_); }
  ~Owned() { kClear(value_); }
  Owned(const Owned& other) : Owned() { kSet(value_, other.value_); }
  Owned(Owned&& other) noexcept : Owned() { kSwap(value_, other.value_); }
  Owned& operator=(const Owned& other) {
    kSet(value_, other.value_);
    return *this;
  }
  Owned& operator=(Owned&& other) noexcept {
    kSwap(value_, other.value_);
    return *this;
  }

  T& get() { return value_; }
  const T& get() const { return value_; }

 private:
  T value_;
};

namespace internal {
inline void InitArb(arb_t x) { arb_init(x); }
inline void ClearArb(arb_t x) { arb_clear(x); }
inline void SetArb(arb_t x, const arb_t y) { arb_set(x, y); }
inline void SwapArb(arb_t x, arb_t y) { arb_swap(x, y); }
inline void InitArf(arf_t x) { arf_init(x); }
inline void ClearArf(arf_t x) { arf_clear(x); }
inline void SetArf(arf_t x, const arf_t y) { arf_set(x, y); }
inline void SwapArf(arf_t x, arf_t y) { arf_swap(x, y); }
inline void InitFmpq(fmpq_t x) { fmpq_init(x); }
inline void ClearFmpq(fmpq_t x) { fmpq_clear(x); }
inline void SetFmpq(fmpq_t x, const fmpq_t y) { fmpq_set(x, y); }
inline void SwapFmpq(fmpq_t x, fmpq_t y) { fmpq_swap(x, y); }
}  // namespace internal

using Ball =
    Owned<arb_t, internal::InitArb, internal::ClearArb, internal::SetArb, internal::SwapArb>;
using Dyadic =
    Owned<arf_t, internal::InitArf, internal::ClearArf, internal::SetArf, internal::SwapArf>;
using Rational =
    Owned<fmpq_t, internal::InitFmpq, internal::ClearFmpq, internal::SetFmpq, internal::SwapFmpq>;

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_BALL_H_
