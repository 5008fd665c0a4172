#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "tests/support/format.h"

namespace activation::oracle {
namespace {

using engine::Kink;
using engine::Parameter;
using engine::Spec;

constexpr DataType kF16 = DataType::kFloat16;
constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF64 = DataType::kFloat64;
constexpr DataType kBf16 = DataType::kBFloat16;

constexpr Parameter kScale[] = {{"a", "", 1, -1e308, 1e308}};
constexpr Kink kBendAtZero[] = {{"0", "a"}};
constexpr Spec kGelu = {
    .name = "gelu", .description = "", .formula = "x/2*erfc(-x/sqrt(2))", .derivative = ""};
constexpr Spec kGeluTanh = {.name = "gelu_tanh",
                            .description = "",
                            .formula = "x/2*(1+tanh(sqrt(2/pi)*(x+0.044715*x^3)))",
                            .derivative = ""};
constexpr Spec kSilu = {
    .name = "silu", .description = "", .formula = "x/(1+exp(-x))", .derivative = ""};
constexpr Spec kSoftplus = {.name = "softplus",
                            .description = "",
                            .formula = "log(1+exp(a*x))/a",
                            .derivative = "",
                            .parameters = kScale};
constexpr Spec kLeaky = {.name = "leaky",
                         .description = "",
                         .formula = "x > 0 ? x : a*x",
                         .derivative = "",
                         .parameters = kScale,
                         .kinks = kBendAtZero};
constexpr Spec kRelu = {.name = "relu",
                        .description = "",
                        .formula = "x > 0 ? x : 0",
                        .derivative = "",
                        .positive_zero = true};
constexpr Spec kTriangle = {.name = "triangle",
                            .description = "",
                            .formula = "abs(x) < a ? (1-abs(x)/a)/a : 0",
                            .derivative = "",
                            .parameters = kScale};
constexpr Spec kIdentity = {
    .name = "identity", .description = "", .formula = "x", .derivative = ""};
// 1 + a number that is 0, which no ball can tell.
constexpr Spec kHiddenZero = {.name = "hidden",
                              .description = "",
                              .formula = "x*(1+sqrt(2)*sqrt(3)-sqrt(6))",
                              .derivative = ""};

struct Query {
  DataType type;
  int what = kValue;
  double x;
  std::vector<double> parameters = {1};
  std::optional<double> upstream = std::nullopt;
};

// The bits as text, with the value for a reader.
std::string Ask(const Spec& spec, const Query& query) {
  const auto oracle = Oracle::Make(spec);
  if (!oracle.ok()) return std::string{oracle.status().message()};
  const auto bits =
      oracle->Round(query.type, query.what, query.x, query.parameters, query.upstream);
  return bits ? Describe(query.type, *bits) : "undecided";
}

std::string Is(DataType type, double value) { return Describe(type, Encode(type, value)); }

TEST(Format, RoundTripsEveryBitPatternOf16Bits) {
  for (const DataType type : {kF16, kBf16}) {
    for (uint64_t bits = 0; bits < 65'536; ++bits) {
      const double d = Decode(type, bits);
      if (std::isnan(d)) continue;
      ASSERT_EQ(Encode(type, d), bits) << ContractNameOf(type);
    }
  }
}

TEST(Format, KnowsLandmarksOfEachType) {
  EXPECT_EQ(Encode(kF16, 65504), 0x7bffu);
  EXPECT_EQ(Encode(kBf16, 0x1.fep+127), 0x7f7fu);
  EXPECT_EQ(Encode(kF32, 0x1p-149), 1u);
  EXPECT_EQ(Encode(kF64, -0x1p-1022), 0x8010000000000000u);
  EXPECT_EQ(Encode(kF16, std::nan("")), 0x7e00u);
  EXPECT_EQ(Encode(kBf16, -std::nan("")), 0x7fc0u);
  EXPECT_EQ(Encode(kF32, -HUGE_VAL), 0xff800000u);
}

TEST(Oracle, RoundsTiesToEven) {
  EXPECT_EQ(Ask(kIdentity, {kBf16, kValue, 0x1.01p+0}), Is(kBf16, 1));
  EXPECT_EQ(Ask(kIdentity, {kBf16, kValue, 0x1.03p+0}), Is(kBf16, 0x1.04p+0));
  EXPECT_EQ(Ask(kIdentity, {kF16, kValue, 0x1.00200000002p+0}), Is(kF16, 0x1.004p+0));
  EXPECT_EQ(Ask(kIdentity, {kF16, kValue, 65520}), Is(kF16, HUGE_VAL));
  EXPECT_EQ(Ask(kIdentity, {kF16, kValue, 0x1.ffdffffffffffp+15}), Is(kF16, 65504));
}

TEST(Oracle, RoundsSubnormalsAndKeepsTheSignOfAnUnderflow) {
  EXPECT_EQ(Ask(kIdentity, {kF32, kValue, 0x1p-150}), Is(kF32, 0));
  EXPECT_EQ(Ask(kIdentity, {kF32, kValue, -0x1p-150}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kIdentity, {kF32, kValue, 0x1.0000000000001p-150}), Is(kF32, 0x1p-149));
  EXPECT_EQ(Ask(kIdentity, {kF32, kValue, 0x1.8p-149}), Is(kF32, 0x1p-148));
  EXPECT_EQ(Ask(kIdentity, {kF32, kValue, 0x1.ffffffffp-127}), Is(kF32, 0x1p-126));
  EXPECT_EQ(Ask(kIdentity, {kF64, kValue, 0x1p-1074}), Is(kF64, 0x1p-1074));
}

// From mpmath at 3,000 bits.
TEST(Oracle, AgreesWithAnotherLibrary) {
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, -8}), Is(kF64, -0x1.669d2c90d55cep-48));
  EXPECT_EQ(Ask(kGelu, {kF64, kDerivative, -8}), Is(kF64, -0x1.66737eee512ddp-45));
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, 1.5}), Is(kF64, 0x1.665895bb1e942p+0));
  EXPECT_EQ(Ask(kGelu, {kF64, kDerivative, 1.5}), Is(kF64, 0x1.20a1d22be013ap+0));
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, -13.25}), Is(kF64, -0x1.0465decff1387p-128));
  EXPECT_EQ(Ask(kGelu, {kF64, kDerivative, -13.25}), Is(kF64, -0x1.af41c121ed3ddp-125));
  EXPECT_EQ(Ask(kSoftplus, {kF64, kValue, -600.25}), Is(kF64, 0x1.03fcf33f2b267p-866));
}

