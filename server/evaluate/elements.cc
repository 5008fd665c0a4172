#include "server/evaluate/elements.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "proto/element_type.h"
#include "server/evaluate/errors.h"
#include "server/wire/limits.h"

namespace activation::server {
namespace {

// The type, with the two that a typed encoding tells by itself.
absl::StatusOr<DataType> TypeOf(absl::string_view field, const RawTensor& tensor) {
  if (tensor.data_type == 0 && !tensor.float_values.empty()) return DataType::kFloat32;
  if (tensor.data_type == 0 && !tensor.double_values.empty()) return DataType::kFloat64;
  if (tensor.data_type == 0) return errors::MissingDataType(field);
  const auto type = DataTypeOf(tensor.data_type);
  if (!type) {
    return errors::UnsupportedDataType(absl::StrCat(field, ".data_type"), tensor.data_type);
  }
  return *type;
}

// The product of the extents.
absl::StatusOr<int64_t> CountOf(absl::string_view field, const RawTensor& tensor) {
  if (tensor.rank > kMaxRank) return errors::RankTooHigh(field, tensor.rank);
  int64_t count = 1;
  bool overflow = false;
  bool has_zero = false;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t extent = tensor.shape[i];
    if (extent < 0) return errors::NegativeExtent(field, static_cast<int>(i), extent);
    has_zero |= extent == 0;
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (has_zero) return 0;
  if (overflow) return errors::ShapeOverflow(field);
  return count;
}

// Points `elements` at its own packed values.
template <typename T>
void PointAt(const std::vector<T>& values, Elements& elements) {
  const auto bytes = std::as_bytes(std::span(values));
  elements.pieces = {{.data = bytes.data(), .size = bytes.size(), .begin = 0}};
}

// Takes over float_values or double_values, each rounded to the type.
void TakeValues(RawTensor& tensor, Elements& elements) {
  if (elements.type == DataType::kFloat64) {
    elements.doubles = std::move(tensor.double_values);
    return PointAt(elements.doubles, elements);
  }
  if (elements.type == DataType::kFloat32) {
    elements.floats = std::move(tensor.float_values);
    return PointAt(elements.floats, elements);
  }
  const size_t size = SizeOf(elements.type);
  elements.narrow.resize(tensor.float_values.size() * size);
  std::byte* packed = elements.narrow.data();
  for (const double value : tensor.float_values) {
    Encode(elements.type, &value, 1, packed);
    packed += size;
  }
  PointAt(elements.narrow, elements);
}

// The elements where they stand, still without regard to the shape.
absl::Status TakeElements(absl::string_view field, RawTensor& tensor, Elements& elements) {
  const bool has_floats = !tensor.float_values.empty();
  const bool has_doubles = !tensor.double_values.empty();
  if ((tensor.data.empty() ? 0 : 1) + (has_floats ? 1 : 0) + (has_doubles ? 1 : 0) > 1) {
    return errors::TwoEncodings(field);
  }
  const bool is_float64 = elements.type == DataType::kFloat64;
  if (is_float64 ? has_floats : has_doubles) return errors::WrongValues(field, elements.type);
  if (has_floats || has_doubles) {
    elements.encoding = Encoding::kValues;
    elements.count =
        static_cast<int64_t>(has_floats ? tensor.float_values.size() : tensor.double_values.size());
    TakeValues(tensor, elements);
    return absl::OkStatus();
  }
  const size_t bytes = SizeOf(tensor.data);
  const size_t size = SizeOf(elements.type);
  if (tensor.rank == 0 && bytes % size != 0) {
    return errors::PartialElement(field, bytes, elements.type);
  }
  elements.count = static_cast<int64_t>(bytes / size);
  elements.pieces = std::move(tensor.data);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DataType> MakeDataType(absl::string_view field, int number, DataType fallback) {
  if (number == 0) return fallback;
  const auto type = DataTypeOf(number);
  if (!type) return errors::UnsupportedDataType(field, number);
  return *type;
}

absl::StatusOr<Elements> MakeElements(absl::string_view field, RawTensor tensor) {
  Elements elements;
  const auto type = TypeOf(field, tensor);
  if (!type.ok()) return type.status();
  elements.type = *type;
  const uint64_t bytes = SizeOf(tensor.data);
  const absl::Status taken = TakeElements(field, tensor, elements);
  if (!taken.ok()) return taken;
  if (tensor.rank == 0) return elements;

  const auto count = CountOf(field, tensor);
  if (!count.ok()) return count.status();
  if (elements.encoding == Encoding::kValues) {
    if (elements.count != *count) {
      return errors::WrongValueCount(field, static_cast<uint64_t>(elements.count), *count);
    }
  } else if (elements.count != *count || bytes % SizeOf(elements.type) != 0) {
    return errors::WrongByteCount(field, bytes, *count, elements.type);
  }
  elements.shape = std::move(tensor.shape);
  return elements;
}

void ElementReader::MoveTo(size_t index) {
  at_ = index * size_;
  if (piece_ < pieces_.size() && at_ >= pieces_[piece_].begin && LeftInPiece() > 0) return;
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), at_,
                       [](size_t at, const Piece& piece) { return at < piece.begin + piece.size; });
  piece_ = static_cast<size_t>(after - pieces_.begin());
}

const std::byte* ElementReader::Data() {
  if (LeftInPiece() >= size_) return pieces_[piece_].data + (at_ - pieces_[piece_].begin);
  for (size_t i = 0, piece = piece_; i < size_; ++i) {
    if (at_ + i == pieces_[piece].begin + pieces_[piece].size) ++piece;
    straddling_[i] = pieces_[piece].data[at_ + i - pieces_[piece].begin];
  }
  return straddling_.data();
}

void ElementReader::Advance(size_t count) {
  at_ += count * size_;
  while (piece_ < pieces_.size() && LeftInPiece() == 0) ++piece_;
}

void ElementReader::Copy(size_t first, size_t count, std::byte* out) {
  MoveTo(first);
  while (count > 0) {
    const size_t some = std::min(count, Available());
    std::memcpy(out, Data(), some * size_);
    out += some * size_;
    count -= some;
    Advance(some);
  }
}

}  // namespace activation::server
