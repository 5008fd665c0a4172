// Choosing among the instruction sets that this machine runs and that the engine was compiled for.
#ifndef ACTIVATION_TESTS_ACCURACY_TARGETS_H_
#define ACTIVATION_TESTS_ACCURACY_TARGETS_H_

#include <cstdint>

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace activation::accuracy {

// While it lives, the engine runs on this one of Highway's targets.
class ScopedTarget {
 public:
  explicit ScopedTarget(int64_t target) { Use(target); }
  ~ScopedTarget() { Use(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

 private:
  // 0: whatever the machine has.
  static void Use(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// Calls f(name of the target) with the engine on each target in turn.
template <typename F>
void ForEachTarget(F f) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const ScopedTarget scope(target);
    f(hwy::TargetName(target));
  }
}

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_TARGETS_H_
