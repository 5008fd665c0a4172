#include "client/cli/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace activation::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<Tensor> Parse(DataType type, std::vector<std::string> texts) {
  return ParseValues(type, texts);
}

double ParseOne(DataType type, const std::string& text) {
  absl::StatusOr<Tensor> tensor = Parse(type, {text});
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return ToDoubles(*tensor)[0];
}

TEST(ValuesTest, ReadsNumbersAsPeopleWriteThem) {
  absl::StatusOr<Tensor> tensor = Parse(
      DataType::kFloat32, {"-5.5", "1e-3", "0x1.8p+1", "inf", "-inf", "+2", ".5", "-0", "1E400"});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(ToDoubles(*tensor),
              ElementsAre(-5.5, 1e-3f, 3.0, kInfinity, -kInfinity, 2.0, 0.5, 0.0, kInfinity));
  EXPECT_TRUE(std::signbit(ParseOne(DataType::kFloat32, "-0")));
  EXPECT_TRUE(std::isnan(ParseOne(DataType::kFloat16, "nan")));
}

TEST(ValuesTest, RoundsFromTheDigitsOnce) {
  // Just above the middle of 1 and its successor, nearer than float64 can tell.
  EXPECT_EQ(ParseOne(DataType::kFloat16, "1.00048828125"), 1.0);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "1.00048828125000000000000000001"), 0x1.004p+0);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "-1.00048828125000000000000000001"), -0x1.004p+0);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "1.00048828124999999999999999999"), 1.0);
  EXPECT_EQ(ParseOne(DataType::kBFloat16, "1.00390625"), 1.0);
  EXPECT_EQ(ParseOne(DataType::kBFloat16, "1.00390625000000000000000000001"), 0x1.02p+0);
  EXPECT_EQ(ParseOne(DataType::kFloat32, "1.000000059604644775390625"), 1.0);
  EXPECT_EQ(ParseOne(DataType::kFloat32, "1.00000005960464477539062500001"), 0x1.000002p+0);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "65519.99999999999999999999999"), 65504);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "65520"), kInfinity);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "1e999"), kInfinity);
  EXPECT_EQ(ParseOne(DataType::kFloat16, "1e-999"), 0);
}

TEST(ValuesTest, RefusesWhatIsNotANumberAndQuotesIt) {
  for (const char* text : {"", "abc", "1.5x", "1,5", "--1", "0x", "1e", " 1", "1 ", "infinit"}) {
    const absl::Status status = Parse(DataType::kFloat64, {"1", text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr(std::string("'") + text + "'"));
  }
  const absl::Status status = Parse(DataType::kFloat16, {std::string(100'000, 'x')}).status();
  EXPECT_LT(status.message().size(), 200u);
  EXPECT_THAT(Parse(DataType::kFloat32, {std::string("1\0\x1b[", 4)}).status().message(),
              HasSubstr("'1\\x00\\x1b['"));
}

TEST(ValuesTest, PrintedSixteenBitNumbersReadBackTheSame) {
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16}) {
    for (uint32_t bits = 0; bits < 65'536; ++bits) {
      const auto pattern = static_cast<uint16_t>(bits);
      Tensor tensor{.type = type, .data = std::string(2, '\0')};
      std::memcpy(tensor.data.data(), &pattern, 2);
      const double value = ToDoubles(tensor)[0];
      for (const std::string& text : {FormatDecimal(type, value), FormatHex(value)}) {
        const double again = ParseOne(type, text);
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(again));
        } else {
          ASSERT_EQ(std::bit_cast<uint64_t>(again), std::bit_cast<uint64_t>(value)) << text;
        }
      }
    }
  }
}