// gelu(x) = x/2 (1 + x sqrt(2/pi) - ...): above x/2 where x > 0, and nearer to 0 where x < 0.
TEST(Oracle, DecidesWhatOnlyASeriesSees) {
  EXPECT_EQ(Ask(kGelu, {kF32, kValue, 0x1p-149}), Is(kF32, 0x1p-149));
  EXPECT_EQ(Ask(kGelu, {kF32, kValue, -0x1p-149}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, 0x1p-1074}), Is(kF64, 0x1p-1074));
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, -0x1p-1074}), Is(kF64, -0.0));
}

// The functions leave x by less than any ball shows; x is the midpoint of two bfloat16.
TEST(Oracle, DecidesWhatNoPrecisionSees) {
  EXPECT_EQ(Ask(kSoftplus, {kBf16, kValue, 0x1.01p+100}), Is(kBf16, 0x1.02p+100));
  EXPECT_EQ(Ask(kSoftplus, {kBf16, kValue, 0x1.03p+100}), Is(kBf16, 0x1.04p+100));
  EXPECT_EQ(Ask(kGelu, {kBf16, kValue, 0x1.03p+100}), Is(kBf16, 0x1.02p+100));
  EXPECT_EQ(Ask(kGeluTanh, {kBf16, kValue, 0x1.03p+100}), Is(kBf16, 0x1.02p+100));
  EXPECT_EQ(Ask(kSilu, {kBf16, kValue, 0x1.03p+100}), Is(kBf16, 0x1.02p+100));
  // silu' = 1 + (x - 1) e^-x + ... > 1, softplus' < 1.
  EXPECT_EQ(Ask(kSilu, {kBf16, kDerivative, 0x1p+100, {1}, 0x1.01p+0}), Is(kBf16, 0x1.02p+0));
  EXPECT_EQ(Ask(kSoftplus, {kBf16, kDerivative, 0x1p+100, {1}, 0x1.03p+0}), Is(kBf16, 0x1.02p+0));
  EXPECT_EQ(Ask(kGeluTanh, {kF32, kValue, -0x1p+100}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kGelu, {kF64, kValue, -0x1.fffffffffffffp+1023}), Is(kF64, -0.0));
}

