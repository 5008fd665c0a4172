// How a tensor is cut into chunks for a stream, and its results joined again.
#ifndef ACTIVATION_CLIENT_CHUNKS_H_
#define ACTIVATION_CLIENT_CHUNKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"
#include "client/options.h"
#include "client/requests.h"

namespace activation {

// The chunks of a tensor with `elements` elements, `chunk` in each but the last. Each is a tensor
// of its own: flat, or some of the parts that the axes before `first_axis` make, with the axes from
// there on, so that nothing that goes along those is cut.
class Chunks {
 public:
  // Chunks of which request and reply, at most `bytes_per_element` each way, stay within
  // options.chunk_bytes, where the axes that `activation` and `bias` name allow it.
  // `is_halved`: whether the upstream tensor, and so the value, is half as large as the input.
  static absl::StatusOr<Chunks> Make(const ClientOptions& options, const Tensor& input,
                                     const Activation& activation,
                                     const std::optional<AxisTensor>& bias,
                                     size_t bytes_per_element, bool is_halved);

  size_t count() const { return (elements_ + chunk_ - 1) / chunk_; }

  // The index-th chunk of the input, or of another tensor with as many elements or half as many. A
  // single chunk is the tensor as it is, which is moved from.
  v1::Tensor Take(size_t index, Tensor& tensor) const;

  // The same function, and bias, with the axes of a chunk.
  v1::Activation ForChunk(const Activation& activation) const;
  v1::AxisTensor ForChunk(const AxisTensor& bias) const;

  // An axis of a chunk as one of the whole tensor.
  int32_t ForWhole(int32_t axis) const;

  // Adds one reply's elements to those before: as many as the chunk's, or half as many where
  // `activation`, of the reply, is a row function. With a single chunk, which goes as it is, the
  // reply's shape is taken over, too.
  absl::Status Append(size_t index, const char* what, const v1::Activation& activation,
                      v1::Tensor&& reply, Tensor& joined) const;

  // Where replies are joined.
  Tensor MakeJoined(DataType type) const;

 private:
  size_t Size(size_t index) const;
  int32_t Resolve(std::optional<int32_t> axis, int32_t fallback) const;

  size_t elements_ = 0;
  size_t chunk_ = 1;
  // Whether chunks are parts of axes; otherwise they are flat.
  bool has_parts_ = false;
  int32_t first_axis_ = 0;
  std::vector<int64_t> shape_;
};

}  // namespace activation

#endif  // ACTIVATION_CLIENT_CHUNKS_H_
