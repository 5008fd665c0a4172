// SizedVec<D> and SizedMask<D>: Highway's vectors and masks of float64 and float32, as members need
// them, with a size.
//
// SVE's have one where the compiler has been told it: -msve-vector-bits=256, as ACTIVATION_SVE_BITS
// in CMake does. They are not Highway's types then, but convert to those and back.
#include <type_traits>

#include "hwy/highway.h"

#if defined(ACTIVATION_SERVER_ENGINE_SIZED_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTIVATION_SERVER_ENGINE_SIZED_VECTORS_INL_H_
#undef ACTIVATION_SERVER_ENGINE_SIZED_VECTORS_INL_H_
#else
#define ACTIVATION_SERVER_ENGINE_SIZED_VECTORS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#ifdef __ARM_FEATURE_SVE_BITS
#define ACTIVATION_SIZED __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)))
typedef svfloat64_t SizedFloat64 ACTIVATION_SIZED;  // NOLINT(modernize-use-using)
typedef svfloat32_t SizedFloat32 ACTIVATION_SIZED;  // NOLINT(modernize-use-using)
typedef svbool_t SizedBool ACTIVATION_SIZED;        // NOLINT(modernize-use-using)
#undef ACTIVATION_SIZED
template <class D>
using SizedVec =
    std::conditional_t<std::is_same_v<hn::TFromD<D>, double>, SizedFloat64, SizedFloat32>;
template <class D>
using SizedMask = SizedBool;
#else
template <class D>
using SizedVec = hn::Vec<D>;
template <class D>
using SizedMask = hn::Mask<D>;
#endif

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine

#ifdef __ARM_FEATURE_SVE_BITS
// What Highway's generic functions ask of a vector's type.
namespace hwy {
namespace HWY_NAMESPACE {
template <>
struct DFromV_t<activation::engine::HWY_NAMESPACE::SizedFloat64> {
  using type = ScalableTag<double>;
};
template <>
struct DFromV_t<activation::engine::HWY_NAMESPACE::SizedFloat32> {
  using type = ScalableTag<float>;
};
}  // namespace HWY_NAMESPACE
}  // namespace hwy
#endif
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
