// Runs a plan: from the elements in a request's bytes to results in the reply's.
//
// The work is cut into blocks of at most kElementsPerBlock elements of one item. Blocks can be run
// in any order and on any threads; results do not depend on either. Elements that straddle two
// pieces of the request are handled.
#ifndef ACTIVATION_SERVER_EVALUATE_H_
#define ACTIVATION_SERVER_EVALUATE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/plan.h"
#include "server/request.h"

namespace activation::server {

// The sums of a stream's parameter gradients over its chunks.
struct StreamSums {
  engine::Function function;
  engine::ParameterGradients gradients;
};

class Evaluation {
 public:
  // Both must outlive it; destinations[i] is where the results of plan.items[i] go.
  Evaluation(const Plan& plan, std::span<const Destination> destinations);

  size_t block_count() const { return blocks_.size(); }

  // Different blocks may run at the same time.
  void RunBlock(size_t index);

  // After all blocks: writes the parameter gradients. With `sums`, those of a stream: this chunk is
  // added to them, and what they hold is written; they begin anew where the function changes.
  void Finish(std::optional<StreamSums>* sums);

 private:
  struct Block {
    size_t item;
    size_t begin;
    size_t count;
    // One for each block, so that the order of their sum does not depend on threads.
    std::optional<engine::ParameterGradients> gradients;
  };

  const Plan& plan_;
  std::span<const Destination> destinations_;
  std::vector<Block> blocks_;
};

// Runs block i, for each i below a count.
using BlockRunner = absl::FunctionRef<void(size_t index)>;
// Has `run` called for all indices below count, in any order and on any threads, and returns after
// the last call has.
using ForEachBlock = absl::FunctionRef<void(size_t count, BlockRunner run)>;

// Runs all blocks, then Finish(). Cancelled where the flag is set, which is looked at before each
// block.
absl::Status Evaluate(const Plan& plan, std::span<const Destination> destinations,
                      const std::atomic<bool>& cancelled, ForEachBlock for_each,
                      std::optional<StreamSums>* sums);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_H_
