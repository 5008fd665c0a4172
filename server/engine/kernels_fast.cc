// The float32 kernels over float64 lanes, one table per instruction set.
//
// v is the value in float64, off by at most 2^-43 of itself, or of the magnitude where terms may
// cancel. If both ends of that interval round to the same float32, so does the exact value (Ziv's
// rounding test; A. Ziv, "Fast evaluation of elementary mathematical functions with correctly
// rounded last bit", ACM TOMS 17(3), 1991). Otherwise the lane goes to the refiner.
#include <cmath>
#include <cstring>
#include <type_traits>

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

// Vectors side by side: as many as the registers hold with what they need, where speed matters.
#if HWY_TARGET == HWY_SCALAR
inline constexpr size_t kVectors = 1;
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
inline constexpr size_t kVectors = 2;
#else
inline constexpr size_t kVectors = 4;
#endif
using Fast = Lanes<D64, kVectors>;
inline constexpr size_t kGroup = kVectors * HWY_LANES(double);
static_assert(kGroup <= kMaxGroup);

// The error bound of values: 2^-43 of them is at most 2^10 of their last places.
inline constexpr uint64_t kMargin = uint64_t{1} << 10;
// The bits of a float64 below the last one of a float32, and the middle between two float32.
inline constexpr uint64_t kBelow = (uint64_t{1} << 29) - 1;
inline constexpr uint64_t kMiddle = uint64_t{1} << 28;
// The error bound of a Result, relative to its magnitude.
inline constexpr double kMagnitudeMargin = 0x1p-43;

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
// The same for NaN and infinity, whose exponent field of 255 becomes 0.
inline constexpr uint32_t kFiniteBits = 0x7f800000;
HWY_INLINE hn::Vec<OutBits> FromFinite(hn::Vec<Out> value) {
  const OutBits d;
  return hn::Add(hn::BitCast(d, value), hn::Set(d, 0x00800000));
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
  hn::Mask<D> some_lack_;
#endif
};

// Whether the ends of the error's interval differ as float32.
HWY_INLINE hn::Mask<D32> IsUndecided(hn::Vec<D64> value, hn::Vec<D64> error) {
  return hn::Ne(Narrow(hn::Sub(value, error)), Narrow(hn::Add(value, error)));
}

template <class Mask, class D>
uint32_t BitsOf(D d, Mask mask) {
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  return bits[0];
}

// Whether all results are normal numbers, or 0 at an x whose sign they don't follow: half of relu's
// are.
HWY_INLINE bool AreNormalOrPlainlyZero(const Fast& x, const Fast& value) {
  const D64 d;
  const auto zero = hn::Zero(d);
  auto all = hn::FirstN(d, hn::Lanes(d));
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    const auto is_zero = hn::And(hn::Eq(value.v[i], zero), hn::Ne(x.v[i], zero));
    const auto is_normal = hn::Ge(hn::Abs(value.v[i]), hn::Set(d, 0x1p-125));
    const auto is_finite = hn::Lt(hn::Abs(x.v[i]), hn::Inf(d));
    all = hn::And(all, hn::And(is_finite, hn::Or(is_zero, is_normal)));
  });
  return hn::AllTrue(d, all);
}

// The results of a group that has something of note, before they are rounded. error is that of
// values whose terms may cancel, else all 0.
struct Noted {
  alignas(64) double value[kGroup];
  alignas(64) double error[kGroup];
};

// Settles what the main path leaves open: the sign of a result that is 0 at x = 0, results that are
// no normal float32; and has the undecided ones refined.
HWY_NOINLINE void Settle(const Noted& noted, const Operands& operands, bool zero_follows_x,
                         const Refiner& refiner) {
  const D64 d;
  const D32 d32;
  const size_t lanes = hn::Lanes(d);
  const hn::RebindToUnsigned<D64> du;
  const auto zero = hn::Zero(d);
  uint32_t undecided = 0;
  for (size_t i = 0; i < kGroup; i += lanes) {
    auto x = hn::PromoteTo(d, hn::LoadU(d32, reinterpret_cast<const float*>(operands.input) + i));
    if (operands.bias != nullptr) {
      const float* const bias = reinterpret_cast<const float*>(operands.bias) + i;
      x = hn::Add(x, hn::PromoteTo(d, hn::LoadU(d32, bias)));
    }
    const auto value = hn::Load(d, noted.value + i);
    const auto size = hn::Abs(value);
    const auto is_middle = hn::RebindMask(
        d, hn::Eq(hn::And(FromMiddle(value), hn::Set(du, kDecidingBits)), hn::Zero(du)));
    const auto is_subnormal =
        hn::And(hn::Lt(size, hn::Set(d, 0x1p-126)), hn::Ge(size, hn::Set(d, 0x1p-151)));
    const auto is_zero = hn::And(hn::Eq(value, zero), hn::Eq(x, zero));
    const auto is_odd =
        hn::Or(hn::Not(hn::Lt(hn::Abs(x), hn::Inf(d))), hn::Not(hn::Eq(value, value)));
    const auto open = hn::Or(hn::Or(is_middle, is_subnormal), is_odd);
    undecided |= BitsOf(d, open) << i;
    undecided |= BitsOf(d32, IsUndecided(value, hn::Load(d, noted.error + i))) << i;
    if (hn::AllFalse(d, is_zero)) continue;
    if (operands.upstream != nullptr) {
      undecided |= BitsOf(d, is_zero) << i;
      continue;
    }
    const auto settled = hn::IfThenElse(is_zero, zero_follows_x ? x : zero, value);
    hn::StoreU(Narrow(settled), d32, reinterpret_cast<float*>(operands.output) + i);
  }
  if (undecided != 0) refiner.refine(refiner.context, operands, undecided);
}

