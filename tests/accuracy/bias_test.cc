// f(x + b), f'(x + b) and their products with an upstream factor: of the exact sum, rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/samples.h"
#include "tests/accuracy/targets.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Function;
using engine::Operation;
using engine::Quantity;
using oracle::Decode;

constexpr size_t kPairs = 400;

// The number of `type` nearest to x.
uint64_t Nearest(DataType type, double x) {
  if (!std::isfinite(x) || x == 0) return oracle::Encode(type, x);
  oracle::Dyadic exact;
  arf_set_d(exact.get(), x);
  return oracle::Round(type, exact);
}

// Pairs of inputs and biases: ordinary ones, some that cancel in part or wholly, some of which one
// is tiny beside the other, sums at kinks and next to them, any bits at all, and infinities.
struct Pairs {
  std::vector<uint64_t> inputs;
  std::vector<uint64_t> biases;

  Pairs(DataType type, const Function& function, uint32_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 3);
    const uint64_t mask = ~uint64_t{0} >> (64 - TraitsOf(type).bits);
    const auto scaled = [&](int exponents) {
      return std::ldexp(normal(random), static_cast<int>(random() % exponents));
    };
    std::vector<double> kinks = OracleOf(*function.spec).Kinks(function.parameters);
    kinks.push_back(0);
    for (size_t i = 0; i < kPairs; ++i) {
      const double x = normal(random);
      switch (i % 8) {
        case 0:
          Add(Nearest(type, x), Nearest(type, normal(random)));
          break;
        case 1:  // cancels, but for some last bits
          Add(Nearest(type, x), Nearest(type, -x) + random() % 3);
          break;
        case 2:  // cancels wholly
          Add(Nearest(type, x), Nearest(type, -Decode(type, Nearest(type, x))));
          break;
        case 3:  // a small one beside an ordinary one
          Add(Nearest(type, x),
              Nearest(type, std::ldexp(normal(random), -10 - static_cast<int>(random() % 140))));
          break;
        case 4:  // a small one beside a midpoint or a kink
          Add(Nearest(type, kinks[random() % kinks.size()]),
              Nearest(type, std::ldexp(normal(random), -20 - static_cast<int>(random() % 1'000))));
          break;
        case 5:  // a large one, and one that moves it by a part of an ULP
          Add(Nearest(type, scaled(12)), Nearest(type, std::ldexp(normal(random), -12)));
          break;
        case 6:  // the tails, where results leave the type's range
          Add(Nearest(type, 40 * x), Nearest(type, normal(random)));
          break;
        default:
          Add(random() & mask, random() & mask);
      }
    }
    const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0};
    for (const double x : specials) {
      for (const double b : specials) Add(Nearest(type, x), Nearest(type, b));
    }
  }

  void Add(uint64_t x, uint64_t b) {
    inputs.push_back(x);
    biases.push_back(b);
  }
};

int WhatOf(Quantity quantity) {
  return quantity == Quantity::kValue ? oracle::kValue : oracle::kDerivative;
}

oracle::Ball EncloseSum(const Operation& operation, double x, double bias,
                        std::optional<double> upstream) {
  return OracleOf(*operation.function.spec)
      .EncloseSum(WhatOf(operation.quantity), x, bias, operation.function.parameters,
                  upstream.value_or(1), 80);
}

class Bias : public testing::TestWithParam<Subject> {
 protected:
  // Whether y is right where the truth rounds to `expected`.
  static bool IsRight(const Operation& operation, double x, double bias,
                      std::optional<double> upstream, uint64_t y, uint64_t expected) {
    if (y == expected) return true;
    const double got = Decode(operation.output_type, y);
    const double right = Decode(operation.output_type, expected);
    const int what = WhatOf(operation.quantity);
    const auto& oracle = OracleOf(*operation.function.spec);
    if (got == 0 && right == 0) {  // an exact zero away from x = 0 has no sign of its own
      constexpr double kMost = std::numeric_limits<double>::max();
      const double sum = std::clamp(x + bias, -kMost, kMost);
      if (sum == 0) return false;
      // At the rounded sum, which may lie on the other side of a jump, or at the exact one.
      return oracle.IsExactlyZero(what, sum, operation.function.parameters, upstream) ||
             arb_is_zero(EncloseSum(operation, x, bias, upstream).get());
    }
    if (operation.output_type != DataType::kFloat64 || !std::isfinite(x + bias)) return false;
    const oracle::Ball truth = EncloseSum(operation, x, bias, upstream);
    return oracle::UlpError(got, truth) <= 1;
  }

  static void CheckPairs(const Operation& operation, const Pairs& pairs,
                         const std::vector<uint64_t>& upstreams) {
    const DataType type = operation.input_type;
    const auto& oracle = OracleOf(*operation.function.spec);
    const auto upstream_at = [&](size_t i) {
      return upstreams.empty() ? std::nullopt : std::optional<double>(Decode(type, upstreams[i]));
    };
    std::vector<std::optional<uint64_t>> expected;
    for (size_t i = 0; i < pairs.inputs.size(); ++i) {
      expected.push_back(oracle.RoundSum(
          operation.output_type, WhatOf(operation.quantity), Decode(type, pairs.inputs[i]),
          Decode(type, pairs.biases[i]), operation.function.parameters, upstream_at(i)));
    }
    ForEachTarget([&](const char* target) {
      const std::vector<uint64_t> results =
          RunEngine(operation, pairs.inputs, upstreams, pairs.biases);
      for (size_t i = 0; i < results.size(); ++i) {
        const double x = Decode(type, pairs.inputs[i]);
        const double bias = Decode(type, pairs.biases[i]);
        ASSERT_TRUE(expected[i].has_value()) << Describe(operation) << " at " << x << " + " << bias;
        ASSERT_TRUE(IsRight(operation, x, bias, upstream_at(i), results[i], *expected[i]))
            << target << ": " << Describe(operation) << " at "
            << oracle::Describe(type, pairs.inputs[i]) << " + "
            << oracle::Describe(type, pairs.biases[i]) << " is "
            << oracle::Describe(operation.output_type, results[i]) << ", should be "
            << oracle::Describe(operation.output_type, *expected[i]);
      }
    });
  }
};

TEST_P(Bias, IsAddedExactlyAndTheResultRoundedOnce) {
  const auto& [spec, type] = GetParam();
  std::vector<Function> functions = OtherParameters(*spec);
  functions.insert(functions.begin(), engine::WithDefaults(*spec));
  const DataType other = type == DataType::kFloat32 ? DataType::kBFloat16 : DataType::kFloat32;
  uint32_t seed = 1;
  for (const Function& function : functions) {
    const Pairs pairs(type, function, seed++);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<uint64_t> upstreams;
    for (size_t i = 0; i < pairs.inputs.size(); ++i) {
      upstreams.push_back(Nearest(type, normal(random)));
    }
    CheckPairs({function, Quantity::kValue, type, type}, pairs, {});
    CheckPairs({function, Quantity::kDerivative, type, type}, pairs, {});
    CheckPairs({function, Quantity::kDerivative, type, type}, pairs, upstreams);
    if (seed == 2) CheckPairs({function, Quantity::kValue, type, other}, pairs, {});
  }
}

TEST_P(Bias, GradientIsTheSumOfTheSlopesThere) {
  const auto& [spec, type] = GetParam();
  const Function function = engine::WithDefaults(*spec);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  oracle::Ball truth;
  std::vector<uint64_t> inputs, biases, upstreams;
  for (int i = 0; i < 300; ++i) {
    for (auto* numbers : {&inputs, &biases, &upstreams}) {
      numbers->push_back(Nearest(type, normal(random)));
    }
    const oracle::Ball term = OracleOf(*spec).EncloseSum(
        oracle::kDerivative, Decode(type, inputs.back()), Decode(type, biases.back()),
        function.parameters, Decode(type, upstreams.back()), 128);
    arb_add(truth.get(), truth.get(), term.get(), 512);
  }
  const auto x = Pack(type, inputs), b = Pack(type, biases), g = Pack(type, upstreams);
  engine::PreciseSum sum;
  engine::AddGradient(function, engine::kBias, type,
                      {.input = x.data(), .upstream = g.data(), .bias = b.data()}, inputs.size(),
                      sum);
  EXPECT_LE(oracle::UlpError(sum.Total(), truth), 1);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Bias, testing::ValuesIn(Subjects(kDataTypes)),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