TEST(Oracle, IsExactWhereTheFunctionIs) {
  EXPECT_EQ(Ask(kLeaky, {kF32, kValue, -0x1.000002p+0, {0.5}}), Is(kF32, -0x1.000002p-1));
  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46; times 1 + 2^-24 exactly as a tie: 1 + 2^-24.
  EXPECT_EQ(Ask(kLeaky, {kF32, kValue, -1, {-0x1.000001p+0}}), Is(kF32, 1));
  EXPECT_EQ(Ask(kLeaky, {kF32, kValue, -1, {-0x1.000003p+0}}), Is(kF32, 0x1.000004p+0));
  // (1 - x/3)/3 = 2^-12 at x = 3 - 9 2^-12, and half a unit beside that the tie.
  EXPECT_EQ(Ask(kTriangle, {kBf16, kValue, 3 - 9 * 0x1.01p-12, {3}}), Is(kBf16, 0x1p-12));
  EXPECT_EQ(Ask(kTriangle, {kBf16, kValue, 3 - 9 * 0x1.03p-12, {3}}), Is(kBf16, 0x1.04p-12));
  EXPECT_EQ(Ask(kTriangle, {kF32, kValue, 3, {3}}), Is(kF32, 0));
}

TEST(Oracle, RoundsTheProductWithUpstreamOnce) {
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, -1, {0x1.000002p+0}, 0x1.000002p+0}),
            Is(kF32, 0x1.000004p+0));
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, -1, {0.5}, 0x1p-149}), Is(kF32, 0));
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, -1, {0.5}, 0x1.8p-148}), Is(kF32, 0x1p-148));
  EXPECT_EQ(Ask(kGelu, {kF32, kDerivative, -0x1p-149, {}, 0x1p-149}), Is(kF32, 0));
  EXPECT_EQ(Ask(kGelu, {kF32, kDerivative, 0x1p-149, {}, 0x1p-149}), Is(kF32, 0x1p-149));
}

TEST(Oracle, FollowsIeeeForUpstreamZeroAndInfinity) {
  EXPECT_EQ(Ask(kSilu, {kF32, kDerivative, 1, {}, -0.0}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kSilu, {kF32, kDerivative, -1e30, {}, HUGE_VAL}), Is(kF32, -HUGE_VAL));
  EXPECT_EQ(Ask(kRelu, {kF32, kDerivative, -1, {}, HUGE_VAL}), Is(kF32, std::nan("")));
  EXPECT_EQ(Ask(kRelu, {kF32, kDerivative, -1, {}, -2}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kSilu, {kF32, kDerivative, -HUGE_VAL, {}, HUGE_VAL}), Is(kF32, std::nan("")));
  EXPECT_EQ(Ask(kSilu, {kF32, kDerivative, 1, {}, std::nan("")}), Is(kF32, std::nan("")));
}

TEST(Oracle, TakesTheDerivativeOfAKinkFromTheSpec) {
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, 0, {0.25}}), Is(kF32, 0.25));
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, -0.0, {0.25}}), Is(kF32, 0.25));
  EXPECT_EQ(Ask(kLeaky, {kF32, kDerivative, 0x1p-149, {0.25}}), Is(kF32, 1));
}

