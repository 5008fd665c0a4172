// Arithmetic in fixed point against a plain model: exact real numbers, then rounding and overflow.
#include "server/compare/fixed_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "tests/unit/fixed_point_model.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FixedPoint Make(const v1::FixedPoint& format) {
  const auto made = FixedPoint::Make("f", format);
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

FixedPoint Make(const char* text) { return Make(Parse<v1::FixedPoint>(text)); }

class EveryRule : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  v1::FixedPoint Format(int integer_bits, int fraction_bits) const {
    v1::FixedPoint format;
    format.set_integer_bits(integer_bits);
    format.set_fraction_bits(fraction_bits);
    format.set_rounding(static_cast<v1::FixedPoint::Rounding>(std::get<0>(GetParam())));
    format.set_overflow(static_cast<v1::FixedPoint::Overflow>(std::get<1>(GetParam())));
    return format;
  }
};

INSTANTIATE_TEST_SUITE_P(FixedPoint, EveryRule,
                         testing::Combine(testing::Range(0, 4), testing::Range(0, 2)));

TEST_P(EveryRule, ComputesAsTheModelForEveryPairOfNumbers) {
  for (const int fraction_bits : {0, 3, 5}) {
    const v1::FixedPoint format = Format(5 - fraction_bits, fraction_bits);
    const FixedPoint fixed = Make(format);
    const FixedPointModel model(format);
    for (int a = -32; a < 32; ++a) {
      for (int b = -32; b < 32; ++b) {
        const double x = model.ValueOf(a);
        const double y = model.ValueOf(b);
        ASSERT_EQ(fixed.ToDouble(fixed.Add(a, b)), model.Result(x + y)) << x << " + " << y;
        ASSERT_EQ(fixed.ToDouble(fixed.Subtract(a, b)), model.Result(x - y)) << x << " - " << y;
        ASSERT_EQ(fixed.ToDouble(fixed.Multiply(a, b)), model.Result(x * y)) << x << " * " << y;
      }
    }
  }
}

TEST_P(EveryRule, QuantizesAsTheModel) {
  for (const int fraction_bits : {0, 3, 5}) {
    const v1::FixedPoint format = Format(5 - fraction_bits, fraction_bits);
    const FixedPoint fixed = Make(format);
    const FixedPointModel model(format);
    for (int i = -1000; i <= 1000; ++i) {
      const double x = i / 16.0;
      ASSERT_EQ(fixed.ToDouble(fixed.Quantize(x)), model.Result(x)) << x;
      ASSERT_EQ(fixed.ToDouble(fixed.QuantizeConstant(x)), model.Constant(x)) << x;
    }
  }
}

TEST_P(EveryRule, RoundsSlopesOnce) {
  const v1::FixedPoint format = Format(2, 3);
  const FixedPoint fixed = Make(format);
  const FixedPointModel model(format);
  for (int rise = -63; rise <= 63; ++rise) {
    for (int run = 1; run <= 63; ++run) {
      // Ties of eighths are exact in float64; other quotients are far from ties.
      const double slope = static_cast<double>(rise) / run;
      const int from = rise > 0 ? -32 : 31;
      ASSERT_EQ(fixed.ToDouble(fixed.Slope(-32, -32 + run, from, from + rise)),
                model.Constant(slope))
          << rise << "/" << run;
    }
  }
}

