// Cutting a tensor into blocks in which elements with the same index along an axis are many.
#ifndef ACTIVATION_SERVER_EVALUATE_TILE_H_
#define ACTIVATION_SERVER_EVALUATE_TILE_H_

#include <algorithm>
#include <cstddef>

#include "server/evaluate/axis.h"
#include "server/wire/limits.h"

namespace activation::server {

// Elements of a tensor that is laid out as `outer` times `extent` times `inner`: a range of each.
struct Tile {
  size_t outer;
  size_t outer_count;
  size_t index;
  size_t index_count;
  size_t inner;
  size_t inner_count;
};

// Indexes of the axis in one tile, while there are many elements for each of them.
inline constexpr size_t kIndexesPerTile = 64;

// Calls on_tile(tile) for tiles of at most kElementsPerBlock elements that make up the tensor. In a
// tile, an index has at least kElementsPerBlock / kIndexesPerTile = 256 elements, about, or all
// that it has in the tensor. Where inner_count is less than the layout's, index_count is 1.
template <typename OnTile>
void ForEachTile(const AxisLayout& layout, OnTile on_tile) {
  if (layout.outer == 0 || layout.extent == 0 || layout.inner == 0) return;
  const size_t inner = std::min<size_t>(layout.inner, kElementsPerBlock);
  const size_t runs = kElementsPerBlock / inner;
  const size_t outer =
      std::min(layout.outer, runs / std::min({runs, layout.extent, kIndexesPerTile}));
  const size_t indexes = std::min(layout.extent, runs / outer);
  for (size_t o = 0; o < layout.outer; o += outer) {
    for (size_t k = 0; k < layout.extent; k += indexes) {
      for (size_t i = 0; i < layout.inner; i += inner) {
        on_tile(Tile{.outer = o,
                     .outer_count = std::min(outer, layout.outer - o),
                     .index = k,
                     .index_count = std::min(indexes, layout.extent - k),
                     .inner = i,
                     .inner_count = std::min(inner, layout.inner - i)});
      }
    }
  }
}

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_TILE_H_
