// What the catalogue decides where frameworks differ or the function alone does not tell: kinks,
// zeros, infinities, the parameters that a framework's name stands for, products with upstream that
// are ties.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/evaluate.h"
#include "tests/accuracy/targets.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct AtKink {
  const char* name;
  double x;
  double derivative;
};

// PyTorch's choice at every kink of every activation with a kink at a float32.
TEST(Conventions, DerivativesAtKinksFollowPyTorch) {
  constexpr double kSeluSlope =
      1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
  constexpr AtKink kKinks[] = {
      {"relu", 0, 0},
      {"relu6", 0, 0},
      {"relu6", 6, 0},
      {"leaky_relu", 0, 0.01},
      {"prelu", 0, 0.25},
      {"threshold", 1, 0},
      {"hardtanh", -1, 0},
      {"hardtanh", 1, 0},
      {"hardshrink", -0.5, 0},
      {"hardshrink", 0.5, 0},
      {"softshrink", -0.5, 0},
      {"softshrink", 0.5, 0},
      {"elu", 0, 1},
      {"celu", 0, 1},
      {"selu", 0, kSeluSlope},
      {"hard_sigmoid", -3, 0},
      {"hard_sigmoid", 3, 0},
      {"hard_swish", -3, 0},
      {"hard_swish", 3, 1},
      {"sparse_sigmoid", -1, 0},
      {"sparse_sigmoid", 1, 0},
  };
  ForEachTarget([&](const char* target) {
    for (const auto& [name, x, derivative] : kKinks) {
      EXPECT_EQ(Evaluate(name, x, Quantity::kDerivative), derivative) << target << name << x;
      EXPECT_EQ(Evaluate(name, static_cast<float>(x), Quantity::kDerivative),
                static_cast<float>(derivative))
          << target << name << x;
    }
  });
}

TEST(Conventions, OnlyFunctionsThatCompareWithZeroLoseItsSign) {
  ForEachTarget([&](const char* target) {
    for (const char* name : {"relu", "relu6", "relu2", "threshold"}) {
      EXPECT_FALSE(std::signbit(Evaluate(name, -0.0f))) << target << " " << name;
      EXPECT_FALSE(std::signbit(Evaluate(name, -0.0))) << target << " " << name;
    }
    for (const char* name : {"identity", "leaky_relu", "prelu", "hardtanh", "hardshrink",
                             "softshrink", "elu", "celu", "selu", "hard_swish", "tanh",
                             "tanhshrink", "softsign", "silu", "mish", "gelu", "gelu_10"}) {
      EXPECT_TRUE(std::signbit(Evaluate(name, -0.0f))) << target << " " << name;
      EXPECT_TRUE(std::signbit(Evaluate(name, -0.0))) << target << " " << name;
    }
  });
}

struct Limits {
  const char* name;
  float left, right;
};

TEST(Conventions, InfinitiesGiveLimits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr Limits kLimits[] = {
      {"mish", -0.0f, kInfinity},
      {"gelu_10", -0.0f, 10},
      {"log_sigmoid", -kInfinity, -0.0f},
      {"softsign", -1, 1},
      {"squareplus", 0, kInfinity},
      {"celu", -1, kInfinity},
      {"laplace", 0, 1},
      {"hardtanh", -1, 1},
      {"tanhshrink", -kInfinity, kInfinity},
      {"relu6", 0, 6},
      {"xielu", kInfinity, kInfinity},
      {"hard_swish", 0, kInfinity},
  };
  ForEachTarget([&](const char* target) {
    for (const auto& [name, left, right] : kLimits) {
      EXPECT_EQ(std::bit_cast<uint32_t>(Evaluate(name, -kInfinity)), std::bit_cast<uint32_t>(left))
          << target << " " << name;
      EXPECT_EQ(Evaluate(name, kInfinity), right) << target << " " << name;
    }
  });
}

TEST(Conventions, NanStaysNanInFunctionsThatCompare) {
  ForEachTarget([&](const char* target) {
    for (const engine::Spec* spec : engine::Catalogue()) {
      for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
        EXPECT_TRUE(std::isnan(Evaluate(spec->name, std::nanf(""), quantity)))
            << target << " " << spec->name;
      }
    }
  });
}

TEST(Conventions, NamesOfFrameworksStandForTheirParameters) {
  const std::map<std::string, double> kFirstParameter = {
      {"leaky_relu", 0.01},         {"keras:leaky_relu", 0.2},      {"keras:LeakyReLU", 0.3},
      {"tf:leaky_relu", 0.2},       {"onnx:hard_sigmoid", 0.2f},    {"keras2:hard_sigmoid", 0.2},
      {"onnx:selu", 0x1.ac5afap+0}, {"selu", 0x1.ac5afad782cf1p+0}, {"prelu", 0.25},
      {"clipped_relu", 6},          {"thresholded_relu", 1},        {"clip", -1},
      {"torch:softplus", 1},        {"onnx:shrink", 0.5},
  };
  for (const auto& [name, value] : kFirstParameter) {
    const auto function = engine::FindFunction(name);
    ASSERT_TRUE(function) << name;
    EXPECT_EQ(function->parameters[0], value) << name;
  }
  EXPECT_EQ(engine::FindFunction("onnx:selu")->parameters[1],
            static_cast<double>(1.0507009873554804934193349852946f));
}

