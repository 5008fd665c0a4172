// Elementwise activations over parts of a plan's item: values, derivatives, and sums of gradients.
// Parameters and bias may differ along axes of the input.
#ifndef ACTIVATION_SERVER_EVALUATE_ELEMENTWISE_H_
#define ACTIVATION_SERVER_EVALUATE_ELEMENTWISE_H_

#include <cstddef>
#include <span>

#include "server/evaluate/plan.h"
#include "server/evaluate/tile.h"
#include "server/wire/reply.h"

namespace activation::server {

// What is computed, and where its results go.
struct Work {
  const PlanItem& item;
  const ReplyItem& reply;
  const Destination& destination;
};

// The elements from `begin` on, in the order in which they lie. For parameters that stay the same
// over many of them.
void RunStretch(const Work& work, size_t begin, size_t count);

// The elements of a tile, those with the same index together. For parameters that differ along that
// axis from element to element.
void RunTile(const Work& work, const AxisLayout& layout, const Tile& tile);

// Adds the gradient, `what` being as for engine::AddGradient: the elements with the tile's k-th
// index go to sums[k].
void AddGradientOfTile(const PlanItem& item, int what, const AxisLayout& layout, const Tile& tile,
                       std::span<engine::PreciseSum> sums);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ELEMENTWISE_H_
