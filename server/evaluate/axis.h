// Axes of row-major tensors.
#ifndef ACTIVATION_SERVER_EVALUATE_AXIS_H_
#define ACTIVATION_SERVER_EVALUATE_AXIS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/wire/tensor.h"

namespace activation::server {

// How many axes a tensor has; one where its shape is empty.
int AxisCount(const Shape& shape);

// The axis counted from 0; none where the tensor has no such axis.
std::optional<int> FindAxis(const Shape& shape, int64_t axis);

// Where an axis lies among a tensor's elements: `outer` times `extent` times `inner` of them.
struct AxisLayout {
  size_t outer = 0;
  size_t extent = 0;
  size_t inner = 0;

  // The place along the axis of the element with this index. Not for tensors without elements.
  size_t IndexOf(size_t element) const { return element / inner % extent; }
};

// The layout of an axis of a tensor with `count` elements; without elements outer and inner are 0.
AxisLayout LayoutOf(const Shape& shape, int64_t count, int axis);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_AXIS_H_
