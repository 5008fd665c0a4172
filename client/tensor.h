// A tensor as it travels: element type, shape, and packed bytes.
#ifndef ACTIVATION_CLIENT_TENSOR_H_
#define ACTIVATION_CLIENT_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/element_type.h"

namespace activation {

struct Tensor {
  DataType type = DataType::kFloat32;
  // Extents, outermost first. Empty: a flat vector of as many elements as there are.
  std::vector<int64_t> shape = {};
  // The elements, row-major, little-endian, packed.
  std::string data = {};

  // Elements; data must be whole ones.
  size_t size() const { return data.size() / SizeOf(type); }
};

// Holds the span's elements as they are.
Tensor MakeTensor(std::span<const float> values, std::vector<int64_t> shape = {});
Tensor MakeTensor(std::span<const double> values, std::vector<int64_t> shape = {});

// Holds the values, each rounded to `type` once, to nearest, ties to even.
Tensor MakeTensor(DataType type, std::span<const double> values, std::vector<int64_t> shape = {});

// The elements, exactly.
std::vector<double> ToDoubles(const Tensor& tensor);

// The product of the extents; INVALID_ARGUMENT where one is negative or the product is above
// 2^63 - 1. 1 for an empty shape.
absl::StatusOr<int64_t> ElementCount(std::span<const int64_t> shape);

// INVALID_ARGUMENT, saying what would fit, unless `tensor.data` holds whole elements and, where
// there is a shape, as many as it says.
absl::Status Validate(const Tensor& tensor);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_TENSOR_H_