TEST_P(EveryRule, SlopesOfTheWidestFormatsDoNotOverflow) {
  const FixedPoint fixed = Make(Format(0, 31));
  const int64_t lowest = -(int64_t{1} << 31);
  const int64_t highest = -lowest - 1;
  EXPECT_EQ(fixed.Slope(lowest, highest, highest, lowest), lowest);
  EXPECT_EQ(fixed.Slope(lowest, highest, lowest, highest), highest);
  // The rise is -(2^32 - 1) and saturates, then -2^31 and doesn't.
  EXPECT_EQ(fixed.Slope(lowest, lowest + 3'000'000'001, highest, lowest), lowest);
  const __int128 rise = static_cast<__int128>(lowest) << 31;
  const int64_t toward_zero = static_cast<int64_t>(rise / 3'000'000'001);
  EXPECT_NEAR(fixed.Slope(lowest, lowest + 3'000'000'001, 0, lowest), toward_zero, 1);
}

TEST(FixedPoint, InfinitiesSaturateAndNaNIsZeroWhateverTheOverflowRule) {
  for (const char* text : {"integer_bits: 3 fraction_bits: 4",
                           "integer_bits: 3 fraction_bits: 4 overflow: OVERFLOW_WRAP"}) {
    const FixedPoint fixed = Make(text);
    EXPECT_EQ(fixed.ToDouble(fixed.Quantize(kInfinity)), 8 - 1.0 / 16);
    EXPECT_EQ(fixed.ToDouble(fixed.Quantize(-kInfinity)), -8);
    EXPECT_EQ(fixed.Quantize(std::numeric_limits<double>::quiet_NaN()), 0);
  }
}

TEST(FixedPoint, LargeNumbersSaturateOrLoseTheirUpperBits) {
  const FixedPoint saturates = Make("integer_bits: 3 fraction_bits: 4");
  EXPECT_EQ(saturates.ToDouble(saturates.Quantize(1e308)), 8 - 1.0 / 16);
  EXPECT_EQ(saturates.ToDouble(saturates.Quantize(-1e308)), -8);
  const FixedPoint wraps = Make("integer_bits: 3 fraction_bits: 4 overflow: OVERFLOW_WRAP");
  EXPECT_EQ(wraps.ToDouble(wraps.Quantize(8)), -8);
  EXPECT_EQ(wraps.ToDouble(wraps.Quantize(100.25)), 4.25);
  EXPECT_EQ(wraps.ToDouble(wraps.Quantize(-100.25)), -4.25);
  EXPECT_EQ(wraps.ToDouble(wraps.Quantize(0x1p60 + 0x1p10)), 0);
  EXPECT_EQ(wraps.ToDouble(wraps.Quantize(1e308)), 0);
  // What is kept is far below what has no 64 bits.
  const FixedPoint fraction = Make("fraction_bits: 31 overflow: OVERFLOW_WRAP");
  EXPECT_EQ(fraction.ToDouble(fraction.Quantize(0x1p33 + 0.25)), 0.25);
}

TEST(FixedPoint, RefusesWhatIsNoFormat) {
  const struct {
    const char* format;
    const char* message;
  } cases[] = {
      {"integer_bits: -1", "f.integer_bits is -1; allowed are 0 to 31"},
      {"integer_bits: 32", "f.integer_bits is 32; allowed are 0 to 31"},
      {"fraction_bits: -1", "f.fraction_bits is -1; allowed are 0 to 31"},
      {"fraction_bits: 32", "f.fraction_bits is 32; allowed are 0 to 31"},
      {"", "f has 0 integer and fraction bits; allowed are 1 to 31 of both together"},
      {"integer_bits: 16 fraction_bits: 16", "f has 32 integer and fraction bits"},
  };
  for (const auto& wrong : cases) {
    const auto made = FixedPoint::Make("f", Parse<v1::FixedPoint>(wrong.format));
    EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << wrong.format;
    EXPECT_THAT(std::string(made.status().message()), testing::StartsWith(wrong.message));
  }
  EXPECT_TRUE(FixedPoint::Make("f", Parse<v1::FixedPoint>("integer_bits: 31")).ok());
  EXPECT_TRUE(FixedPoint::Make("f", Parse<v1::FixedPoint>("fraction_bits: 31")).ok());
}

TEST(FixedPoint, RefusesRulesThatThereAreNot) {
  v1::FixedPoint format = Parse<v1::FixedPoint>("integer_bits: 3 fraction_bits: 4");
  format.set_rounding(static_cast<v1::FixedPoint::Rounding>(4));
  EXPECT_THAT(std::string(FixedPoint::Make("f", format).status().message()),
              testing::HasSubstr("f.rounding is 4, which has no meaning; use ROUNDING_UNSPECIFIED "
                                 "or ROUNDING_NEAREST_AWAY or"));
  format.clear_rounding();
  format.set_overflow(static_cast<v1::FixedPoint::Overflow>(-1));
  EXPECT_THAT(std::string(FixedPoint::Make("f", format).status().message()),
              testing::HasSubstr("f.overflow is -1, which has no meaning"));
}

}  // namespace
}  // namespace activation::server
