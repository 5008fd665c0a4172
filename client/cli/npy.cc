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

struct ElementType {
  // The type string without its byte order.
  std::string_view code;
  DataType type;
  // Only as this type if it is asked for: the file could mean something else.
  bool on_request;
};
// The first of a type is how it is written.
constexpr ElementType kElementTypes[] = {
    {"f4", DataType::kFloat32, false}, {"f8", DataType::kFloat64, false},
    {"f2", DataType::kFloat16, false}, {"u2", DataType::kBFloat16, true},
    {"V2", DataType::kBFloat16, true},
};

// A type string without its byte order: "f4" of "<f4".
std::string_view CodeOf(std::string_view descr) { return descr.substr(descr.empty() ? 0 : 1); }

// What NumPy calls a type string, for people.
std::string Describe(const std::string& descr) {
  const std::string_view code = CodeOf(descr);
  for (const ElementType& element : kElementTypes) {
    if (code == element.code && !element.on_request) return NameOf(element.type);
  }
  return code == "u2" ? "uint16" : absl::StrCat("'", descr.substr(0, 40), "'");
}

absl::StatusOr<DataType> TypeOf(const std::string& descr, std::optional<DataType> wanted) {
  const std::string_view code = CodeOf(descr);
  const auto* const element =
      std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                   [code](const ElementType& candidate) { return candidate.code == code; });
  const bool known = element != std::end(kElementTypes) &&
                     std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  if (!known) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds ", Describe(descr),
                     "; float32, float64, float16, or uint16 with the bits of bfloat16 are "
                     "supported: convert it, for example with x.astype('float32')"));
  }
  if (wanted == element->type || (!wanted.has_value() && !element->on_request)) {
    return element->type;
  }
  if (!wanted.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds ", Describe(descr),
                     "; add --dtype bfloat16 if these are the bits of bfloat16 numbers, otherwise "
                     "convert it, for example with x.astype('float32')"));
  }
  if (*wanted == DataType::kBFloat16) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds ", Describe(descr),
                     ", but --dtype is bfloat16, whose bits stand in a "
                     "uint16 file: drop --dtype, and add --output-dtype bfloat16 if the result "
                     "should be bfloat16"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("holds ", Describe(descr), ", but --dtype is ", NameOf(*wanted),
                   element->on_request ? ": convert it with x.astype('"
                                       : ": drop --dtype, or convert it with x.astype('",
                   NameOf(*wanted), "')"));
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
  const auto* const element =
      std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                   [type](const ElementType& candidate) { return candidate.type == type; });
  std::string header = FormatNpyHeader(std::string("<").append(element->code), shape);
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
