// Functions over any number type, as loops over columns of float64.
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "server/engine/activations-inl.h"
#include "server/engine/quick_math-inl.h"
#include "server/engine/round_to_float32-inl.h"
#include "tests/accuracy/columns.h"

#if defined(ACTIVATION_TESTS_ACCURACY_UNROUNDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_TESTS_ACCURACY_UNROUNDED_INL_H_
#undef ACTIVATION_TESTS_ACCURACY_UNROUNDED_INL_H_
#else
#define ACTIVATION_TESTS_ACCURACY_UNROUNDED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::accuracy {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace engine::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): the kernels'

// Fast is what kernels_fast.cc takes. QuickPairs of one vector compute what those of several do.
using Quick = QuickPairs<Lanes<D64>>;
using Precise = DoubleDouble<D64>;

template <size_t kCount>
void Load(const Columns& c, size_t i, Lanes<D64, kCount>& x) {
  for (size_t v = 0; v < kCount; ++v) x.v[v] = hn::LoadU(D64(), c.x + i + v * hn::Lanes(D64()));
}
inline void Load(const Columns& c, size_t i, Quick& x) {
  const D64 d;
  x = Quick(Lanes<D64>(hn::LoadU(d, c.x + i)), Lanes<D64>(hn::LoadU(d, c.x_lo + i)));
}
inline void Load(const Columns& c, size_t i, Precise& x) {
  const D64 d;
  x = Precise(hn::LoadU(d, c.x + i), hn::LoadU(d, c.x_lo + i));
}

template <size_t kCount>
void Store(const Result<Lanes<D64, kCount>>& y, const Columns& c, size_t i) {
  const D64 d;
  for (size_t v = 0; v < kCount; ++v) {
    const size_t at = i + v * hn::Lanes(d);
    hn::StoreU(y.value.v[v], d, c.hi + at);
    hn::StoreU(hn::Abs(hn::Vec<D64>(y.magnitude.v[v])), d, c.magnitude + at);
  }
}
inline void Store(const Result<Quick>& y, const Columns& c, size_t i) {
  const D64 d;
  hn::StoreU(y.value.value.hi.v[0], d, c.hi + i);
  hn::StoreU(y.value.value.lo.v[0], d, c.lo + i);
  hn::StoreU(Abs(y.magnitude.value.hi).v[0], d, c.magnitude + i);
}
inline void Store(const Result<Precise>& y, const Columns& c, size_t i) {
  const D64 d;
  hn::StoreU(y.value.value.hi, d, c.hi + i);
  hn::StoreU(y.value.value.lo, d, c.lo + i);
  hn::StoreU(y.value.exponent, d, c.exponent + i);
  hn::StoreU(hn::Abs(hn::Vec<D64>(y.magnitude.value.hi)), d, c.magnitude + i);
}

// y = function(x) for all columns.
template <class N, class Function>
void ForAll(const Columns& columns, Function function) {
  constexpr size_t kStep = std::is_same_v<N, Fast> ? kGroup : HWY_LANES(double);
  for (size_t i = 0; i < columns.count; i += kStep) {
    N x = 0.0;
    Load(columns, i, x);
    const Result<N> result = function(x);
    Store(result, columns, i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace activation::accuracy
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
