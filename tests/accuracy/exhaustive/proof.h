// The four ways of looking for a wrong result of the engine; each is Work for one activation and
// one of its quantities.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_PROOF_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_PROOF_H_

#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/statusor.h"
#include "server/engine/engine.h"
#include "tests/accuracy/exhaustive/chunks.h"

namespace activation::accuracy {

enum class Mode {
  kAll,         // every float32, default parameters
  kSample,      // every 61st, and all within 2^16 of kinks and of where the result changes its kind
  kParameters,  // float32, random parameters over their whole range, and inputs that suit them
  kFloat64,     // float64, default parameters: within 1 ULP
};

// "all", "sample", ...
const char* NameOf(Mode mode);

inline constexpr uint64_t kParameterInputs = 10'000'000;
inline constexpr uint64_t kFloat64Inputs = 1'000'000;

struct Job {
  const engine::Spec* spec = nullptr;
  engine::Quantity quantity = engine::Quantity::kValue;
  Mode mode = Mode::kAll;
  // For kParameters and kFloat64, at least so many.
  uint64_t inputs = 0;
  // For tests of the proof itself: changes the engine's float32 results y at x.
  std::function<void(std::span<const float> x, std::span<float> y)> tamper = {};
};

// "gelu value all".
std::string NameOf(const Job& job);

// An error if a string of the spec does not parse, or for kParameters if it has no parameters.
absl::StatusOr<Work> MakeWork(const Job& job);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_PROOF_H_
