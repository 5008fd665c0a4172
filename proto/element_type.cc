#include "proto/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace activation {
namespace {

static_assert(std::endian::native == std::endian::little, "packed elements are little-endian");

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kDataTypeCount; ++i) {
    if (static_cast<size_t>(kElementTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());
// What the fields below rest on.
static_assert(std::ranges::all_of(kElementTypes, [](const ElementType& type) {
  return type.has_infinity && type.has_nan && type.has_negative_zero && type.has_subnormals;
}));

constexpr int kDoubleFractionBits = 52;
constexpr int kDoubleBias = 1023;

// The fields of an element's bits.
struct Layout {
  int fraction_bits;
  int bias;
  uint64_t sign;
  uint64_t infinity;

  explicit constexpr Layout(const ElementType& type)
      : fraction_bits(type.precision - 1),
        bias(1 - type.least_exponent),
        sign(uint64_t{1} << (type.bits - 1)),
        infinity(sign - (uint64_t{1} << fraction_bits)) {}

  constexpr uint64_t quiet_nan() const { return infinity | uint64_t{1} << (fraction_bits - 1); }
};

double ToDouble(const Layout& layout, uint64_t bits) {
  const uint64_t magnitude = bits & (layout.sign - 1);
  const double sign = (bits & layout.sign) != 0 ? -1.0 : 1.0;
  if (magnitude > layout.infinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == layout.infinity) return sign * std::numeric_limits<double>::infinity();
  const uint64_t exponent = magnitude >> layout.fraction_bits;
  const uint64_t fraction = magnitude & ((uint64_t{1} << layout.fraction_bits) - 1);
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<double>(fraction), 1 - layout.bias - layout.fraction_bits);
  }
  return sign * std::bit_cast<double>((exponent + static_cast<uint64_t>(kDoubleBias - layout.bias))
                                          << kDoubleFractionBits |
                                      fraction << (kDoubleFractionBits - layout.fraction_bits));
}

// For types with fewer bits than float64.
uint64_t ToBits(const Layout& layout, double value) {
  if (std::isnan(value)) return layout.quiet_nan();
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = std::signbit(value) ? layout.sign : 0;
  const int exponent = static_cast<int>(bits >> kDoubleFractionBits & 0x7ff) - kDoubleBias;
  if (exponent > layout.bias) return sign | layout.infinity;
  // The significand with as many bits dropped as the type lacks; more of them below its least
  // exponent. A carry out of the fraction runs into the exponent field, as it should.
  const int least = 1 - layout.bias;
  const int dropped =
      kDoubleFractionBits - layout.fraction_bits + (exponent < least ? least - exponent : 0);
  if (dropped > kDoubleFractionBits + 1) return sign;  // below half the smallest subnormal
  const uint64_t significand =
      (bits & ((uint64_t{1} << kDoubleFractionBits) - 1)) | uint64_t{1} << kDoubleFractionBits;
  const uint64_t half = uint64_t{1} << (dropped - 1);
  const uint64_t odd = significand >> dropped & 1;
  const uint64_t rounded = (significand + half - 1 + odd) >> dropped;
  const uint64_t field = exponent < least ? 0 : static_cast<uint64_t>(exponent + layout.bias - 1);
  return sign | ((field << layout.fraction_bits) + rounded);
}

// float32 and float64 are types of C++, whose conversions the processor has.
template <typename T>
T OrQuietNan(double value) {
  return value != value ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
}

template <typename T>
void DecodeNative(const std::byte* packed, size_t count, double* values) {
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, packed + i * sizeof(T), sizeof(T));
    values[i] = element;
  }
}

template <typename T>
void EncodeNative(const double* values, size_t count, std::byte* packed) {
  for (size_t i = 0; i < count; ++i) {
    const T element = OrQuietNan<T>(values[i]);
    std::memcpy(packed + i * sizeof(T), &element, sizeof(T));
  }
}

// Calls function() with an unsigned integer of this many bytes.
template <typename Function>
void WithBits(size_t size, Function function) {
  if (size == sizeof(uint8_t)) return function(uint8_t{0});
  function(uint16_t{0});
}

}  // namespace

std::optional<DataType> FindDataType(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kElementTypes, [name](const ElementType& row) { return row.name == name; });
  return found != kElementTypes.end() ? std::optional(found->type) : std::nullopt;
}

std::optional<DataType> DataTypeOf(int number) {
  const auto* const found = std::ranges::find(kElementTypes, number, &ElementType::number);
  return found != kElementTypes.end() ? std::optional(found->type) : std::nullopt;
}

double ToDouble(DataType type, uint64_t bits) {
  double value = 0;
  Decode(type, reinterpret_cast<const std::byte*>(&bits), 1, &value);
  return value;
}

uint64_t ToBits(DataType type, double value) {
  uint64_t bits = 0;
  Encode(type, &value, 1, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

void Decode(DataType type, const std::byte* packed, size_t count, double* values) {
  if (type == DataType::kFloat32) return DecodeNative<float>(packed, count, values);
  if (type == DataType::kFloat64) return DecodeNative<double>(packed, count, values);
  const Layout layout(TraitsOf(type));
  WithBits(SizeOf(type), [&](auto bits) {
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&bits, packed + i * sizeof(bits), sizeof(bits));
      values[i] = ToDouble(layout, bits);
    }
  });
}

void Encode(DataType type, const double* values, size_t count, std::byte* packed) {
  if (type == DataType::kFloat32) return EncodeNative<float>(values, count, packed);
  if (type == DataType::kFloat64) return EncodeNative<double>(values, count, packed);
  const Layout layout(TraitsOf(type));
  WithBits(SizeOf(type), [&](auto bits) {
    for (size_t i = 0; i < count; ++i) {
      bits = static_cast<decltype(bits)>(ToBits(layout, values[i]));
      std::memcpy(packed + i * sizeof(bits), &bits, sizeof(bits));
    }
  });
}

}  // namespace activation