HWY_INLINE Operands From(const Operands& operands, size_t first) {
  const auto from = [first](auto* p) { return p == nullptr ? p : p + first * sizeof(float); };
  return {from(operands.input), from(operands.upstream), from(operands.bias),
          from(operands.output)};
}

// Computes kGroup elements from the first on.
template <class A, int kRow>
HWY_INLINE void RunGroup(const double* parameters, const Operands& operands, size_t first,
                         const Refiner& refiner) {
  using Outs = Lanes<Out, kVectors / kVectorsPerOut>;
  const D64 d;
  const D32 d32;
  const Out full;
  const size_t lanes = hn::Lanes(d);
  const auto load = [&](const std::byte* bytes) ACTIVATION_LAMBDA {
    const float* const from = reinterpret_cast<const float*>(bytes) + first;
    return Fast::Each([&](size_t i) ACTIVATION_LAMBDA {
      return hn::PromoteTo(d, hn::LoadU(d32, from + i * lanes));
    });
  };
  Fast x = load(operands.input);
  AllHave<OutBits> normal;
  // What x + bias lacks (D. E. Knuth's exact sum); lanes where that is not 0 go to the refiner,
  // since it may decide on which side of a kink they lie.
  Fast lost = 0.0;
  bool is_exact = true;
  if (HWY_UNLIKELY(operands.bias != nullptr)) {
    const Fast bias = load(operands.bias);
    const Fast sum = x + bias;
    const Fast part = sum - x;
    lost = (x - (sum - part)) + (bias - part);
    x = sum;
    Outs::ForEach([&](size_t i) ACTIVATION_LAMBDA {
      normal.Note(FromFinite(NarrowToOut(x, i)), kFiniteBits);
    });
    Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
      is_exact &= hn::AllTrue(d, hn::Eq(lost.v[i], hn::Zero(d)));
    });
  }
  const auto result = Apply<A, kRow>(x, parameters);
  constexpr bool kCancels = std::is_same_v<std::remove_cvref_t<decltype(result)>, Result<Fast>>;
  Fast value, error;
  if constexpr (kCancels) {
    value = result.value;
    error = Abs(result.magnitude) * kMagnitudeMargin;
  } else {
    value = result;
    error = 0.0;
  }
  if (operands.upstream != nullptr) {
    const Fast factor = load(operands.upstream);
    value = value * factor;
    if constexpr (kCancels) error = error * Abs(factor);
  }

  // With a bias, x has digits that a product with the upstream gradient has no room for.
  const bool is_sure = A::kSpec.exact && operands.bias == nullptr;
  AllHave<hn::RebindToUnsigned<D64>> decided;
  auto open = hn::FirstN(d32, 0);
  const float* const in = reinterpret_cast<const float*>(operands.input) + first;
  float* const out = reinterpret_cast<float*>(operands.output) + first;
  Outs::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    const auto rounded = NarrowToOut(value, i);
    hn::StoreU(rounded, full, out + i * hn::Lanes(full));
    if (is_sure) {
      normal.Note(FromFinite(rounded), kFiniteBits);
    } else {
      normal.Note(FromNormal(rounded), kNormalBits);
    }
    normal.Note(FromFinite(hn::LoadU(full, in + i * hn::Lanes(full))), kFiniteBits);
  });
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    if constexpr (kCancels) {
      open = hn::Or(open, IsUndecided(value.v[i], error.v[i]));
    } else if (!is_sure) {
      decided.Note(FromMiddle(value.v[i]), kDecidingBits);
    }
  });
  if (HWY_LIKELY(is_exact & (kCancels ? hn::AllFalse(d32, open) : decided.Result()))) {
    if (HWY_LIKELY(normal.Result())) return;
    if (AreNormalOrPlainlyZero(x, value)) return;
  }
  Noted results;
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    hn::Store(value.v[i], d, results.value + i * lanes);
    const auto is_open = hn::Not(hn::Eq(lost.v[i], hn::Zero(d)));
    hn::Store(hn::IfThenElse(is_open, hn::Inf(d), error.v[i]), d, results.error + i * lanes);
  });
  Settle(results, From(operands, first), kRow == kValueRow && !A::kSpec.positive_zero, refiner);
}

template <class A, int kRow>
void RunAll(const double* parameters, const Operands& operands, size_t count,
            const Refiner& refiner) {
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    RunGroup<A, kRow>(parameters, operands, i, refiner);
  }
  if (i == count) return;
  // The last ones in a group of their own, filled up with copies of the first of them, so that they
  // get the same bits as those before.
  const Operands rest = From(operands, i);
  const size_t bytes = (count - i) * sizeof(float);
  struct Group {
    std::byte bytes[kGroup * sizeof(float)];
  } x, upstream, bias, out;
  const auto pad = [bytes](const std::byte* from, Group& to) -> const std::byte* {
    if (from == nullptr) return nullptr;
    for (size_t at = 0; at < sizeof(to); at += sizeof(float)) {
      std::memcpy(to.bytes + at, from + (at < bytes ? at : 0), sizeof(float));
    }
    return to.bytes;
  };
  RunGroup<A, kRow>(parameters,
                    {.input = pad(rest.input, x),
                     .upstream = pad(rest.upstream, upstream),
                     .bias = pad(rest.bias, bias),
                     .output = out.bytes},
                    0, refiner);
  std::memcpy(rest.output, out.bytes, bytes);
}

template <class List>
struct FastTable;
template <class... A>
struct FastTable<std::tuple<A...>> {
  static constexpr FastKernel kAll[][kFirstParameterRow] = {
      {RunAll<A, kValueRow>, RunAll<A, kDerivativeRow>}...};
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
