// Decides, without the oracle, that float32 results are correctly rounded: for all but about one
// in a million inputs. What it accepts is proven; what it doesn't, the oracle must decide.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_FILTER_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_FILTER_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "server/engine/engine.h"
#include "tests/support/interval.h"
#include "tests/support/taylor.h"

namespace activation::accuracy {

class Filter {
 public:
  // For Spec::formula or Spec::derivative. An error if it does not parse.
  static absl::StatusOr<Filter> Make(const engine::Function& function, engine::Quantity quantity);

  void SetParameters(const engine::Function& function);

  // Sets `undecided` to the places i at which y[i] is not proven to be what x[i] rounds to: x
  // and y of equal size. Of zeros and infinities in x nothing is proven.
  void Check(std::span<const float> x, std::span<const float> y, std::vector<size_t>& undecided);
  // The same for any number of consecutive floats, of which long runs may have one result.
  void CheckConsecutive(std::span<const float> x, std::span<const float> y,
                        std::vector<size_t>& undecided);

 private:
  explicit Filter(oracle::Formula formula);

  void CheckBlock(std::span<const float> x, std::span<const float> y, size_t offset,
                  std::vector<size_t>& undecided);
  // Enclosures of the results at x, at most kLanes finite numbers.
  const oracle::Lanes& Evaluate(std::span<const float> x);
  // Whether the expansion, if it holds at x, says that y is right.
  bool IsRightNextToZero(float x, float y);
  // The expansion that holds for all of x, which lie next to 0 on one side of it; else null.
  const oracle::Expansion* ExpansionFor(std::span<const float> x) const;

  oracle::Formula formula_;
  oracle::IntervalEvaluator evaluator_;
  oracle::Expansion expansions_[2];  // for x > 0, x < 0
  oracle::Lanes x_;
  oracle::Lanes near_zero_;
};

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_FILTER_H_
