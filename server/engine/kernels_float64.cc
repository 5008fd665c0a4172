// The float64 kernels over pairs of float64 (quick_pairs-inl.h), one table per instruction set.
//
// The value is hi + lo, off by at most 2^-63 of itself, or of the magnitude where terms may cancel.
// If both ends of that interval round to the same float64, so does the exact value (Ziv's rounding
// test, see kernels_fast.cc). Otherwise, or where something may have underflowed, the lane is noted
// for the refiner, which is called for many at a time.
#include "server/engine/kernels_float64.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "server/engine/error_bounds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/kernels_float64.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "server/engine/activations-inl.h"
#include "server/engine/quick_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

using D64 = hn::ScalableTag<double>;

// Vectors side by side, as many as the registers hold with what they need.
#if HWY_TARGET == HWY_AVX3
inline constexpr size_t kVectors = 4;
#elif HWY_TARGET == HWY_AVX2
inline constexpr size_t kVectors = 2;
#else
inline constexpr size_t kVectors = 1;
#endif
using L64 = Lanes<D64, kVectors>;
using Quick = QuickPairs<L64>;
inline constexpr size_t kGroup = kVectors * HWY_LANES(double);
static_assert(kGroup <= kMaxGroup);

// The error bound of any value that is no Result, kQuickPairsError of it, is at most this part of
// half its last place.
inline constexpr double kMargin = kQuickPairsError * 0x1p54;

// From here on |x| and |result| don't underflow on the way, nor do the errors of products.
inline constexpr double kLeast = 0x1p-440;
// Between these |x| leads to a 0 by no underflow in a result that is made of sums, products and
// quotients, whatever the parameters.
inline constexpr double kSmall = 0x1p-150, kLarge = 0x1p150;

// What the main path has left open in a group: bit i for its i-th element.
struct Open {
  uint32_t result = 0;  // undecided by the rounding test, or too small
  uint32_t x = 0;       // too small, or NaN
};

// Places that wait for the refiner, and the value at -0 and +0 once it has been asked for.
struct Places {
  size_t place[kBlock];
  size_t count = 0;
  double at_zero[2];
  bool has_at_zero[2] = {};
};

HWY_NOINLINE void Refine(const PlacesRefiner& refiner, const Operands& operands, Places& places) {
  refiner.refine(refiner.context, operands, {places.place, places.count});
  places.count = 0;
}

double Load(const std::byte* from, size_t i) {
  double value;
  std::memcpy(&value, from + i * sizeof(value), sizeof(value));
  return value;
}

double ValueAtZero(double x, const PlacesRefiner& refiner, Places& places) {
  const int sign = std::signbit(x) ? 0 : 1;
  if (!places.has_at_zero[sign]) {
    const size_t place = 0;
    refiner.refine(refiner.context,
                   {.input = reinterpret_cast<const std::byte*>(&x),
                    .upstream = nullptr,
                    .bias = nullptr,
                    .output = reinterpret_cast<std::byte*>(&places.at_zero[sign])},
                   {&place, 1});
    places.has_at_zero[sign] = true;
  }
  return places.at_zero[sign];
}

// Settles the results that are known although x or they are 0, and notes the others. The group is
// the one at `first`, of which `count` elements are real.
HWY_NOINLINE void Settle(Open open, const Operands& group, size_t first, size_t count,
                         bool may_cancel, const PlacesRefiner& refiner, Places& places) {
  for (uint32_t left = open.result | open.x; left != 0; left &= left - 1) {
    const size_t i = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
    if (i >= count) return;
    const double x = Load(group.input, i);
    if (x == 0 && (open.result >> i & 1) == 0) continue;
    if (x == 0 && group.upstream == nullptr) {
      const double value = ValueAtZero(x, refiner, places);
      std::memcpy(group.output + i * sizeof(value), &value, sizeof(value));
      continue;
    }
    // A product with 0, for which the derivative's sign is enough.
    if (group.upstream != nullptr && Load(group.upstream, i) == 0 && Load(group.output, i) == 0 &&
        (open.x >> i & 1) == 0 && !may_cancel) {
      continue;
    }
    places.place[places.count++] = first + i;
  }
}

HWY_INLINE Operands From(const Operands& operands, size_t first) {
  const auto from = [first](auto* p) { return p == nullptr ? p : p + first * sizeof(double); };
  return {from(operands.input), from(operands.upstream), nullptr, from(operands.output)};
}

template <class Mask>
HWY_INLINE uint32_t BitsOf(const Mask& mask) {
  const D64 d;
  uint32_t result = 0;
  L64::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask.m[i], bits);
    result |= static_cast<uint32_t>(bits[0]) << (i * hn::Lanes(d));
  });
  return result;
}

template <class A, int kRow>
using ResultOf = std::remove_cvref_t<decltype(Apply<A, kRow>(std::declval<Quick>(), nullptr))>;

// Adds to `inside` where a result of sums, products and quotients is 0 and x is of a size from
// which nothing underflows to it.
template <class Masks>
HWY_INLINE void AddOrdinaryZeros(const L64& x, const Masks& is_zero, Masks& inside) {
  const D64 d;
  L64::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    const auto size = hn::Abs(x.v[i]);
    const auto ordinary =
        hn::And(hn::Ge(size, hn::Set(d, kSmall)), hn::Le(size, hn::Set(d, kLarge)));
    inside.m[i] = hn::Or(inside.m[i], hn::And(is_zero.m[i], ordinary));
  });
}

