#include "client/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace activation {

namespace {

template <class Element>
std::string Pack(std::span<const Element> elements) {
  std::string data(elements.size_bytes(), '\0');
  if (!elements.empty()) std::memcpy(data.data(), elements.data(), data.size());
  return data;
}

}  // namespace

Tensor MakeTensor(std::span<const float> values, std::vector<int64_t> shape) {
  return {.type = DataType::kFloat32, .shape = std::move(shape), .data = Pack(values)};
}

Tensor MakeTensor(std::span<const double> values, std::vector<int64_t> shape) {
  return {.type = DataType::kFloat64, .shape = std::move(shape), .data = Pack(values)};
}

Tensor MakeTensor(DataType type, std::span<const double> values, std::vector<int64_t> shape) {
  Tensor tensor{.type = type, .shape = std::move(shape)};
  tensor.data.resize(values.size() * SizeOf(type));
  Encode(type, values.data(), values.size(), reinterpret_cast<std::byte*>(tensor.data.data()));
  return tensor;
}

std::vector<double> ToDoubles(const Tensor& tensor) {
  std::vector<double> values(tensor.size());
  Decode(tensor.type, reinterpret_cast<const std::byte*>(tensor.data.data()), values.size(),
         values.data());
  return values;
}

absl::StatusOr<int64_t> ElementCount(std::span<const int64_t> shape) {
  const auto error = [shape](const char* problem) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape (", absl::StrJoin(shape, ", "), "): ", problem));
  };
  if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; })) {
    return error("an extent must not be negative");
  }
  // A 0 makes the tensor empty, however large the other extents.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return error("more than 2^63 - 1 elements");
  }
  return count;
}

absl::Status Validate(const Tensor& tensor) {
  const size_t size = SizeOf(tensor.type);
  if (tensor.data.size() % size != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor of ", NameOf(tensor.type), ": ", tensor.data.size(),
                     " bytes of data; a multiple of ", size, " is needed"));
  }
  if (tensor.shape.empty()) return absl::OkStatus();
  absl::StatusOr<int64_t> count = ElementCount(tensor.shape);
  if (!count.ok()) return count.status();
  if (static_cast<uint64_t>(*count) != tensor.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor of shape (", absl::StrJoin(tensor.shape, ", "), "): ", *count,
                     " elements are needed, ", tensor.size(), " given"));
  }
  return absl::OkStatus();
}

}  // namespace activation
