// The kernels over pairs of float64, one table per instruction set.
#include "server/engine/kernels_precise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/kernels_precise.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "server/engine/activations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

template <class A, int kRow>
void Precise(const double* parameters, PreciseBlock& block, size_t count) {
  using D = hn::ScalableTag<double>;
  using N = DoubleDouble<D>;
  const D d;
  const auto zero = hn::Zero(d);
  const auto infinity = hn::Inf(d);
  // Cancellation of more than 35 bits leaves too few.
  const auto cancelled = hn::Set(d, 0x1p-35);
  // Below this lo may have lost bits to underflow, in the result or on the way from such an x.
  const auto tiny = hn::Set(d, 0x1p-900);
  // Where |x| lies between these, no result that is not 0 underflows to 0.
  const auto low = hn::Set(d, 0x1p-300), high = hn::Set(d, 0x1p300);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::Load(d, block.x + i);
    const Result<N> result = Apply<A, kRow>(N(x, hn::Load(d, block.x_lo + i)), parameters);
    const N value = result.value.value;
    hn::Vec<D> hi = value.hi;
    const auto size = hn::Abs(hi);
    const auto is_zero = hn::Eq(hi, zero);
    if (!hn::AllFalse(d, is_zero)) {
      // Sums of pairs lose the sign of zero; plain arithmetic has it.
      const Result<Lanes<D>> lanes = Apply<A, kRow>(Lanes<D>(x), parameters);
      const hn::Vec<D> sign = lanes.value.v[0];
      hi = hn::IfThenElse(is_zero, hn::CopySign(hi, sign), hi);
    }
    // Each comparison is false for NaN.
    const auto finite = hn::And(hn::Lt(size, infinity), hn::Lt(hn::Abs(value.lo), infinity));
    const auto kept = hn::Ge(size, hn::Mul(cancelled, hn::Abs(result.magnitude.value.hi)));
    const auto exact_zero = hn::And(
        is_zero,
        hn::Or(hn::Eq(x, zero), hn::And(hn::Ge(hn::Abs(x), low), hn::Le(hn::Abs(x), high))));
    const auto normal = hn::And(hn::Or(hn::Ge(size, tiny), exact_zero),
                                hn::Or(hn::Ge(hn::Abs(x), tiny), hn::Eq(x, zero)));
    hn::Store(hn::IfThenElse(hn::And(hn::And(finite, kept), normal), hi, hn::NaN(d)), d,
              block.hi + i);
    hn::Store(value.lo, d, block.lo + i);
    hn::Store(result.value.exponent, d, block.exponent + i);
  }
}

template <class A, int kRow>
constexpr PreciseKernel RowOf() {
  if constexpr (kRow < kRowsOf<A>) {
    return Precise<A, kRow>;
  } else {
    return nullptr;
  }
}

template <class List>
struct PreciseTable;
template <class... A>
struct PreciseTable<std::tuple<A...>> {
  static constexpr PreciseKernel kAll[][kRows] = {{RowOf<A, 0>(), RowOf<A, 1>(), RowOf<A, 2>(),
                                                   RowOf<A, 3>(), RowOf<A, 4>(), RowOf<A, 5>()}...};
};
static_assert(kRows == 6, "list every row above");

std::span<const PreciseKernel[kRows]> PreciseKernelsOfTarget() {
  return PreciseTable<Activations>::kAll;
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
HWY_EXPORT(PreciseKernelsOfTarget);

std::span<const PreciseKernel[kRows]> PreciseKernels() {
  return HWY_DYNAMIC_DISPATCH(PreciseKernelsOfTarget)();
}

}  // namespace activation::engine
#endif  // HWY_ONCE
