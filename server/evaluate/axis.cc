#include "server/evaluate/axis.h"

namespace activation::server {

int AxisCount(const Shape& shape) { return shape.empty() ? 1 : static_cast<int>(shape.size()); }

std::optional<int> FindAxis(const Shape& shape, int64_t axis) {
  const int64_t count = AxisCount(shape);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + count : axis);
}

AxisLayout LayoutOf(const Shape& shape, int64_t count, int axis) {
  if (shape.empty()) return {.outer = 1, .extent = static_cast<size_t>(count), .inner = 1};
  AxisLayout layout = {.extent = static_cast<size_t>(shape[static_cast<size_t>(axis)])};
  // Beside an extent of 0 the others' product may overflow.
  if (count == 0) return layout;
  layout.outer = layout.inner = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t extent = static_cast<size_t>(shape[i]);
    if (static_cast<int>(i) < axis) layout.outer *= extent;
    if (static_cast<int>(i) > axis) layout.inner *= extent;
  }
  return layout;
}

}  // namespace activation::server
