#include "server/evaluate/along_axes.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace activation::server {
namespace {

// Elements of one call of the engine where a parameter is a tensor: fewer than those for which it
// makes a table of all results, since each value of a parameter would have one of its own.
constexpr size_t kMostOfOneFunction = 4'096;

void Repeat(const std::byte* element, size_t size, size_t count, std::byte* out) {
  std::memcpy(out, element, size);
  for (size_t done = 1; done < count;) {
    const size_t some = std::min(done, count - done);
    std::memcpy(out + done * size, out, some * size);
    done += some;
  }
}

}  // namespace

void FunctionCursor::MoveTo(size_t element) {
  for (size_t t = 0; t < indexes_.size(); ++t) {
    const ParameterTensor& tensor = item_.activation->tensors[t];
    indexes_[t] = item_.tensors[t].IndexOf(element);
    function_.parameters[static_cast<size_t>(tensor.parameter)] = tensor.values[indexes_[t]];
  }
}

bool FunctionCursor::IsSameAt(size_t element) const {
  for (size_t t = 0; t < indexes_.size(); ++t) {
    if (item_.tensors[t].IndexOf(element) != indexes_[t]) return false;
  }
  return true;
}

size_t FunctionCursor::SharedFrom(size_t element) const {
  size_t count = indexes_.empty() ? std::numeric_limits<size_t>::max() : kMostOfOneFunction;
  for (const AxisLayout& layout : item_.tensors) {
    count = std::min(count, layout.inner - element % layout.inner);
  }
  return count;
}

bool FunctionCursor::DependsOnlyOn(const AxisLayout& axis) const {
  return std::ranges::all_of(item_.tensors, [&](const AxisLayout& layout) {
    return layout.inner == axis.inner && layout.extent == axis.extent;
  });
}

void CopyAddends(const Bias& bias, size_t size, size_t first, size_t count, std::byte* out) {
  const AxisLayout& layout = bias.layout;
  size_t index = layout.IndexOf(first);
  size_t some = layout.inner - first % layout.inner;
  while (count > 0) {
    if (layout.inner == 1) {
      some = std::min(count, layout.extent - index);
      std::memcpy(out, bias.values.data() + index * size, some * size);
      index = 0;
    } else {
      some = std::min(count, some);
      Repeat(bias.values.data() + index * size, size, some, out);
      index = index + 1 == layout.extent ? 0 : index + 1;
    }
    out += some * size;
    count -= some;
    some = layout.inner;
  }
}

}  // namespace activation::server
