// Rounds groups of float64 values to float32 and tells which of them that may have rounded wrongly:
// the rounding test of kernels_fast.cc, and what becomes of a group that does not pass it.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "server/engine/kernels.h"
#include "server/engine/lanes-inl.h"
#include "server/engine/operation.h"

#if defined(ACTIVATION_SERVER_ENGINE_ROUND_TO_FLOAT32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ROUND_TO_FLOAT32_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ROUND_TO_FLOAT32_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ROUND_TO_FLOAT32_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using D32 = hn::Rebind<float, D64>;

// Vectors side by side.
inline constexpr size_t kVectors = HWY_TARGET == HWY_SCALAR ? 1 : 8;
using Fast = Lanes<D64, kVectors>;
inline constexpr size_t kGroup = kVectors * HWY_LANES(double);
static_assert(kGroup <= kMaxGroup);

// The error bound of values (which tests/accuracy/bounds_test.cc holds every kernel against): 2^-42
// of them is at most 2^11 of their last places.
inline constexpr uint64_t kMargin = uint64_t{1} << 11;
// The bits of a float64 below the last one of a float32, and the middle between two float32.
inline constexpr uint64_t kBelow = (uint64_t{1} << 29) - 1;
inline constexpr uint64_t kMiddle = uint64_t{1} << 28;
// The same bound for a Result, relative to its magnitude.
inline constexpr double kRelativeMargin = 0x1p-42;

// To float32, overflowing to infinity.
HWY_INLINE hn::Vec<D32> Narrow(hn::Vec<D64> value) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(D32(), static_cast<float>(hn::GetLane(value)));  // DemoteTo saturates there
#else
  return hn::DemoteTo(D32(), value);
#endif
}

// A full vector of float32, which comes from several of float64.
using Out = hn::ScalableTag<float>;
using OutBits = hn::RebindToUnsigned<Out>;
inline constexpr size_t kVectorsPerOut = HWY_LANES(float) / HWY_LANES(double);
HWY_INLINE hn::Vec<Out> NarrowToOut(const Fast& value, size_t index) {
#if HWY_TARGET == HWY_SCALAR
  return Narrow(value.v[index]);
#else
  return hn::Combine(Out(), Narrow(value.v[2 * index + 1]), Narrow(value.v[2 * index]));
#endif
}

// Bits of which all in kDecidingBits are 0 where the error bound reaches the middle between two
// float32, if those are normal numbers.
inline constexpr uint64_t kDecidingBits = kBelow - (2 * kMargin - 1);
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D64>> FromMiddle(hn::Vec<D64> value) {
  const hn::RebindToUnsigned<D64> d;
  return hn::Add(hn::BitCast(d, value), hn::Set(d, kMargin - kMiddle));
}
// The same for what may not be rounded as a normal number: up to the smallest of those, and NaN.
inline constexpr uint32_t kNormalBits = 0x7f000000;
HWY_INLINE hn::Vec<OutBits> FromNormal(hn::Vec<Out> value) {
  const OutBits d;
  return hn::Add(hn::BitCast(d, value), hn::Set(d, 0x007fffff));
}
// Notes whether every lane of all vectors that it is shown has one of the given bits, or is a
// number.
template <class D>
class AllHave {
 public:
#if HWY_TARGET == HWY_AVX3
  HWY_INLINE void Note(hn::Vec<D> v, hn::TFromD<D> bits) {
    const D d;
    const auto mask = hn::Set(d, bits);
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      all_ = _mm512_mask_test_epi64_mask(all_, v.raw, mask.raw);
    } else {
      all_ = _mm512_mask_test_epi32_mask(all_, v.raw, mask.raw);
    }
  }
  HWY_INLINE bool Result() const { return all_ == kAll; }

 private:
  using Mask = std::conditional_t<sizeof(hn::TFromD<D>) == 8, __mmask8, __mmask16>;
  static constexpr Mask kAll = static_cast<Mask>(~Mask{0});
  Mask all_ = kAll;
#else
  HWY_INLINE AllHave() : some_lack_(hn::FirstN(D(), 0)) {}
  HWY_INLINE void Note(hn::Vec<D> v, hn::TFromD<D> bits) {
    const D d;
    some_lack_ = hn::Or(some_lack_, hn::Eq(hn::And(v, hn::Set(d, bits)), hn::Zero(d)));
  }
  HWY_INLINE bool Result() const { return hn::AllFalse(D(), some_lack_); }

 private:
  SizedMask<D> some_lack_;
#endif
};

