#include "server/engine/row_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/row_kernels.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "server/engine/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using N = DoubleDouble<D>;

void ExpOfTarget(PreciseBlock& block, size_t count) {
  const D d;
  static_assert(kLeastExponent == -ScaledDoubleDouble<D>::kMaxExponent);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto e = ExpScaled(N(hn::Load(d, block.hi + i), hn::Load(d, block.lo + i)));
    hn::Store(e.value.hi, d, block.hi + i);
    hn::Store(e.value.lo, d, block.lo + i);
    hn::Store(e.exponent, d, block.exponent + i);
  }
}

void Log1pOfTarget(PreciseBlock& block, size_t count) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const N log = Log1p(N(hn::Load(d, block.hi + i), hn::Load(d, block.lo + i)));
    hn::Store(log.hi, d, block.hi + i);
    hn::Store(log.lo, d, block.lo + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
namespace {

HWY_EXPORT(ExpOfTarget);
HWY_EXPORT(Log1pOfTarget);

// The last vector may reach beyond `count`.
void Pad(PreciseBlock& block, size_t count) {
  const size_t padded = (count + kPadding - 1) / kPadding * kPadding;
  std::fill(block.hi + count, block.hi + padded, 0.0);
  std::fill(block.lo + count, block.lo + padded, 0.0);
}

}  // namespace

void ExpBlock(PreciseBlock& block, size_t count) {
  Pad(block, count);
  HWY_DYNAMIC_DISPATCH(ExpOfTarget)(block, count);
}

void Log1pBlock(PreciseBlock& block, size_t count) {
  Pad(block, count);
  HWY_DYNAMIC_DISPATCH(Log1pOfTarget)(block, count);
}

}  // namespace activation::engine
#endif  // HWY_ONCE
