// Enclosures of a formula's value on many inputs at once, in float64 interval arithmetic: the
// filter that spares the oracle nearly all of its work in proofs over every float32. Sound: the
// interval contains the exact real value; what can't be told is the whole line. Like the oracle, it
// knows of a function nothing but its formula.
//
// Before evaluating, identities take the place of what cancels or leaves float64's range:
//   e^u - 1 -> expm1(u), log(1 + e^u) -> softplus(u), log(1 + u) -> log1p(u), 1 - erf(u) ->
//   erfc(u), and p erfc(u) + q e^(-u^2) -> e^(-u^2) (p (e^(u^2) erfc(u)) + q) where both are next
//   to 0.
#ifndef ACTIVATION_TESTS_SUPPORT_INTERVAL_H_
#define ACTIVATION_TESTS_SUPPORT_INTERVAL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/formula.h"
#include "tests/support/lanes.h"
#include "tests/support/program.h"

namespace activation::oracle {

class IntervalEvaluator {
 public:
  // variables[0] is what varies from lane to lane, the others are parameters.
  IntervalEvaluator(const Formula& formula, std::span<const double> parameters);

  // Slots point to each other.
  IntervalEvaluator(IntervalEvaluator&&) = default;
  IntervalEvaluator(const IntervalEvaluator&) = delete;

  void SetParameters(std::span<const double> parameters);

  // The enclosures of f(x) for x in each lane of `x`; valid until the next call. x must be finite.
  const Lanes& Evaluate(const Lanes& x);

 private:
  struct Slot {
    Lanes lanes;
    const Lanes* result = nullptr;  // lanes, or another slot's
    uint64_t time = 0;              // when it was computed
  };

  const Lanes& At(int place);
  void Compute(const Instruction& instruction, Slot& slot);

  Program program_;
  std::vector<Slot> slots_;
  std::vector<double> parameters_;
  const Lanes* x_ = nullptr;
  uint64_t now_ = 0;  // counts calls
  uint64_t parameters_since_ = 0;
};

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_INTERVAL_H_
