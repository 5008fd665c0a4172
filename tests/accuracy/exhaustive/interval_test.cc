// The interval evaluator against ball arithmetic, for the whole catalogue.
#include "tests/support/interval.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/exhaustive/inputs.h"
#include "tests/accuracy/samples.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {
namespace {

using engine::Function;
using engine::Spec;
using oracle::kDerivative;
using oracle::kLanes;
using oracle::kValue;
using oracle::Lanes;

constexpr slong kBallBits = 100;

std::span<const double> ParametersOf(const Function& function) {
  return std::span(function.parameters).first(function.spec->parameters.size());
}

struct Comparison {
  int inputs = 0;
  int outside = 0;  // truths that are certainly not in their interval
  int narrow = 0;   // intervals whose ends round to one float
  std::string first_outside;
};

// Encloses `formula` at random inputs and compares with balls around the spec's function.
Comparison Compare(const char* formula, const Function& function, int what) {
  const oracle::Oracle& oracle = OracleOf(*function.spec);
  std::vector<std::string> names = {"x"};
  for (const auto& parameter : function.spec->parameters) names.push_back(parameter.name);
  oracle::IntervalEvaluator evaluator(*oracle::Parse(formula, names), ParametersOf(function));
  Generator generator(7);
  std::vector<float> inputs(kLanes);
  const std::vector<double> kinks = oracle.Kinks(function.parameters);
  RandomInputs(function, kinks, generator, inputs);
  Lanes x;
  for (size_t i = 0; i < kLanes; ++i) {
    x.high[i] = i < kinks.size() ? kinks[i] : std::isfinite(inputs[i]) ? inputs[i] : 1;
    x.negated_low[i] = -x.high[i];
  }
  const Lanes& y = evaluator.Evaluate(x);
  Comparison result;
  for (size_t i = 0; i < kLanes; ++i) {
    const oracle::Ball truth = oracle.Enclose(what, x.high[i], function.parameters, 1, kBallBits);
    oracle::Ball low, high;
    arb_set_d(low.get(), -y.negated_low[i]);
    arb_set_d(high.get(), y.high[i]);
    ++result.inputs;
    result.narrow += static_cast<float>(-y.negated_low[i]) == static_cast<float>(y.high[i]);
    if (!arb_lt(truth.get(), low.get()) && !arb_gt(truth.get(), high.get())) continue;
    if (result.outside++ == 0) {
      result.first_outside = testing::PrintToString(
          std::vector<double>{x.high[i], -y.negated_low[i], y.high[i],
                              arf_get_d(arb_midref(truth.get()), ARF_RND_NEAR)});
    }
  }
  return result;
}

class Intervals : public testing::TestWithParam<const Spec*> {};

TEST_P(Intervals, ContainTheTruth) {
  const Spec& spec = *GetParam();
  std::vector<Function> functions = {engine::WithDefaults(spec)};
  Generator generator(11);
  if (!spec.parameters.empty()) {
    for (const Function& function : OtherParameters(spec)) functions.push_back(function);
    for (int i = 0; i < 8; ++i) functions.push_back(RandomParameters(spec, generator));
  }
  for (const int what : {kValue, kDerivative}) {
    const char* formula = what == kValue ? spec.formula : spec.derivative;
    for (size_t i = 0; i < functions.size(); ++i) {
      const Comparison result = Compare(formula, functions[i], what);
      EXPECT_EQ(result.outside, 0)
          << formula << " with " << testing::PrintToString(functions[i].parameters)
          << ": x, low, high, truth: " << result.first_outside;
      // Not by being wide; next to 0 some formulas cancel, which is taylor.h's part.
      if (i == 0) {
        EXPECT_GE(result.narrow, result.inputs * 4 / 5) << formula;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Intervals, testing::ValuesIn(engine::Catalogue()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Intervals, OfAnotherFunctionDoNotContainTheTruth) {
  const Function gelu = engine::WithDefaults(*engine::Find("gelu"));
  EXPECT_EQ(Compare("x*erfc(-x/sqrt(2))/2", gelu, kValue).outside, 0);
  EXPECT_GT(Compare("x*erfc(-x/sqrt(2))*0.500000000001", gelu, kValue).outside, 100);
  EXPECT_GT(Compare("x*erfc(-x*0.707106781186)/2", gelu, kValue).outside, 10);
}

struct Rewritten {
  const char* formula;
  double x, low, high;  // what the result at x lies between
};

// Where a formula as it stands cancels or leaves float64's range. From mpmath at 400 bits, but for
// those that are below every float64 and of which the sign matters.
TEST(Intervals, AreNarrowWhereFormulasCancelAndKeepTheSignOfWhatUnderflows) {
  constexpr Rewritten kCases[] = {
      {"erfc(-x/sqrt(2))/2+x*exp(-x^2/2)/sqrt(2*pi)", -1e20, -0x1p-500, 0},
      {"tanh(log(1+exp(x)))+x/((1+exp(-x))*cosh(log(1+exp(x)))^2)", -1e20, -0x1p-500, 0},
      {"1/(1+exp(-x))-exp(x)*x", -1e20, 0, 0x1p-500},
      {"-log(1+exp(x))", -1e20, -0x1p-500, 0},
      {"-(1+erf(x))", -1e20, -0x1p-500, 0},
      {"(x+sqrt(x^2+4))/2", -1e20, 1e-20 * (1 - 0x1p-45), 1e-20 * (1 + 0x1p-45)},
      {"1+x/sqrt(x^2+4)", -1e20, 2e-40 * (1 - 0x1p-45), 2e-40 * (1 + 0x1p-45)},
      {"1+tanh(x)", -100, 2.76779305347e-87, 2.76779305348e-87},
      {"log(1+exp(x))", 1e20, 1e20 * (1 - 0x1p-45), 1e20 * (1 + 0x1p-45)},
      {"exp(x)-1", 1e-20, 1e-20 * (1 - 0x1p-45), 1e-20 * (1 + 0x1p-45)},
  };
  const auto names = std::vector<std::string>{"x"};
  for (const auto& [formula, at, low, high] : kCases) {
    oracle::IntervalEvaluator evaluator(*oracle::Parse(formula, names), {});
    Lanes x;
    std::fill_n(x.high, kLanes, at);
    std::fill_n(x.negated_low, kLanes, -at);
    const Lanes& y = evaluator.Evaluate(x);
    EXPECT_GE(-y.negated_low[0], low) << formula;
    EXPECT_LE(y.high[0], high) << formula;
    EXPECT_LE(-y.negated_low[0], y.high[0]) << formula;
  }
}

}  // namespace
}  // namespace activation::accuracy