// Computes a group, and tells what is left open.
template <class A, int kRow>
HWY_INLINE Open RunGroup(const double* parameters, const Operands& operands) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  constexpr bool kCancels = std::is_same_v<ResultOf<A, kRow>, Result<Quick>>;
  // Whether nothing has underflowed if x has the size for that.
  constexpr bool kIsPlain = std::is_same_v<ResultOf<A, kRow>, Quick>;
  const auto load = [&](const std::byte* bytes) ACTIVATION_LAMBDA {
    const double* const from = reinterpret_cast<const double*>(bytes);
    return L64::Each([&](size_t i) ACTIVATION_LAMBDA { return hn::LoadU(d, from + i * lanes); });
  };
  const L64 x = load(operands.input);
  const ResultOf<A, kRow> result = Apply<A, kRow>(Quick(x), parameters);
  L64 error = 0.0;
  Quick value;
  if constexpr (kCancels) {
    error = Abs(result.magnitude.value.hi) * kQuickPairsError;
    value = result.value.value;
  } else {
    value = Unscaled(typename Quick::Scaled(result));
  }
  // Whether it is large enough; false for NaN.
  const auto fits = [&](const L64& a) ACTIVATION_LAMBDA {
    return L64::EachMask(
        [&](size_t i) ACTIVATION_LAMBDA { return hn::Ge(hn::Abs(a.v[i]), hn::Set(d, kLeast)); });
  };
  const auto x_fits = fits(x);
  auto inside = fits(value.hi);
  const bool has_upstream = kRow != kValueRow && operands.upstream != nullptr;
  if (has_upstream) {
    const L64 factor = load(operands.upstream);
    value = value * Quick(factor);
    error = error * Abs(factor);
    const auto still = fits(value.hi);
    L64::ForEach([&](size_t i)
                     ACTIVATION_LAMBDA { inside.m[i] = hn::And(inside.m[i], still.m[i]); });
  }

  L64 rounded = value.hi + value.lo;
  const L64 rest = value.lo - (rounded - value.hi);
  L64 end = MulAdd(rest, L64(1 + kMargin), rounded);
  if constexpr (kCancels) end = rounded + (rest + CopySign(error, rest));
  const auto decided = rounded == end;
  const auto is_zero = value.hi == L64(0.0);
  // A sum loses the sign of zero.
  if (kIsPlain || has_upstream) rounded = Select(is_zero, value.hi, rounded);
  if constexpr (kIsPlain) AddOrdinaryZeros(x, is_zero, inside);
  double* const out = reinterpret_cast<double*>(operands.output);
  auto closed = x_fits.m[0];
  L64::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    hn::StoreU(rounded.v[i], d, out + i * lanes);
    inside.m[i] = hn::And(inside.m[i], decided.m[i]);
    closed = hn::And(closed, hn::And(x_fits.m[i], inside.m[i]));
  });
  if (HWY_LIKELY(hn::AllTrue(d, closed))) return {};
  constexpr auto kAll = static_cast<uint32_t>((uint64_t{1} << kGroup) - 1);
  return {.result = kAll & ~BitsOf(inside), .x = kAll & ~BitsOf(x_fits)};
}

template <class A, int kRow>
void RunAll(const double* parameters, const Operands& operands, size_t count,
            const PlacesRefiner& refiner) {
  constexpr bool kCancels = std::is_same_v<ResultOf<A, kRow>, Result<Quick>>;
  Places places;
  const auto run = [&](const Operands& group, size_t first, size_t size) {
    const Open open = RunGroup<A, kRow>(parameters, group);
    if (HWY_UNLIKELY((open.result | open.x) != 0)) {
      Settle(open, group, first, size, kCancels, refiner, places);
    }
  };
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    run(From(operands, i), i, kGroup);
    if (HWY_UNLIKELY(places.count > kBlock - kGroup)) Refine(refiner, operands, places);
  }
  if (i < count) {
    // The last ones in a group of their own, so that they get the same bits as those before.
    const Operands rest = From(operands, i);
    const size_t bytes = (count - i) * sizeof(double);
    alignas(64) std::byte x[kGroup * sizeof(double)] = {}, upstream[sizeof(x)] = {}, out[sizeof(x)];
    std::memcpy(x, rest.input, bytes);
    if (rest.upstream != nullptr) std::memcpy(upstream, rest.upstream, bytes);
    run({x, rest.upstream == nullptr ? nullptr : upstream, nullptr, out}, i, count - i);
    std::memcpy(rest.output, out, bytes);
  }
  if (places.count > 0) Refine(refiner, operands, places);
}

template <class List>
struct Float64Table;
template <class... A>
struct Float64Table<std::tuple<A...>> {
  static constexpr Float64Kernel kAll[][kFirstParameterRow] = {
      {RunAll<A, kValueRow>, RunAll<A, kDerivativeRow>}...};
};

std::span<const Float64Kernel[kFirstParameterRow]> Float64KernelsOfTarget() {
  return Float64Table<Activations>::kAll;
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
HWY_EXPORT(Float64KernelsOfTarget);

std::span<const Float64Kernel[kFirstParameterRow]> Float64Kernels() {
  return HWY_DYNAMIC_DISPATCH(Float64KernelsOfTarget)();
}

}  // namespace activation::engine
#endif  // HWY_ONCE
