// What the parameters and the bias of an item are at its elements, where they differ along axes.
#ifndef ACTIVATION_SERVER_EVALUATE_ALONG_AXES_H_
#define ACTIVATION_SERVER_EVALUATE_ALONG_AXES_H_

#include <absl/container/inlined_vector.h>

#include <cstddef>

#include "server/evaluate/plan.h"

namespace activation::server {

// The function at an element, which the parameters that are tensors make.
class FunctionCursor {
 public:
  // `item` must outlive it.
  explicit FunctionCursor(const PlanItem& item)
      : item_(item), function_(item.activation->function), indexes_(item.tensors.size()) {}

  // The function at the element that it was moved to.
  const engine::Function& function() const { return function_; }
  void MoveTo(size_t element);

  // Whether it is the same at another element.
  bool IsSameAt(size_t element) const;

  // How many elements from this one on surely share their function, for one call of the engine.
  size_t SharedFrom(size_t element) const;

  // Whether it is the same wherever the index along this axis is.
  bool DependsOnlyOn(const AxisLayout& axis) const;

 private:
  const PlanItem& item_;
  engine::Function function_;
  absl::InlinedVector<size_t, 2> indexes_;
};

// The addends of `count` > 0 elements from `first` on, of `size` bytes each.
void CopyAddends(const Bias& bias, size_t size, size_t first, size_t count, std::byte* out);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ALONG_AXES_H_
