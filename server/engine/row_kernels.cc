#include "server/engine/row_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

// Calls f(vector, index of its first element, elements that are not padding) for all of x.
template <class F>
HWY_INLINE void ForEachVector(const double* x, size_t count, double padding, F f) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) f(hn::LoadU(d, x + i), i, lanes);
  if (i == count) return;
  HWY_ALIGN double rest[hn::MaxLanes(d)];
  std::fill(rest, rest + lanes, padding);
  std::copy(x + i, x + count, rest);
  f(hn::Load(d, rest), i, count - i);
}

double LargestOfTarget(const double* x, size_t count) {
  const D d;
  const auto infinity = hn::Inf(d);
  auto largest = hn::Neg(infinity);
  auto defined = hn::Eq(infinity, infinity);
  ForEachVector(x, count, -HUGE_VAL, [&](auto v, size_t, size_t) HWY_ATTR {
    defined = hn::And(defined, hn::Lt(v, infinity));  // false for NaN
    largest = hn::Max(largest, v);
  });
  if (!hn::AllTrue(d, defined)) return NAN;
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

double ExpAndSumOfTarget(const double* x, double largest, double* powers, size_t count) {
  const D d;
  const auto shift = hn::Set(d, largest);
  auto sum = hn::Zero(d);
  ForEachVector(x, count, -HUGE_VAL, [&](auto v, size_t i, size_t used) HWY_ATTR {
    const auto power = ExpScaled(Lanes<D>(hn::Sub(v, shift))).v[0];
    sum = hn::Add(sum, power);
    if (used == hn::Lanes(d)) {
      hn::StoreU(power, d, powers + i);
      return;
    }
    HWY_ALIGN double rest[hn::MaxLanes(d)];
    hn::Store(power, d, rest);
    std::copy(rest, rest + used, powers + i);
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

bool RoundToFloat32OfTarget(const double* low, const double* high, std::byte* output,
                            size_t count) {
  [[maybe_unused]] const D d;
  const hn::Rebind<float, D> d32;
  const hn::RebindToUnsigned<decltype(d32)> bits;  // in which 0 and -0 differ
  float* out = reinterpret_cast<float*>(output);
  auto same = hn::Eq(hn::Zero(bits), hn::Zero(bits));
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR  // DemoteTo saturates there
  for (const size_t lanes = hn::Lanes(d); i + lanes <= count; i += lanes) {
    const auto rounded = hn::DemoteTo(d32, hn::LoadU(d, low + i));
    const auto other = hn::DemoteTo(d32, hn::LoadU(d, high + i));
    same = hn::And(same, hn::Eq(hn::BitCast(bits, rounded), hn::BitCast(bits, other)));
    hn::StoreU(rounded, d32, out + i);
  }
#endif
  bool rest_same = true;
  for (; i < count; ++i) {
    const float rounded = static_cast<float>(low[i]), other = static_cast<float>(high[i]);
    rest_same &= std::bit_cast<uint32_t>(rounded) == std::bit_cast<uint32_t>(other);
    std::memcpy(out + i, &rounded, sizeof(float));
  }
  return rest_same && hn::AllTrue(bits, same);
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
namespace {

HWY_EXPORT(ExpOfTarget);
HWY_EXPORT(Log1pOfTarget);
HWY_EXPORT(LargestOfTarget);
HWY_EXPORT(ExpAndSumOfTarget);
HWY_EXPORT(RoundToFloat32OfTarget);

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

double LargestOf(const double* x, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestOfTarget)(x, count);
}

double ExpAndSum(const double* x, double largest, double* powers, size_t count) {
  return HWY_DYNAMIC_DISPATCH(ExpAndSumOfTarget)(x, largest, powers, count);
}

bool RoundToFloat32(const double* low, const double* high, std::byte* output, size_t count) {
  return HWY_DYNAMIC_DISPATCH(RoundToFloat32OfTarget)(low, high, output, count);
}

}  // namespace activation::engine
#endif  // HWY_ONCE
