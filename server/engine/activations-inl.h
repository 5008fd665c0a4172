// THE CATALOGUE: every activation, in families of one file each.
// To add an activation, add a struct and its name to its family's list; nothing else changes.
#include <tuple>
#include <utility>

#include "server/engine/activations/deltas-inl.h"
#include "server/engine/activations/exponential_linear-inl.h"
#include "server/engine/activations/gelus-inl.h"
#include "server/engine/activations/piecewise_linear-inl.h"
#include "server/engine/activations/piecewise_polynomials-inl.h"
#include "server/engine/activations/sigmoids-inl.h"
#include "server/engine/activations/smooth_rectifiers-inl.h"
#include "server/engine/kernels.h"

#if defined(ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_ACTIVATIONS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

template <class... Families>
using Concatenated = decltype(std::tuple_cat(std::declval<Families>()...));

// The catalogue's order, which ListActivations and proto/activations.md follow.
using Activations = Concatenated<PiecewiseLinear, ExponentialLinear, PiecewisePolynomials, Sigmoids,
                                 SmoothRectifiers, Gelus, Deltas>;

// One row (kernels.h) of one activation: an N, an N::Scaled, or where terms may cancel a Result<N>.
template <class A, int kRow, class N>
HWY_INLINE auto Apply(const N& x, const double* p) {
  if constexpr (kRow == kValueRow) {
    return A::Value(x, p);
  } else if constexpr (kRow == kDerivativeRow) {
    return A::Derivative(x, p);
  } else {
    return A::template ParameterDerivative<kRow - kFirstParameterRow>(x, p);
  }
}

template <class A>
inline constexpr int kRowsOf = kFirstParameterRow + static_cast<int>(A::kSpec.parameters.size());

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