TEST(ValuesTest, PrintedNumbersReadBackTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const double narrow = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(wide)) {
      ASSERT_EQ(ParseOne(DataType::kFloat64, FormatDecimal(DataType::kFloat64, wide)), wide);
      ASSERT_EQ(ParseOne(DataType::kFloat64, FormatHex(wide)), wide);
    }
    if (!std::isnan(narrow)) {
      ASSERT_EQ(ParseOne(DataType::kFloat32, FormatDecimal(DataType::kFloat32, narrow)), narrow);
      ASSERT_EQ(ParseOne(DataType::kFloat32, FormatHex(narrow)), narrow);
    }
  }
}

TEST(ValuesTest, PrintsTheShortestForm) {
  EXPECT_EQ(FormatDecimal(DataType::kFloat16, ParseOne(DataType::kFloat16, "0.1")), "0.1");
  EXPECT_EQ(FormatDecimal(DataType::kBFloat16, ParseOne(DataType::kBFloat16, "3.14")), "3.14");
  EXPECT_EQ(FormatDecimal(DataType::kFloat32, 0.1f), "0.1");
  EXPECT_EQ(FormatDecimal(DataType::kFloat64, 0.1), "0.1");
  EXPECT_EQ(FormatDecimal(DataType::kFloat32, -0.0), "-0");
  EXPECT_EQ(FormatDecimal(DataType::kFloat64, -kInfinity), "-inf");
  EXPECT_EQ(FormatDecimal(DataType::kFloat16, std::nan("")), "nan");
  EXPECT_EQ(FormatHex(-5.5), "-0x1.6p+2");
  EXPECT_EQ(FormatHex(0x1p-149), "0x1p-149");
  EXPECT_EQ(FormatHex(-0.0), "-0x0p+0");
  EXPECT_EQ(FormatHex(-kInfinity), "-inf");
  EXPECT_EQ(FormatHex(-std::nan("")), "nan");
}

TEST(ValuesTest, ReadsParameters) {
  absl::StatusOr<Parameters> parameters =
      ParseParameters(std::vector<std::string>{"alpha=2", "beta=-0x1p-3"});
  ASSERT_TRUE(parameters.ok()) << parameters.status();
  EXPECT_THAT(*parameters, ElementsAre(Pair("alpha", 2.0), Pair("beta", -0.125)));
  for (const char* text : {"alpha", "=2", "alpha=", "alpha=two", "alpha=1=2"}) {
    EXPECT_EQ(ParseParameters(std::vector<std::string>{text}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_THAT(ParseParameters(std::vector<std::string>{"a=1", "a=2"}).status().message(),
              HasSubstr("'a' is given twice"));
}

TEST(ValuesTest, ReadsActivationsWithParametersAndWithColonsInTheirNames) {
  const auto parse = [](const char* text) {
    absl::StatusOr<Activation> activation = ParseActivation(text);
    EXPECT_TRUE(activation.ok()) << activation.status();
    return *std::move(activation);
  };
  EXPECT_EQ(parse("jax:gelu").name, "jax:gelu");
  EXPECT_THAT(parse("elu:alpha=2").parameters, ElementsAre(Pair("alpha", 2.0)));
  const Activation activation = parse("keras:hard_sigmoid:alpha=0.2,beta=0.5");
  EXPECT_EQ(activation.name, "keras:hard_sigmoid");
  EXPECT_THAT(activation.parameters, ElementsAre(Pair("alpha", 0.2), Pair("beta", 0.5)));
  EXPECT_EQ(FormatActivation(activation), "keras:hard_sigmoid:alpha=0.2,beta=0.5");
  EXPECT_EQ(FormatActivation(parse("gelu")), "gelu");
  for (const char* text : {"alpha=2", ":alpha=2", "elu:alpha=2,", "elu:alpha=x"}) {
    EXPECT_FALSE(ParseActivation(text).ok()) << text;
  }
}

TEST(ValuesTest, SplitsAtAnyWhiteSpace) {
  EXPECT_THAT(SplitWords(" 1\n2\t3\r\n\n4 "), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(SplitWords(""), ElementsAre());
}

}  // namespace
}  // namespace activation::cli