TEST(Conventions, EveryNameStandsForOneFunctionWithAllowedDefaults) {
  std::map<std::string, const engine::Spec*> owners;
  for (const engine::Spec* spec : engine::Catalogue()) {
    EXPECT_TRUE(owners.emplace(spec->name, spec).second) << spec->name;
    for (const engine::Alias& alias : spec->aliases) {
      EXPECT_TRUE(owners.emplace(alias.name, spec).second) << alias.name;
      if (!alias.parameters.empty()) {
        EXPECT_EQ(alias.parameters.size(), spec->parameters.size()) << alias.name;
      }
    }
    for (const engine::Parameter& parameter : spec->parameters) {
      if (parameter.at_most == nullptr) continue;
      EXPECT_LT(engine::PlaceOf(*spec, parameter.at_most), spec->parameters.size()) << spec->name;
    }
  }
  for (const auto& [name, spec] : owners) {
    const auto function = engine::FindFunction(name);
    ASSERT_TRUE(function && function->spec == spec) << name;
    EXPECT_FALSE(engine::FindExcess(*function)) << name;
    for (size_t i = 0; i < spec->parameters.size(); ++i) {
      EXPECT_GE(function->parameters[i], spec->parameters[i].minimum) << name;
      EXPECT_LE(function->parameters[i], spec->parameters[i].maximum) << name;
    }
    for (const char* approximation : spec->approximations) {
      EXPECT_TRUE(owners.contains(approximation)) << name << ": " << approximation;
    }
  }
}

// The derivative that the catalogue prints is that of the formula.
TEST(Conventions, DerivativesAsPrintedAreThoseOfTheFormulas) {
  for (const engine::Spec* spec : engine::Catalogue()) {
    engine::Spec printed = *spec;
    printed.formula = spec->derivative;
    const auto oracle = oracle::Oracle::Make(printed);
    ASSERT_TRUE(oracle.ok()) << spec->name << ": " << oracle.status();
    const auto parameters = engine::WithDefaults(*spec).parameters;
    for (const double x : {-40.25, -7.75, -2.875, -1.125, -0.625, -0.375, -1e-7, 1e-7, 0.375, 0.625,
                           1.125, 2.875, 7.75, 40.25}) {
      const oracle::Ball right =
          OracleOf(*spec).Enclose(oracle::kDerivative, x, parameters, 1, 100);
      const oracle::Ball said = oracle->Enclose(oracle::kValue, x, parameters, 1, 100);
      EXPECT_TRUE(arb_overlaps(right.get(), said.get())) << spec->name << " at " << x;
    }
  }
}

// 1/6 has no end in binary, but a sixth of 3, 9, 15, ... times 2^-24 lies exactly between two
// float16.
TEST(Conventions, UpstreamTimesAThirdIsATieWhereItIsOne) {
  engine::Operation operation = {.function = *engine::FindFunction("hard_sigmoid"),
                                 .quantity = Quantity::kDerivative,
                                 .input_type = DataType::kFloat16,
                                 .output_type = DataType::kFloat16};
  ForEachTarget([&](const char* target) {
    const uint16_t x = 0;
    for (uint16_t odd = 3; odd < 0x400; odd += 6) {
      uint16_t result = 0;
      engine::Run(operation,
                  {.input = reinterpret_cast<const std::byte*>(&x),
                   .upstream = reinterpret_cast<const std::byte*>(&odd),
                   .output = reinterpret_cast<std::byte*>(&result)},
                  1);
      const int below = odd / 6;
      EXPECT_EQ(result, below % 2 == 0 ? below : below + 1) << target << " " << odd;
    }
  });
}

struct Underflow {
  const char* what;
  const char* name;
  std::array<double, engine::kMaxParameters> parameters;
  Quantity quantity;
  float x;
  float result;
};

TEST(Conventions, ParametersTooSmallForFloat64sProductsStillCount) {
  const Underflow cases[] = {
      {"the sign of a product of parameters",
       "selu",
       {-0x1p-440, 0x1p-751},
       Quantity::kDerivative,
       0,
       -0.0f},
      {"a term that decides a tie",
       "xielu",
       {-0x1p-906, 1, 0.5, -0.125},
       Quantity::kValue,
       0x1.58p-144f,
       0x1.5p-145f},
      {"the sign of a sum of two such terms",
       "xielu",
       {0x1p-888, 1, -0x1p-1022, -0.5},
       Quantity::kValue,
       0x1.dp-143f,
       -0.0f},
  };
  ForEachTarget([&](const char* target) {
    for (const Underflow& c : cases) {
      engine::Operation operation = {.function = *engine::FindFunction(c.name),
                                     .quantity = c.quantity};
      operation.function.parameters = c.parameters;
      float result = 0;
      engine::Run(operation,
                  {.input = reinterpret_cast<const std::byte*>(&c.x),
                   .output = reinterpret_cast<std::byte*>(&result)},
                  1);
      EXPECT_EQ(std::bit_cast<uint32_t>(result), std::bit_cast<uint32_t>(c.result))
          << target << " " << c.what << ": " << result;
    }
  });
}

}  // namespace
}  // namespace activation::accuracy
