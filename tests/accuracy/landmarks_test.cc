// Figures that are known apart from the oracle, which can be checked by hand or against the
// literature: where GELU and its kin become 0, GELU's minimum, inputs that defeat good float64
// formulas, and how far the approximations are from what they stand for.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/accuracy/evaluate.h"
#include "tests/accuracy/targets.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t Bits(float y) { return std::bit_cast<uint32_t>(y); }

struct Value {
  float x;
  float y;
};

TEST(Landmarks, GeluInFloat32WhereFrameworksReturnZeroOrNan) {
  // From mpmath at 400 bits.
  constexpr Value kValues[] = {
      {-5.5f, -0x1.c093d8p-24f}, {-6.0f, -0x1.96c966p-28f}, {-13.0f, -0x1.b0f714p-124f},
      {-14.2f, -0x1.4p-147f},    {-kInfinity, -0.0f},       {kInfinity, kInfinity},
      {0x1p-149f, 0x1p-149f},    {-0x1p-149f, -0.0f},       {0x1.8p-148f, 0x1p-148f},
  };
  ForEachTarget([&](const char* target) {
    for (const auto& [x, y] : kValues) {
      EXPECT_EQ(Bits(Evaluate("gelu", x)), Bits(y)) << target << " " << std::hexfloat << x;
    }
  });
}

// The two float32 inputs where the nearest float64 of x/2 erfc(-x/sqrt 2), computed well, rounds to
// the wrong float32. From mpmath at 400 bits.
TEST(Landmarks, GeluInFloat32WhereAGoodFloat64FormulaMisses) {
  ForEachTarget([&](const char* target) {
    EXPECT_EQ(Evaluate("gelu", 0x1.6148dep-16f), 0x1.614a62p-17f) << target;
    EXPECT_EQ(Evaluate("gelu", -0x1.79da74p+3f), -0x1.10427p-102f) << target;
  });
}

struct Threshold {
  const char* name;
  float x;  // the lowest input whose float32 result is not 0
};

TEST(Landmarks, LowestInputsWithANonzeroResult) {
  constexpr Threshold kThresholds[] = {
      {"gelu", -14.3560677f},
      {"gelu_tanh", -10.7708673f},
      {"silu", -108.6603012f},
      {"softplus", -103.9720764f},
  };
  ForEachTarget([&](const char* target) {
    for (const auto& [name, x] : kThresholds) {
      EXPECT_NE(Evaluate(name, x), 0) << target << " " << name;
      EXPECT_EQ(Evaluate(name, std::nextafter(x, -kInfinity)), 0) << target << " " << name;
    }
  });
}

TEST(Landmarks, MinimumOfGelu) {
  constexpr double kAt = -0.75179152469356446;
  ForEachTarget([&](const char* target) {
    EXPECT_DOUBLE_EQ(Evaluate("gelu", kAt), -0.16997120747990366) << target;
    EXPECT_LT(std::fabs(Evaluate("gelu", kAt, Quantity::kDerivative)), 0x1p-53) << target;
  });
}

TEST(Landmarks, ValuesAtZero) {
  ForEachTarget([&](const char* target) {
    EXPECT_EQ(Evaluate("sigmoid", 0.0), 0.5) << target;
    EXPECT_EQ(Evaluate("softplus", 0.0), 0x1.62e42fefa39efp-1) << target;  // log 2
    EXPECT_EQ(Evaluate("step", 0.0), 0.5) << target;
    EXPECT_EQ(Evaluate("delta_lorentz", 0.0), 0x1.45f306dc9c883p-2) << target;   // 1 / pi
    EXPECT_EQ(Evaluate("delta_gaussian", 0.0), 0x1.20dd750429b6dp-1) << target;  // 1 / sqrt pi
    EXPECT_EQ(Evaluate("delta_sinc", 0.0), 0x1.45f306dc9c883p-2) << target;
    EXPECT_EQ(Evaluate("delta_triangle", 0.0), 1) << target;
    for (const char* name : {"sigmoid", "gelu", "gelu_tanh", "gelu_sigmoid", "silu", "softplus"}) {
      const double slope = std::string(name) == "sigmoid" ? 0.25 : 0.5;
      EXPECT_EQ(Evaluate(name, 0.0, Quantity::kDerivative), slope) << target << " " << name;
    }
  });
}

TEST(Landmarks, MishAtZeroAndAtItsMinimum) {
  // From mpmath at 400 bits.
  constexpr double kAt = -1.1924312145154952;
  ForEachTarget([&](const char* target) {
    EXPECT_EQ(Evaluate("mish", 0.0, Quantity::kDerivative), 0.6) << target;
    EXPECT_DOUBLE_EQ(Evaluate("mish", kAt), -0.30884341301725043) << target;
    EXPECT_LT(std::fabs(Evaluate("mish", kAt, Quantity::kDerivative)), 0x1p-53) << target;
  });
}

// gelu(10) is 7.6e-23 less than 10.
TEST(Landmarks, Gelu10IsClippedAboveTen) {
  ForEachTarget([&](const char* target) {
    EXPECT_EQ(Evaluate("gelu_10", 10.0f), 10) << target;
    EXPECT_EQ(Evaluate("gelu_10", 10.0f, Quantity::kDerivative), 1) << target;
    EXPECT_EQ(Evaluate("gelu_10", 0x1.400002p+3f), 10) << target;
    EXPECT_EQ(Evaluate("gelu_10", 0x1.400002p+3f, Quantity::kDerivative), 0) << target;
  });
}

struct Gap {
  const char* reference;
  const char* candidate;
  double at;
  double gap;
  double tolerance;  // half a unit of the last digit given
};

TEST(Landmarks, LargestGapsOfApproximations) {
  constexpr Gap kGaps[] = {
      {"gelu", "gelu_tanh", -2.69894, 4.73236e-4, 5e-10},
      {"gelu", "gelu_tanh", 2.69894, 4.73236e-4, 5e-10},
      {"gelu", "gelu_sigmoid", -2.2704, 2.0335e-2, 5e-7},
      {"gelu", "relu", -0.751791524693564, 0.16997, 5e-6},
      {"softplus", "relu", 0, 0.693147180559945, 5e-16},
      {"silu", "hard_swish", -3, 0.142278, 5e-7},
      {"silu", "hard_swish", 3, 0.142278, 5e-7},
  };
  for (const Gap& gap : kGaps) {
    const auto difference = [&gap](double x) {
      return std::fabs(Evaluate(gap.candidate, x) - Evaluate(gap.reference, x));
    };
    EXPECT_NEAR(difference(gap.at), gap.gap, gap.tolerance) << gap.candidate;
    for (int i = -100'000; i <= 100'000; ++i) {
      ASSERT_LE(difference(i * 1e-4), gap.gap + gap.tolerance) << gap.candidate << " " << i * 1e-4;
    }
  }
}

}  // namespace
}  // namespace activation::accuracy
