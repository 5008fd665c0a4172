#include "client/tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/tensor_codec.h"

namespace activation {

static_assert(std::endian::native == std::endian::little, "tensors are packed little-endian");

namespace {

template <class Element>
std::string Pack(std::span<const Element> elements) {
  std::string data(elements.size_bytes(), '\0');
  if (!elements.empty()) std::memcpy(data.data(), elements.data(), data.size());
  return data;
}

template <class Element>
Element At(const std::string& data, size_t index) {
  Element element;
  std::memcpy(&element, data.data() + index * sizeof(Element), sizeof(Element));
  return element;
}

template <class Element, class Encode>
std::string Pack(std::span<const double> values, Encode encode) {
  std::vector<Element> elements(values.size());
  std::transform(values.begin(), values.end(), elements.begin(), encode);
  return Pack(std::span<const Element>(elements));
}

}  // namespace

const char* NameOf(DataType type) {
  constexpr const char* kNames[] = {"float32", "float64", "float16", "bfloat16"};
  return kNames[static_cast<size_t>(type)];
}

Tensor MakeTensor(std::span<const float> values, std::vector<int64_t> shape) {
  return {.type = DataType::kFloat32, .shape = std::move(shape), .data = Pack(values)};
}

Tensor MakeTensor(std::span<const double> values, std::vector<int64_t> shape) {
  return {.type = DataType::kFloat64, .shape = std::move(shape), .data = Pack(values)};
}

Tensor MakeTensor(DataType type, std::span<const double> values, std::vector<int64_t> shape) {
  Tensor tensor{.type = type, .shape = std::move(shape)};
  switch (type) {
    case DataType::kFloat32:
      tensor.data = Pack<float>(values, [](double value) { return static_cast<float>(value); });
      break;
    case DataType::kFloat64:
      tensor.data = Pack(values);
      break;
    case DataType::kFloat16:
      tensor.data = Pack<uint16_t>(values, DoubleToFloat16);
      break;
    case DataType::kBFloat16:
      tensor.data = Pack<uint16_t>(values, DoubleToBFloat16);
      break;
  }
  return tensor;
}

std::vector<double> ToDoubles(const Tensor& tensor) {
  std::vector<double> values(tensor.size());
  for (size_t i = 0; i < values.size(); ++i) {
    switch (tensor.type) {
      case DataType::kFloat32:
        values[i] = At<float>(tensor.data, i);
        break;
      case DataType::kFloat64:
        values[i] = At<double>(tensor.data, i);
        break;
      case DataType::kFloat16:
        values[i] = Float16ToDouble(At<uint16_t>(tensor.data, i));
        break;
      case DataType::kBFloat16:
        values[i] = BFloat16ToDouble(At<uint16_t>(tensor.data, i));
        break;
    }
  }
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
