// What the bytes of a request say, parsed but not judged: numbers of enums, lengths that may not
// fit.
//
// A RawRequest holds at most a bounded number of everything that a sender can repeat, so that no
// request needs much more memory than its own bytes; where it stopped, it says that there was more.
#ifndef ACTIVATION_SERVER_WIRE_REQUEST_H_
#define ACTIVATION_SERVER_WIRE_REQUEST_H_

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/wire/limits.h"
#include "server/wire/tensor.h"

namespace activation::server {

// A stretch of a byte string that is stored in pieces. Borrowed.
struct Piece {
  const std::byte* data;
  size_t size;
  // Where it begins in the whole.
  size_t begin;
};
// In order, none of them empty.
using Pieces = absl::InlinedVector<Piece, 2>;
inline size_t SizeOf(const Pieces& pieces) {
  return pieces.empty() ? 0 : pieces.back().begin + pieces.back().size;
}

struct RawTensor {
  int data_type = 0;
  // The first kMaxRank extents.
  Shape shape;
  // Extents in all.
  int64_t rank = 0;
  Pieces data;
  std::vector<float> float_values;
  std::vector<double> double_values;
};

struct RawAxisTensor {
  std::optional<RawTensor> values;
  std::optional<int32_t> axis;
};

struct RawActivation {
  // Names are cut after kMaxNameBytes + 1 bytes, the formula after one more than its limit.
  std::string name = {};
  std::string formula = {};
  // The first kMaxRequestParameters + 1 different ones of each.
  absl::InlinedVector<std::pair<std::string, double>, 2> parameters;
  std::vector<std::pair<std::string, RawAxisTensor>> parameter_tensors;
  std::optional<int32_t> axis;
};

// An Evaluation or a GradientEvaluation: they share their fields' numbers.
struct RawItem {
  std::optional<RawActivation> activation;
  std::optional<RawTensor> input;
  int output_type = 0;
  std::optional<RawTensor> upstream;
  bool return_value = false;
  bool return_parameter_gradients = false;
  std::optional<RawAxisTensor> bias;
};

struct RawRequest {
  // At most the limit of items, and one more.
  std::vector<RawItem> items;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_REQUEST_H_