// Whether the ends of the error's interval differ as float32.
HWY_INLINE hn::Mask<D32> IsUndecided(hn::Vec<D64> value, hn::Vec<D64> error) {
  return hn::Ne(Narrow(hn::Sub(value, error)), Narrow(hn::Add(value, error)));
}

template <class Mask, class D>
uint64_t BitsOf(D d, Mask mask) {
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

HWY_INLINE hn::Vec<D64> LoadAt(const std::byte* bytes, size_t i) {
  return hn::PromoteTo(D64(), hn::LoadU(D32(), reinterpret_cast<const float*>(bytes) + i));
}

// x + bias, and what that lacks (D. E. Knuth's exact sum). Lanes where that is not 0 go to the
// refiner, since it may decide on which side of a kink they lie.
struct Argument {
  SizedVec<D64> x, lost;
};
HWY_INLINE Argument AddBias(hn::Vec<D64> x, hn::Vec<D64> bias) {
  const auto sum = hn::Add(x, bias), part = hn::Sub(sum, x);
  return {sum, hn::Add(hn::Sub(x, hn::Sub(sum, part)), hn::Sub(bias, part))};
}
HWY_INLINE Argument ArgumentAt(const Operands& operands, size_t i) {
  const auto x = LoadAt(operands.input, i);
  if (operands.bias == nullptr) return {x, hn::Zero(D64())};
  return AddBias(x, LoadAt(operands.bias, i));
}

// Whether all results of a group are normal numbers, or 0 at an x whose sign they don't follow:
// half of relu's are.
HWY_NOINLINE inline bool AreNormalOrPlainlyZero(const double* values, const Operands& operands) {
  const D64 d;
  const auto zero = hn::Zero(d);
  auto all = hn::FirstN(d, hn::Lanes(d));
  for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
    const hn::Vec<D64> x = ArgumentAt(operands, i).x, value = hn::Load(d, values + i);
    const auto is_zero = hn::And(hn::Eq(value, zero), hn::Ne(x, zero));
    const auto is_normal = hn::Ge(hn::Abs(value), hn::Set(d, 0x1p-125));
    const auto is_finite = hn::Lt(hn::Abs(x), hn::Inf(d));
    all = hn::And(all, hn::And(is_finite, hn::Or(is_zero, is_normal)));
  }
  return hn::AllTrue(d, all);
}

// Settles what the main path leaves open of a group: the sign of a result that is 0 at x = 0, and
// results that are no normal float32. Returns those that are undecided: bit i for the i-th. Errors
// are those of values whose terms may cancel, else null.
HWY_NOINLINE inline uint64_t Settle(const double* values, const double* errors,
                                    const Operands& operands, bool zero_follows_x) {
  const D64 d;
  const D32 d32;
  const size_t lanes = hn::Lanes(d);
  const hn::RebindToUnsigned<D64> du;
  const auto zero = hn::Zero(d);
  uint64_t undecided = 0;
  for (size_t i = 0; i < kGroup; i += lanes) {
    const auto [x, lost] = ArgumentAt(operands, i);
    const auto value = hn::Load(d, values + i);
    const auto size = hn::Abs(value);
    const auto is_middle = hn::RebindMask(
        d, hn::Eq(hn::And(FromMiddle(value), hn::Set(du, kDecidingBits)), hn::Zero(du)));
    if (errors == nullptr) undecided |= BitsOf(d, is_middle) << i;
    const auto is_inexact = hn::Not(hn::Eq(lost, zero));
    const auto is_zero = hn::And(hn::Eq(value, zero), hn::Eq(x, zero));
    const auto is_odd =
        hn::Or(hn::Not(hn::Lt(hn::Abs(x), hn::Inf(d))), hn::Not(hn::Eq(value, value)));
    undecided |= BitsOf(d, hn::Or(is_inexact, is_odd)) << i;
    // The middles between subnormal numbers are not at the same bits.
    const auto is_subnormal = hn::Lt(size, hn::Set(d, 0x1p-126));
    const auto relative = hn::Mul(size, hn::Set(d, kRelativeMargin));
    const auto error = errors == nullptr ? zero : hn::Load(d, errors + i);
    undecided |=
        BitsOf(d32,
               IsUndecided(value, hn::IfThenElse(is_subnormal, hn::Max(error, relative), error)))
        << i;
    if (hn::AllFalse(d, is_zero)) continue;
    if (operands.upstream != nullptr) {
      undecided |= BitsOf(d, is_zero) << i;
      continue;
    }
    const auto settled = hn::IfThenElse(is_zero, zero_follows_x ? hn::Vec<D64>(x) : zero, value);
    hn::StoreU(Narrow(settled), d32, reinterpret_cast<float*>(operands.output) + i);
  }
  return undecided;
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
