#include "client/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace activation {
namespace {

TEST(TensorTest, PacksLittleEndianWithoutPadding) {
  const std::vector<float> values = {1.0f, -0.0f};
  EXPECT_EQ(MakeTensor(values).data, std::string("\0\0\x80\x3f\0\0\0\x80", 8));
  EXPECT_EQ(MakeTensor(DataType::kBFloat16, std::vector<double>{1.0}).data,
            std::string("\x80\x3f", 2));
  EXPECT_EQ(MakeTensor(DataType::kFloat16, std::vector<double>{1.0}).data,
            std::string("\x00\x3c", 2));
}

TEST(TensorTest, RoundsOnceToNearestTiesToEven) {
  const auto round = [](DataType type, double value) {
    return ToDoubles(MakeTensor(type, std::vector<double>{value}))[0];
  };
  EXPECT_EQ(round(DataType::kFloat16, 0x1.002p+0), 1.0);
  EXPECT_EQ(round(DataType::kFloat16, 0x1.0020000000001p+0), 0x1.004p+0);
  EXPECT_EQ(round(DataType::kBFloat16, 0x1.01p+0), 1.0);
  EXPECT_EQ(round(DataType::kBFloat16, 0x1.0100000000001p+0), 0x1.02p+0);
  EXPECT_EQ(round(DataType::kFloat32, 0x1.000001p+0), 1.0);
  EXPECT_EQ(round(DataType::kFloat16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(round(DataType::kBFloat16, -0.0)));
  EXPECT_TRUE(std::isnan(round(DataType::kFloat16, std::nan(""))));
}

TEST(TensorTest, EverySixteenBitPatternIsAnExactDouble) {
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16}) {
    for (uint32_t bits = 0; bits < 65'536; ++bits) {
      Tensor tensor{.type = type, .data = std::string(2, '\0')};
      const auto pattern = static_cast<uint16_t>(bits);
      std::memcpy(tensor.data.data(), &pattern, 2);
      const std::vector<double> value = ToDoubles(tensor);
      const Tensor again = MakeTensor(type, value);
      if (std::isnan(value[0])) {
        EXPECT_TRUE(std::isnan(ToDoubles(again)[0]));
      } else {
        EXPECT_EQ(again.data, tensor.data) << NameOf(type) << " " << bits;
      }
    }
  }
}

TEST(TensorTest, CountsElements) {
  const auto count = [](std::vector<int64_t> shape) { return ElementCount(shape); };
  EXPECT_EQ(*count({}), 1);
  EXPECT_EQ(*count({2, 3, 4}), 24);
  EXPECT_EQ(*count({INT64_MAX, INT64_MAX, 0}), 0);
  EXPECT_EQ(*count({INT64_MAX, 1}), INT64_MAX);
  EXPECT_FALSE(count({INT64_MAX, 2}).ok());
  EXPECT_FALSE(count({0, -1}).ok());
}

TEST(TensorTest, ValidatesDataAgainstTypeAndShape) {
  EXPECT_TRUE(Validate({.data = std::string(12, '\0')}).ok());
  EXPECT_TRUE(Validate({.shape = {3, 1}, .data = std::string(12, '\0')}).ok());
  EXPECT_TRUE(Validate({.shape = {3, 0}}).ok());
  EXPECT_FALSE(Validate({.shape = {3, 0}, .data = std::string(4, '\0')}).ok());
  EXPECT_FALSE(Validate({.type = DataType::kFloat64, .data = std::string(12, '\0')}).ok());
}

}  // namespace
}  // namespace activation
