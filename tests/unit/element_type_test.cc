// The table of element types against the contract, C++'s own types, and every value of the small
// ones.
#include "proto/element_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "activation/v1/activation.pb.h"

namespace activation {
namespace {

TEST(ElementType, NumbersAndNamesAreTheContracts) {
  ASSERT_EQ(static_cast<int>(kDataTypeCount), v1::DataType_descriptor()->value_count() - 1);
  for (const ElementType& type : kElementTypes) {
    const auto number = static_cast<v1::DataType>(type.number);
    EXPECT_EQ(v1::DataType_Name(number), std::string("DATA_TYPE_") + type.contract_name);
    EXPECT_EQ(DataTypeOf(type.number), type.type);
    EXPECT_EQ(FindDataType(type.name), type.type);
  }
  EXPECT_EQ(DataTypeOf(v1::DATA_TYPE_UNSPECIFIED), std::nullopt);
  EXPECT_EQ(DataTypeOf(-1), std::nullopt);
  EXPECT_EQ(DataTypeOf(999), std::nullopt);
  EXPECT_EQ(FindDataType("FLOAT32"), std::nullopt);
  EXPECT_EQ(FindDataType(""), std::nullopt);
}

template <typename T>
void ExpectIs(const ElementType& type) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(type.bits, 8 * static_cast<int>(sizeof(T)));
  EXPECT_EQ(type.precision, Limits::digits);
  EXPECT_EQ(type.least_exponent, Limits::min_exponent - 1);
  EXPECT_EQ(type.greatest_exponent, Limits::max_exponent - 1);
  EXPECT_EQ(type.has_infinity, Limits::has_infinity);
  EXPECT_EQ(type.has_nan, Limits::has_quiet_NaN);
}

TEST(ElementType, Float32AndFloat64AreTheProcessors) {
  ExpectIs<float>(TraitsOf(DataType::kFloat32));
  ExpectIs<double>(TraitsOf(DataType::kFloat64));
  EXPECT_EQ(ToBits(DataType::kFloat32, 0x1.000001p+0), std::bit_cast<uint32_t>(1.0F));
  EXPECT_EQ(ToBits(DataType::kFloat32, 0x1.0000010000001p+0),
            std::bit_cast<uint32_t>(0x1.000002p+0F));
  EXPECT_EQ(ToBits(DataType::kFloat32, -std::nan("")), 0x7fc00000U);
  EXPECT_EQ(ToBits(DataType::kFloat64, -0.0), uint64_t{1} << 63);
}

TEST(ElementType, EveryValueOfSmallTypesIsAsTheTableSays) {
  for (const ElementType& type : kElementTypes) {
    if (type.bits > 16) continue;
    std::set<double> positive;
    int infinities = 0, nans = 0;
    bool has_negative_zero = false;
    for (uint64_t bits = 0; bits < uint64_t{1} << type.bits; ++bits) {
      const double value = ToDouble(type.type, bits);
      if (std::isnan(value)) {
        ++nans;
        continue;
      }
      ASSERT_EQ(ToBits(type.type, value), bits) << type.name;
      if (std::isinf(value)) ++infinities;
      if (value == 0 && std::signbit(value)) has_negative_zero = true;
      if (value > 0 && std::isfinite(value)) positive.insert(value);
    }
    EXPECT_EQ(infinities, type.has_infinity ? 2 : 0) << type.name;
    EXPECT_EQ(nans > 0, type.has_nan) << type.name;
    EXPECT_EQ(has_negative_zero, type.has_negative_zero) << type.name;
    const double least =
        std::ldexp(1, type.least_exponent - (type.has_subnormals ? type.precision - 1 : 0));
    EXPECT_EQ(*positive.begin(), least) << type.name;
    EXPECT_EQ(std::ilogb(*positive.rbegin()), type.greatest_exponent) << type.name;
    // Next to 1 stands the number with its last bit set.
    EXPECT_EQ(*positive.upper_bound(1), 1 + std::ldexp(1, 1 - type.precision)) << type.name;
  }
}

TEST(ElementType, MidpointsGoToTheEvenNeighbour) {
  for (const ElementType& type : kElementTypes) {
    if (type.bits > 16) continue;
    int midpoints = 0;
    for (uint64_t bits = 0;; ++bits) {
      const double below = ToDouble(type.type, bits), above = ToDouble(type.type, bits + 1);
      if (!std::isfinite(above)) break;
      const double middle = (below + above) / 2;
      const uint64_t even = bits % 2 == 0 ? bits : bits + 1;
      ASSERT_EQ(ToBits(type.type, middle), even) << type.name;
      ASSERT_EQ(ToBits(type.type, std::nextafter(middle, below)), bits) << type.name;
      ASSERT_EQ(ToBits(type.type, std::nextafter(middle, above)), bits + 1) << type.name;
      ++midpoints;
    }
    EXPECT_GT(midpoints, 1 << (type.bits - 2)) << type.name;
  }
}

}  // namespace
}  // namespace activation
