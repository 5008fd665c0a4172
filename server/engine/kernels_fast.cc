// The float32 kernels over float64 lanes, one table per instruction set.
//
// v is the value in float64, off by at most 2^-42 of itself, or of the magnitude where terms may
// cancel. If both ends of that interval round to the same float32, so does the exact value (Ziv's
// rounding test; A. Ziv, "Fast evaluation of elementary mathematical functions with correctly
// rounded last bit", ACM TOMS 17(3), 1991). Otherwise the lane goes to the refiner.
#include "server/engine/kernels_fast.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/kernels_fast.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"
#include "server/engine/activations-inl.h"
#include "server/engine/round_to_float32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

// As many vectors of float32 as a group's.
using Outs = Lanes<Out, kVectors / kVectorsPerOut>;

HWY_INLINE Operands From(const Operands& operands, size_t first) {
  const auto from = [first](auto* p) { return p == nullptr ? p : p + first * sizeof(float); };
  return {from(operands.input), from(operands.upstream), from(operands.bias),
          from(operands.output)};
}

// 0, or NaN if some of the group's x is infinite or NaN: functions may take those to normal
// numbers.
HWY_INLINE hn::Vec<Out> ZeroIfFinite(const std::byte* input, size_t first) {
  const Out full;
  auto finite = hn::Zero(full);
  const float* const in = reinterpret_cast<const float*>(input) + first;
  Outs::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    finite = hn::MulAdd(hn::LoadU(full, in + i * hn::Lanes(full)), hn::Zero(full), finite);
  });
  return finite;
}

// Whether x + bias, to which it sets x, is exact everywhere. It is not if x or the sum is infinite.
HWY_INLINE bool AddBias(const Fast& bias, Fast& x) {
  const D64 d;
  bool is_exact = true;
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    const auto [sum, lost] = AddBias(x.v[i], bias.v[i]);
    x.v[i] = sum;
    is_exact &= hn::AllTrue(d, hn::Eq(lost, hn::Zero(d)));
  });
  return is_exact;
}

// What becomes of a group whose results are not all decided and normal. `operands` point at its
// first; `error` is null where terms don't cancel.
template <class A, int kRow>
HWY_INLINE void SettleOrRefine(const Fast& value, const Fast* error, bool is_decided,
                               const Operands& operands, const Refiner& refiner) {
  const D64 d;
  alignas(64) double values[kGroup], errors[kGroup];
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    hn::Store(value.v[i], d, values + i * hn::Lanes(d));
    if (error != nullptr) hn::Store(error->v[i], d, errors + i * hn::Lanes(d));
  });
  if (is_decided && AreNormalOrPlainlyZero(values, operands)) return;
  const uint64_t undecided = Settle(values, error == nullptr ? nullptr : errors, operands,
                                    kRow == kValueRow && !A::kSpec.positive_zero);
  if (undecided != 0) refiner.refine(refiner.context, operands, undecided);
}

// Computes kGroup elements from the first on.
template <class A, int kRow>
HWY_INLINE void RunGroup(const double* parameters, const Operands& operands, size_t first,
                         const Refiner& refiner) {
  const D64 d;
  const D32 d32;
  const Out full;
  const size_t lanes = hn::Lanes(d);
  const auto load = [&](const std::byte* bytes) ACTIVATION_LAMBDA {
    return Fast::Each([&](size_t i) ACTIVATION_LAMBDA { return LoadAt(bytes, first + i * lanes); });
  };
  Fast x = load(operands.input);
  // Becomes NaN, too, with results that are not looked at otherwise.
  auto finite = ZeroIfFinite(operands.input, first);
  bool is_exact = true;
  if (HWY_UNLIKELY(operands.bias != nullptr)) is_exact = AddBias(load(operands.bias), x);
  const auto result = Apply<A, kRow>(x, parameters);
  constexpr bool kCancels = std::is_same_v<std::remove_cvref_t<decltype(result)>, Result<Fast>>;
  Fast value, error;
  if constexpr (kCancels) {
    value = result.value;
    error = Abs(result.magnitude) * kRelativeMargin;
  } else {
    value = result;
  }
  if (operands.upstream != nullptr) {
    const Fast factor = load(operands.upstream);
    value = value * factor;
    // Where the result is exact, the product's own rounding is all the error.
    if constexpr (kCancels) error = MulAdd(Abs(value), Fast(0x1p-52), error * Abs(factor));
  }

  // With a bias, x has digits that a product with the upstream gradient has no room for.
  const bool is_sure = A::kSpec.exact && operands.bias == nullptr;
  AllHave<OutBits> normal;
  AllHave<hn::RebindToUnsigned<D64>> decided;
  auto open = hn::FirstN(d32, 0);
  float* const out = reinterpret_cast<float*>(operands.output) + first;
  Outs::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    const auto rounded = NarrowToOut(value, i);
    hn::StoreU(rounded, full, out + i * hn::Lanes(full));
    if (is_sure) {
      finite = hn::MulAdd(rounded, hn::Zero(full), finite);
    } else {
      normal.Note(FromNormal(rounded), kNormalBits);
    }
  });
  Fast::ForEach([&](size_t i) ACTIVATION_LAMBDA {
    if constexpr (kCancels) {
      open = hn::Or(open, IsUndecided(value.v[i], error.v[i]));
    } else if (!is_sure) {
      decided.Note(FromMiddle(value.v[i]), kDecidingBits);
    }
  });
  // As numbers, for one branch in place of four.
  const int is_decided = int{is_exact} & int{kCancels ? hn::AllFalse(d32, open) : decided.Result()};
  const int is_normal = int{normal.Result()} & int{hn::AllTrue(full, hn::Eq(finite, finite))};
  if (HWY_LIKELY(is_decided & is_normal)) return;
  SettleOrRefine<A, kRow>(value, kCancels ? &error : nullptr, is_decided != 0,
                          From(operands, first), refiner);
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

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
HWY_EXPORT(FastKernelsOfTarget);

std::span<const FastKernel[kFirstParameterRow]> FastKernels() {
  return HWY_DYNAMIC_DISPATCH(FastKernelsOfTarget)();
}

}  // namespace activation::engine
#endif  // HWY_ONCE
