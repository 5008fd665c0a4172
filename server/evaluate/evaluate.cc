#include "server/evaluate/evaluate.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/evaluate/errors.h"
#include "server/evaluate/rowwise.h"
#include "server/wire/reply.h"

namespace activation::server {
namespace {

// With at least so many elements side by side that share their parameters, calls of the engine for
// them cost little more than one for all; with fewer, elements are gathered first.
constexpr size_t kLeastStretch = 64;

// Where the parameters differ along axes: the axis along which neighbours differ soonest, if they
// have to be gathered.
const AxisLayout* FindGatheredAxis(const PlanItem& item) {
  const auto least = std::ranges::min_element(item.tensors, {}, &AxisLayout::inner);
  if (least == item.tensors.end() || least->inner >= kLeastStretch) return nullptr;
  return &*least;
}

bool IsSame(const std::optional<Bias>& a, const std::optional<Bias>& b) {
  return a.has_value() == b.has_value() && (!a || (a->type == b->type && a->values == b->values));
}

// Begins anew, with zeros, where the item is not of the function of `sums`.
void Continue(const PlanItem& item, const std::vector<GradientTarget>& targets,
              std::optional<StreamSums>& sums) {
  const auto has_targets = [&](const GradientSums& other) {
    return std::ranges::equal(other, targets, {}, &std::vector<engine::PreciseSum>::size,
                              &GradientTarget::count);
  };
  if (sums && IsSame(*sums->activation, *item.activation) && IsSame(sums->bias, item.bias) &&
      has_targets(sums->sums)) {
    return;
  }
  sums = StreamSums{.activation = item.activation, .bias = item.bias, .sums = {}};
  for (const GradientTarget& target : targets) sums->sums.emplace_back(target.count);
}

void Write(std::span<const engine::PreciseSum> sums, std::byte* destination) {
  for (const engine::PreciseSum& sum : sums) {
    const double total = sum.Total();
    std::memcpy(destination, &total, sizeof(total));
    destination += sizeof(total);
  }
}

}  // namespace

std::vector<GradientTarget> GradientTargetsOf(const PlanItem& item, const ReplyItem& reply) {
  std::vector<GradientTarget> targets;
  if (!reply.has_parameter_gradients || item.activation->row != nullptr) return targets;
  const size_t elements = static_cast<size_t>(item.input.count);
  const AxisLayout all = {.outer = 1, .extent = 1, .inner = elements};
  const int parameters = static_cast<int>(reply.activation.parameters().size());
  for (int i = 0; i < parameters; ++i) targets.push_back({.what = i, .layout = all, .count = 1});
  for (size_t t = 0; t < item.tensors.size(); ++t) {
    GradientTarget& target = targets[static_cast<size_t>(item.activation->tensors[t].parameter)];
    target.layout = item.tensors[t];
    target.count = item.tensors[t].extent;
  }
  if (item.bias) {
    targets.push_back(
        {.what = engine::kBias, .layout = item.bias->layout, .count = item.bias->layout.extent});
  }
  return targets;
}

Evaluation::Evaluation(const Plan& plan, std::span<const Destination> destinations)
    : plan_(plan), destinations_(destinations) {
  for (size_t item = 0; item < plan.items.size(); ++item) {
    targets_.push_back(GradientTargetsOf(plan.items[item], plan.reply[item]));
    AddBlocks(item);
  }
}

void Evaluation::AddBlocks(size_t index) {
  constexpr size_t kBlock = kElementsPerBlock;
  const PlanItem& item = plan_.items[index];
  const size_t count = static_cast<size_t>(item.input.count);
  if (count == 0) return;
  if (item.activation->row != nullptr) {
    const size_t rows = item.rows.outer * item.rows.inner;
    const size_t some = std::max<size_t>(kBlock / item.rows.extent, 1);
    for (size_t first = 0; first < rows; first += some) {
      blocks_.push_back({index, SomeRows{first, std::min(some, rows - first)}});
    }
  } else if (const AxisLayout* const axis = FindGatheredAxis(item)) {
    ForEachTile(*axis, [&](const Tile& tile) {
      blocks_.push_back({index, Gathered{*axis, tile}});
    });
  } else {
    for (size_t begin = 0; begin < count; begin += kBlock) {
      blocks_.push_back({index, Stretch{begin, std::min(kBlock, count - begin)}});
    }
  }
  for (size_t target = 0; target < targets_[index].size(); ++target) {
    ForEachTile(targets_[index][target].layout, [&](const Tile& tile) {
      blocks_.push_back({index, Sums{target, tile, {}}});
      std::get<Sums>(blocks_.back().part).sums.resize(tile.index_count);
    });
  }
}

void Evaluation::RunBlock(size_t index) {
  Block& block = blocks_[index];
  std::visit([&](auto& part) { Run(block, part); }, block.part);
}

Work Evaluation::WorkOf(const Block& block) const {
  return {.item = plan_.items[block.item],
          .reply = plan_.reply[block.item],
          .destination = destinations_[block.item]};
}

void Evaluation::Run(const Block& block, const Stretch& stretch) {
  RunStretch(WorkOf(block), stretch.begin, stretch.count);
}

void Evaluation::Run(const Block& block, const Gathered& gathered) {
  RunTile(WorkOf(block), gathered.layout, gathered.tile);
}

void Evaluation::Run(const Block& block, const SomeRows& rows) {
  RunRows(WorkOf(block), rows.first, rows.count);
}

void Evaluation::Run(const Block& block, Sums& sums) {
  const GradientTarget& target = targets_[block.item][sums.target];
  AddGradientOfTile(plan_.items[block.item], target.what, target.layout, sums.tile, sums.sums);
}

void Evaluation::Finish(std::optional<StreamSums>* stream) {
  auto block = blocks_.begin();
  for (size_t item = 0; item < plan_.items.size(); ++item) {
    const std::vector<GradientTarget>& targets = targets_[item];
    GradientSums own;
    for (const GradientTarget& target : targets) own.emplace_back(target.count);
    for (; block != blocks_.end() && block->item == item; ++block) {
      const auto* const part = std::get_if<Sums>(&block->part);
      if (part == nullptr) continue;
      for (size_t k = 0; k < part->sums.size(); ++k) {
        own[part->target][part->tile.index + k].Add(part->sums[k]);
      }
    }
    if (targets.empty()) continue;
    if (stream != nullptr) {
      Continue(plan_.items[item], targets, *stream);
      for (size_t t = 0; t < targets.size(); ++t) {
        for (size_t k = 0; k < targets[t].count; ++k) (*stream)->sums[t][k].Add(own[t][k]);
      }
    }
    const GradientSums& totals = stream != nullptr ? (*stream)->sums : own;
    const Destination& destination = destinations_[item];
    for (size_t t = 0; t < targets.size(); ++t) {
      const bool is_bias = targets[t].what == engine::kBias;
      Write(totals[t], is_bias ? destination.bias_gradient : destination.parameter_gradients[t]);
    }
  }
}

absl::Status Evaluate(const Plan& plan, std::span<const Destination> destinations,
                      const std::atomic<bool>& cancelled, ForEachBlock for_each,
                      std::optional<StreamSums>* sums) {
  Evaluation evaluation(plan, destinations);
  std::atomic<bool> skipped = false;
  for_each(evaluation.block_count(), [&](size_t i) {
    if (cancelled.load(std::memory_order_relaxed)) {
      skipped.store(true, std::memory_order_relaxed);
    } else {
      evaluation.RunBlock(i);
    }
  });
  if (skipped.load()) return errors::Cancelled();
  evaluation.Finish(sums);
  return absl::OkStatus();
}

}  // namespace activation::server
