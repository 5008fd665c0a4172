// The float32 kernels over float64 lanes, one table per instruction set.
//
// v is the value in float64, off by at most 2^-40 of the result's magnitude. If both ends of that
// interval round to the same float32, so does the exact value (Ziv's rounding test; A. Ziv, "Fast
// evaluation of elementary mathematical functions with correctly rounded last bit", ACM TOMS 17(3),
// 1991). Otherwise, and for NaN and infinity, the lane goes to the refiner.
#include <cmath>
#include <cstring>

#include "server/engine/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/kernels_fast.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "server/engine/activations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

using D64 = hn::ScalableTag<double>;
using D32 = hn::Rebind<float, D64>;

// To float32, overflowing to infinity.
HWY_INLINE hn::Vec<D32> Narrow(hn::Vec<D64> value) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(D32(), static_cast<float>(hn::GetLane(value)));  // DemoteTo saturates there
#else
  return hn::DemoteTo(D32(), value);
#endif
}

// One vector: loads at x and upstream, stores at out.
template <class A, int kRow, bool kUpstream>
HWY_INLINE void FastVector(const double* parameters, const float* x, const float* upstream,
                           float* out, const Refiner& refiner) {
  const D64 d;
  const D32 d32;
  const auto zero = hn::Zero(d);
  const auto narrow = hn::LoadU(d32, x);
  const auto wide = hn::PromoteTo(d, narrow);
  const auto result = Apply<A, kRow>(Lanes<D64>(wide), parameters);
  auto value = result.value.v;
  auto margin = hn::Mul(hn::Abs(result.magnitude.v), hn::Set(d, 0x1p-40));
  if constexpr (kRow == kDerivativeRow) {
    value = hn::IfThenElse(hn::And(hn::Eq(value, zero), hn::Eq(wide, zero)), zero, value);
  } else if constexpr (!A::kSpec.positive_zero) {
    value = hn::IfThenElse(hn::And(hn::Eq(value, zero), hn::Eq(wide, zero)), wide, value);
  }
  if constexpr (kUpstream) {
    const auto factor = hn::PromoteTo(d, hn::LoadU(d32, upstream));
    value = hn::Mul(value, factor);
    margin = hn::Mul(margin, hn::Abs(factor));
  }
  const auto rounded = Narrow(value);
  // The negation is true for NaN; an infinite x makes |x| < inf false.
  const auto decided =
      hn::And(hn::Eq(Narrow(hn::Sub(value, margin)), Narrow(hn::Add(value, margin))),
              hn::Lt(hn::Abs(narrow), hn::Set(d32, HUGE_VALF)));
  hn::StoreU(rounded, d32, out);
  if (HWY_UNLIKELY(!hn::AllTrue(d32, decided))) {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d32, hn::Not(decided), bits);
    refiner.refine(refiner.context, x, kUpstream ? upstream : nullptr, out,
                   bits[0] | unsigned{bits[1]} << 8);
  }
}

template <class A, int kRow, bool kUpstream>
void FastLoop(const double* parameters, const float* x, const float* upstream, float* out,
              size_t count, const Refiner& refiner) {
  const size_t lanes = hn::Lanes(D32());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    FastVector<A, kRow, kUpstream>(parameters, x + i, kUpstream ? upstream + i : nullptr, out + i,
                                   refiner);
  }
  if (i == count) return;
  // The last ones in a vector of their own, so that they get the same bits as those before.
  float tail_x[kPadding] = {}, tail_upstream[kPadding] = {}, tail_out[kPadding];
  const size_t bytes = (count - i) * sizeof(float);
  std::memcpy(tail_x, x + i, bytes);
  if constexpr (kUpstream) std::memcpy(tail_upstream, upstream + i, bytes);
  FastVector<A, kRow, kUpstream>(parameters, tail_x, tail_upstream, tail_out, refiner);
  std::memcpy(out + i, tail_out, bytes);
}

template <class A, int kRow>
void Fast(const double* parameters, const std::byte* input, const std::byte* upstream,
          std::byte* output, size_t count, const Refiner& refiner) {
  const float* x = reinterpret_cast<const float*>(input);
  const float* factors = reinterpret_cast<const float*>(upstream);
  float* out = reinterpret_cast<float*>(output);
  if (upstream == nullptr) {
    FastLoop<A, kRow, false>(parameters, x, factors, out, count, refiner);
  } else {
    FastLoop<A, kRow, true>(parameters, x, factors, out, count, refiner);
  }
}

template <class List>
struct FastTable;
template <class... A>
struct FastTable<std::tuple<A...>> {
  static constexpr FastKernel kAll[][kFirstParameterRow] = {
      {Fast<A, kValueRow>, Fast<A, kDerivativeRow>}...};
};

std::span<const FastKernel[kFirstParameterRow]> FastKernelsOfTarget() {
  return FastTable<Activations>::kAll;
}
const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "server/engine/engine.h"

namespace activation::engine {
HWY_EXPORT(FastKernelsOfTarget);
HWY_EXPORT(NameOfTarget);

std::span<const FastKernel[kFirstParameterRow]> FastKernels() {
  return HWY_DYNAMIC_DISPATCH(FastKernelsOfTarget)();
}

const char* SimdTarget() { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

}  // namespace activation::engine
#endif  // HWY_ONCE