TEST(Oracle, KnowsLimitsAndZeros) {
  EXPECT_EQ(Ask(kGelu, {kF32, kValue, -HUGE_VAL}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kGelu, {kF32, kValue, HUGE_VAL}), Is(kF32, HUGE_VAL));
  EXPECT_EQ(Ask(kGelu, {kF32, kDerivative, HUGE_VAL}), Is(kF32, 1));
  EXPECT_EQ(Ask(kSoftplus, {kF32, kValue, -HUGE_VAL, {1e-60}}), Is(kF32, 0));
  EXPECT_EQ(Ask(kLeaky, {kF32, kValue, -HUGE_VAL, {-0.5}}), Is(kF32, HUGE_VAL));
  EXPECT_EQ(Ask(kGelu, {kF32, kValue, -0.0}), Is(kF32, -0.0));
  EXPECT_EQ(Ask(kRelu, {kF32, kValue, -0.0}), Is(kF32, 0));
  EXPECT_EQ(Ask(kRelu, {kF32, kValue, -3}), Is(kF32, 0));
  EXPECT_EQ(Ask(kRelu, {kF32, kValue, std::nan("")}), Is(kF32, std::nan("")));
}

TEST(Oracle, TakesALimitFromBothSidesAsPositiveZero) {
  constexpr Spec kSinc = {.name = "sinc",
                          .description = "",
                          .formula = "sin(a*x)/(pi*x)",
                          .derivative = "",
                          .parameters = kScale};
  for (const double x : {HUGE_VAL, -HUGE_VAL}) {
    for (const double a : {1.0, 1.0 / 3, 0x1p-1000}) {
      EXPECT_EQ(Ask(kSinc, {kF32, kValue, x, {a}}), Is(kF32, 0));
      EXPECT_EQ(Ask(kSinc, {kF32, kDerivative, x, {a}}), Is(kF32, 0));
      EXPECT_EQ(Ask(kSinc, {kF32, kDerivative, x, {a}, -2}), Is(kF32, -0.0));
    }
  }
}

TEST(Oracle, SaysWhenItCannotDecide) {
  EXPECT_EQ(Ask(kHiddenZero, {kBf16, kValue, 0x1.01p+0}), "undecided");
  EXPECT_EQ(Ask(kHiddenZero, {kF32, kValue, 1}), Is(kF32, 1));
}

TEST(Oracle, DifferentiatesForParameters) {
  EXPECT_EQ(Ask(kLeaky, {kF64, ParameterDerivative(0), -3, {0.25}}), Is(kF64, -3));
  EXPECT_EQ(Ask(kLeaky, {kF64, ParameterDerivative(0), 3, {0.25}}), Is(kF64, 0));
  // d/da log(1 + e^(a x))/a at x = 0 is -log(2)/a^2.
  EXPECT_EQ(Ask(kSoftplus, {kF64, ParameterDerivative(0), 0, {2}}),
            Is(kF64, -0x1.62e42fefa39efp-3));
}

TEST(Oracle, MeasuresUlpErrors) {
  const auto oracle = Oracle::Make(kIdentity);
  ASSERT_TRUE(oracle.ok());
  const Ball one = oracle->Enclose(kValue, 1, {}, 1, 100);
  EXPECT_EQ(UlpError(1, one), 0);
  EXPECT_EQ(UlpError(0x1.0000000000002p+0, one), 2);
  EXPECT_EQ(UlpError(HUGE_VAL, one), HUGE_VAL);
  const Ball tiny = oracle->Enclose(kValue, 0x1p-1074, {}, 1, 100);
  EXPECT_EQ(UlpError(0, tiny), 1);
}

TEST(Oracle, RefusesASpecThatDoesNotParse) {
  constexpr Spec kBad = {.name = "bad", .description = "", .formula = "x + y", .derivative = ""};
  EXPECT_EQ(Oracle::Make(kBad).status().message(), "\"x + y\": column 5: unknown name y");
}

}  // namespace
}  // namespace activation::oracle
