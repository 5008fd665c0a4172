#include "client/cli/npy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/npy_header.h"

namespace activation::cli {
namespace {

// Every .npy file begins so; then come a major and a minor version, the header's length (2 bytes in
// version 1, 4 in 2 and 3, little-endian), the header, and the elements.
constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kVersionBytes = 2;
// numpy.save pads the header, so that the elements are aligned.
constexpr size_t kAlignment = 64;

// NumPy has some of the types, and calls them "f4" and the like. The bits of the others stand in
// files of unsigned integers, as "u2", or of bytes, as "V2" (so ml_dtypes writes them): these are
// only meant where they are asked for.
bool IsNumpyType(const ElementType& type) { return type.name == absl::StrCat("float", type.bits); }
std::string CodeOf(const ElementType& type) {
  return absl::StrCat(IsNumpyType(type) ? "f" : "u", type.bits / 8);
}
bool HasCode(const ElementType& type, std::string_view code) {
  return code == CodeOf(type) || (!IsNumpyType(type) && code == absl::StrCat("V", type.bits / 8));
}

// A type string without its byte order: "f4" of "<f4".
std::string_view WithoutOrder(std::string_view descr) {
  return descr.substr(descr.empty() ? 0 : 1);
}

// What NumPy calls a type string, for people.
std::string NumpyName(const std::string& descr) {
  const std::string_view code = WithoutOrder(descr);
  for (const ElementType& type : kElementTypes) {
    if (code == CodeOf(type)) {
      return IsNumpyType(type) ? std::string(type.name) : absl::StrCat("uint", type.bits);
    }
  }
  return absl::StrCat("'", descr.substr(0, 40), "'");
}

// "float32, float64, float16, or uint16 with the bits of bfloat16".
std::string Supported() {
  std::string names, bits;
  for (const ElementType& type : kElementTypes) {
    if (IsNumpyType(type)) {
      absl::StrAppend(&names, type.name, ", ");
    } else {
      absl::StrAppend(&bits, bits.empty() ? "" : ", ", "or uint", type.bits, " with the bits of ",
                      type.name);
    }
  }
  return names + bits;
}

absl::StatusOr<DataType> TypeOf(const std::string& descr, std::optional<DataType> wanted) {
  const std::string_view code = WithoutOrder(descr);
  const bool has_order = std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  if (has_order && wanted.has_value() && HasCode(TraitsOf(*wanted), code)) return *wanted;
  const auto* const found = std::ranges::find_if(
      kElementTypes, [code](const ElementType& type) { return HasCode(type, code); });
  const std::string holds = absl::StrCat("holds ", NumpyName(descr));
  if (!has_order || found == kElementTypes.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(holds, "; ", Supported(),
                     " are supported: convert it, for example with x.astype('float32')"));
  }
  if (!wanted.has_value()) {
    if (IsNumpyType(*found)) return found->type;
    return absl::InvalidArgumentError(absl::StrCat(
        holds, "; add --dtype ", found->name, " if these are the bits of ", found->name,
        " numbers, otherwise convert it, for example with x.astype('float32')"));
  }
  const ElementType& type = TraitsOf(*wanted);
  if (!IsNumpyType(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat(holds, ", but --dtype is ", type.name, ", whose bits stand in a uint",
                     type.bits, " file: drop --dtype, and add --output-dtype ", type.name,
                     " if the result should be ", type.name));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(holds, ", but --dtype is ", type.name,
                   IsNumpyType(*found) ? ": drop --dtype, or convert it with x.astype('"
                                       : ": convert it with x.astype('",
                   type.name, "')"));
}

void SwapBytes(std::string& data, size_t size) {
  for (size_t i = 0; i < data.size(); i += size) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                 data.begin() + static_cast<std::ptrdiff_t>(i + size));
  }
}

// Column-major elements in row-major order.
std::string ToRowMajor(std::string_view data, std::span<const int64_t> shape, size_t size) {
  // The extents of an empty array may be of any size, and their product too.
  if (data.empty()) return {};
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  std::string result(data.size(), '\0');
  std::vector<int64_t> index(shape.size());
  int64_t source = 0;
  for (size_t target = 0; target < result.size(); target += size) {
    std::memcpy(result.data() + target, data.data() + static_cast<size_t>(source) * size, size);
    // Count the index up, last axis first.
    for (size_t axis = shape.size(); axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < shape[axis]) break;
      source -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

struct Parts {
  NpyHeader header;
  std::string_view data;
};

absl::StatusOr<Parts> SplitFile(std::string_view bytes) {
  if (!IsNpy(bytes)) {
    return absl::InvalidArgumentError("not a .npy file: it does not begin with \\x93NUMPY");
  }
  const absl::Status cut = absl::InvalidArgumentError("cut short: it ends inside the .npy header");
  std::string_view rest = bytes.substr(kMagic.size());
  if (rest.size() < kVersionBytes) return cut;
  const int major = static_cast<unsigned char>(rest[0]);
  if (major < 1 || major > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat(".npy format version ", major, " is not supported; 1, 2 and 3 are"));
  }
  rest.remove_prefix(kVersionBytes);
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (rest.size() < length_bytes) return cut;
  uint32_t length = 0;
  std::memcpy(&length, rest.data(), length_bytes);
  rest.remove_prefix(length_bytes);
  if (rest.size() < length) return cut;
  absl::StatusOr<NpyHeader> header = ParseNpyHeader(rest.substr(0, length));
  if (!header.ok()) return header.status();
  return Parts{.header = *std::move(header), .data = rest.substr(length)};
}

}  // namespace

bool IsNpy(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

absl::StatusOr<Tensor> DecodeNpy(std::string_view bytes, std::optional<DataType> type) {
  absl::StatusOr<Parts> parts = SplitFile(bytes);
  if (!parts.ok()) return parts.status();
  const NpyHeader& header = parts->header;
  absl::StatusOr<DataType> element_type = TypeOf(header.descr, type);
  if (!element_type.ok()) return element_type.status();
  absl::StatusOr<int64_t> count = ElementCount(header.shape);
  if (!count.ok()) return count.status();
  const size_t size = SizeOf(*element_type);
  if (parts->data.size() % size != 0 ||
      parts->data.size() / size != static_cast<uint64_t>(*count)) {
    const char* problem =
        parts->data.size() / size < static_cast<uint64_t>(*count) ? "cut short" : "too long";
    return absl::InvalidArgumentError(absl::StrCat(
        problem, ": its shape (", absl::StrJoin(header.shape, ", "), ") needs ", *count,
        " elements of ", size, " bytes, and ", parts->data.size(), " bytes follow the header"));
  }
  Tensor tensor{.type = *element_type, .shape = header.shape};
  tensor.data =
      header.fortran_order ? ToRowMajor(parts->data, header.shape, size) : std::string(parts->data);
  if (header.descr.front() == '>') SwapBytes(tensor.data, size);
  return tensor;
}

std::string EncodeNpy(DataType type, std::span<const int64_t> shape, std::string_view data) {
  std::string header = FormatNpyHeader(absl::StrCat("<", CodeOf(TraitsOf(type))), shape);
  const size_t fixed = kMagic.size() + kVersionBytes + 2;
  const size_t padded = (fixed + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(padded - fixed - 1, ' ');
  header += '\n';
  std::string file(kMagic);
  file.reserve(padded + data.size());
  file +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  file += data;
  return file;
}

}  // namespace activation::cli
