// The element types of tensors: the one table of what they are, and their bits. Linked by server
// and client.
//
// All are binary floating-point numbers, and every value of each is exactly a float64. A new type
// is a row of kElementTypes, its place in DataType and its number in the contract.
#ifndef ACTIVATION_PROTO_ELEMENT_TYPE_H_
#define ACTIVATION_PROTO_ELEMENT_TYPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace activation {

enum class DataType : uint8_t { kFloat32, kFloat64, kFloat16, kBFloat16 };

// One bit of sign, an exponent, and a significand whose leading bit is implicit, as in IEEE 754.
struct ElementType {
  DataType type;
  // As NumPy and ml_dtypes have it.
  const char* name;
  // In the contract's enum, where it is DATA_TYPE_ and this.
  int number;
  const char* contract_name;
  // Bits of a whole element; a multiple of 8.
  int bits;
  // Bits of a significand, the implicit one included.
  int precision;
  // Normal numbers are from 2^least_exponent to below 2^(greatest_exponent + 1).
  int least_exponent;
  int greatest_exponent;
  bool has_infinity;
  bool has_nan;
  bool has_negative_zero;
  bool has_subnormals;
};

// In the order of DataType.
//   float32, float64, float16   IEEE 754 binary32, binary64 and binary16
//   bfloat16                    the upper half of a binary32
inline constexpr auto kElementTypes = std::to_array<ElementType>({
    {DataType::kFloat32, "float32", 1, "FLOAT32", 32, 24, -126, 127, true, true, true, true},
    {DataType::kFloat64, "float64", 2, "FLOAT64", 64, 53, -1022, 1023, true, true, true, true},
    {DataType::kFloat16, "float16", 3, "FLOAT16", 16, 11, -14, 15, true, true, true, true},
    {DataType::kBFloat16, "bfloat16", 4, "BFLOAT16", 16, 8, -126, 127, true, true, true, true},
});
inline constexpr size_t kDataTypeCount = kElementTypes.size();
inline constexpr auto kDataTypes = [] {
  std::array<DataType, kDataTypeCount> types = {};
  for (size_t i = 0; i < kDataTypeCount; ++i) types[i] = kElementTypes[i].type;
  return types;
}();

constexpr const ElementType& TraitsOf(DataType type) {
  return kElementTypes[static_cast<size_t>(type)];
}

// Bytes of one element.
constexpr size_t SizeOf(DataType type) { return static_cast<size_t>(TraitsOf(type).bits) / 8; }

// "float32" and the like.
constexpr const char* NameOf(DataType type) { return TraitsOf(type).name; }
std::optional<DataType> FindDataType(std::string_view name);

// "FLOAT32" and the like.
constexpr const char* ContractNameOf(DataType type) { return TraitsOf(type).contract_name; }

constexpr int NumberOf(DataType type) { return TraitsOf(type).number; }
// None where the contract has no such number, or for 0, "unspecified".
std::optional<DataType> DataTypeOf(int number);

// The value that an element's bits stand for.
double ToDouble(DataType type, uint64_t bits);
// The bits of the value, rounded once, to nearest, ties to even. Overflow rounds to infinity,
// subnormals are kept, NaN becomes the quiet NaN with sign and payload clear.
uint64_t ToBits(DataType type, double value);

// The same for packed arrays, little-endian, at any alignment. They don't overlap.
void Decode(DataType type, const std::byte* packed, size_t count, double* values);
void Encode(DataType type, const double* values, size_t count, std::byte* packed);

}  // namespace activation

#endif  // ACTIVATION_PROTO_ELEMENT_TYPE_H_
