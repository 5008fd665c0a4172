#include "tests/bench/simd.h"

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>

#include "hwy/highway.h"
#include "hwy/targets.h"
#include "server/engine/engine.h"

namespace activation::bench {
namespace {

// Highway numbers better targets lower.
bool uses_avx512 = false;

int64_t FindTarget(const std::string& name) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name.empty() || name == hwy::TargetName(target)) return target;
  }
  return 0;
}

const char* NameOf(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx2_vnni:
      return "AVX2 with VNNI";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512 with VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512 with BF16";
    default:
      return "another";
  }
}

}  // namespace

std::string UseSimd(const std::string& name) {
  const int64_t target = FindTarget(name);
  if (target == 0) return "the engine has no target " + name + " on this machine";
  if (target > HWY_AVX2) return "the peers need AVX2";
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  uses_avx512 = target < HWY_AVX2;
  if (!uses_avx512) dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
  return "";
}

const SleefFunction* FindSleef(const char* name) {
  return uses_avx512 ? FindSleefAvx512(name) : FindSleefAvx2(name);
}

std::string DescribeSimd() {
  return std::string("engine ") + engine::SimdTarget() + ", oneDNN " +
         NameOf(dnnl::get_effective_cpu_isa()) + ", SLEEF " + (uses_avx512 ? "AVX-512" : "AVX2");
}

}  // namespace activation::bench
