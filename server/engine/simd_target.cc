#include "server/engine/simd_target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/engine/simd_target.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace activation::engine {
namespace HWY_NAMESPACE {

const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace activation::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace activation::engine {
HWY_EXPORT(NameOfTarget);

const char* SimdTarget() { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

}  // namespace activation::engine
#endif  // HWY_ONCE
