// Runs a plan: from the elements in a request's bytes to results in the reply's.
//
// The work is cut into blocks of at most kElementsPerBlock elements of one item, or of one row that
// is longer. Blocks can be run in any order and on any threads; results do not depend on either.
#ifndef ACTIVATION_SERVER_EVALUATE_EVALUATE_H_
#define ACTIVATION_SERVER_EVALUATE_EVALUATE_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "server/evaluate/elementwise.h"
#include "server/evaluate/plan.h"
#include "server/evaluate/tile.h"
#include "server/wire/reply.h"

namespace activation::server {

// One gradient that is summed over elements: for each index of an axis, or one for all.
struct GradientTarget {
  // As for engine::AddGradient.
  int what;
  // One for all: an axis of extent 1.
  AxisLayout layout;
  // How many sums; the layout's extent, unless there are no elements.
  size_t count;
};

// What is summed for an item: each parameter, then the bias, where there is one.
std::vector<GradientTarget> GradientTargetsOf(const PlanItem& item, const ReplyItem& reply);

// The sums of each target.
using GradientSums = std::vector<std::vector<engine::PreciseSum>>;

// The sums of a stream's parameter gradients over its chunks, and of what.
struct StreamSums {
  std::shared_ptr<const Activation> activation;
  std::optional<Bias> bias;
  GradientSums sums;
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
  // Elements of an item in order.
  struct Stretch {
    size_t begin;
    size_t count;
  };
  // Elements of an item in a tile, along the axis of a parameter.
  struct Gathered {
    AxisLayout layout;
    Tile tile;
  };
  struct SomeRows {
    size_t first;
    size_t count;
  };
  // Sums over a tile for the target with this place, one for each of the tile's indexes. Each block
  // has its own, so that the order of their sum does not depend on threads.
  struct Sums {
    size_t target;
    Tile tile;
    std::vector<engine::PreciseSum> sums;
  };
  struct Block {
    size_t item;
    std::variant<Stretch, Gathered, SomeRows, Sums> part;
  };

  void AddBlocks(size_t item);
  void Run(const Block& block, const Stretch& stretch);
  void Run(const Block& block, const Gathered& gathered);
  void Run(const Block& block, const SomeRows& rows);
  void Run(const Block& block, Sums& sums);
  Work WorkOf(const Block& block) const;

  const Plan& plan_;
  std::span<const Destination> destinations_;
  // What is summed for each item; empty where no parameter gradients are asked for.
  std::vector<std::vector<GradientTarget>> targets_;
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

#endif  // ACTIVATION_SERVER_EVALUATE_EVALUATE_H_
