// The elements of a request's tensors: validation, and reading them wherever they lie.
#ifndef ACTIVATION_SERVER_EVALUATE_ELEMENTS_H_
#define ACTIVATION_SERVER_EVALUATE_ELEMENTS_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "proto/element_type.h"
#include "server/wire/request.h"

namespace activation::server {

// The elements of a tensor: packed, little-endian, of `type`.
struct Elements {
  DataType type = DataType::kFloat32;
  Encoding encoding = Encoding::kBytes;
  Shape shape;
  int64_t count = 0;
  // They point into the request, or into one of the next three, which stay put when this moves.
  Pieces pieces;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::byte> narrow;

  Elements() = default;
  Elements(Elements&&) = default;
  Elements& operator=(Elements&&) = default;
};

// `field` is the path of the tensor, for errors.
absl::StatusOr<Elements> MakeElements(absl::string_view field, RawTensor tensor);
// `fallback` stands for "unspecified".
absl::StatusOr<DataType> MakeDataType(absl::string_view field, int number, DataType fallback);

// Reads whole elements out of pieces, in place where an element does not straddle two of them.
class ElementReader {
 public:
  // `elements` must outlive it. Begins at the first element.
  explicit ElementReader(const Elements& elements)
      : pieces_(elements.pieces), size_(SizeOf(elements.type)) {}

  // The next element is then the one with this index.
  void MoveTo(size_t index);

  // How many of the next elements, at least one, can be read at Data().
  size_t Available() const { return std::max<size_t>(LeftInPiece() / size_, 1); }

  // The next elements; valid until the next call of this or of a function that moves.
  const std::byte* Data();

  void Advance(size_t count);

  // Copies elements from `first` on, packed.
  void Copy(size_t first, size_t count, std::byte* out);

 private:
  // Bytes; 0 beyond the piece's end, where an element reached into the next one.
  size_t LeftInPiece() const {
    const size_t end = pieces_[piece_].begin + pieces_[piece_].size;
    return at_ < end ? end - at_ : 0;
  }

  const Pieces& pieces_;
  const size_t size_;
  size_t at_ = 0;
  size_t piece_ = 0;
  std::array<std::byte, sizeof(double)> straddling_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ELEMENTS_H_
