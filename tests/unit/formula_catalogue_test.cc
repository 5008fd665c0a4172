// Formulas against the engine: values and dual derivatives of the whole catalogue; and their
// programs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/formula/kernel.h"
#include "server/formula/program.h"

namespace activation::formula {
namespace {

using engine::Quantity;

// Neither kinks nor so near 0 that formulas cancel.
const std::vector<double> kPoints = {-19.7, -9.1, -4.3, -2.9, -1.37, -0.77, -0.41, -0.13,
                                     0.17,  0.43, 0.83, 1.29, 2.71,  4.7,   8.9,   19.3};

std::vector<double> Compute(const std::string& expression, Quantity quantity,
                            const std::map<std::string, double>& parameters = {},
                            const std::vector<double>& x = kPoints) {
  FormulaSpec spec = {.expression = expression};
  for (const auto& [name, value] : parameters) {
    // Not every formula has every parameter.
    spec.parameters[name] = value;
    const auto kernel = FormulaKernel::Make(spec, quantity);
    if (!kernel.ok() && kernel.status().message().find("not used") != std::string::npos) {
      spec.parameters.erase(name);
    }
  }
  const auto kernel = FormulaKernel::Make(spec, quantity);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  std::vector<double> y(x.size());
  if (kernel.ok()) kernel->RunDoubles(x.data(), y.data(), x.size());
  return y;
}

void ExpectNear(const std::vector<double>& got, const std::vector<double>& wanted,
                const std::string& what, double relative = 1e-9, double absolute = 1e-15) {
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], relative * std::abs(wanted[i]) + absolute)
        << what << " at " << kPoints[i];
  }
}

TEST(FormulaCatalogue, AgreesWithTheEngine) {
  for (const engine::Spec* spec : engine::Catalogue()) {
    std::map<std::string, double> parameters;
    for (const engine::Parameter& parameter : spec->parameters) {
      parameters[parameter.name] = parameter.default_value;
    }
    const auto truth = [&](Quantity quantity) {
      std::vector<double> y(kPoints.size());
      engine::Run({.function = engine::WithDefaults(*spec),
                   .quantity = quantity,
                   .input_type = DataType::kFloat64,
                   .output_type = DataType::kFloat64},
                  {.input = std::as_bytes(std::span(kPoints)).data(),
                   .output = std::as_writable_bytes(std::span(y)).data()},
                  y.size());
      return y;
    };
    const std::string name = spec->name;
    ExpectNear(Compute(spec->formula, Quantity::kValue, parameters), truth(Quantity::kValue), name);
    ExpectNear(Compute(spec->derivative, Quantity::kValue, parameters),
               truth(Quantity::kDerivative), name + "'");
    ExpectNear(Compute(spec->formula, Quantity::kDerivative, parameters),
               truth(Quantity::kDerivative), name + "' by dual numbers", 1e-9, 1e-13);
  }
}

TEST(FormulaCatalogue, DerivativesAreThoseOfDifferences) {
  const char* const formulas[] = {
      "expm1(x)*x",        "log1p(x^2)", "atan(2*x)/x",     "max(x, x^2)",  "min(sin(x), x/2)",
      "abs(x-0.5)",        "x^-3",       "(x/9)^7",         "cosh(x/7)",    "erfc(x)*3",
      "sqrt(x^2+1)",       "cos(x)^2",   "1/(1+exp(-x))/x", "log(abs(x))",  "-x*tanh(x/3)",
      "max(-1, min(x,1))", "x^64/1e60",  "2-x/(3-x^2)^2",   "erf(x/4)-1/x", "x < 1 ? x*x : 3*x",
  };
  for (const std::string formula : formulas) {
    constexpr double kStep = 0x1p-16;
    std::vector<double> differences;
    for (const double x : kPoints) {
      const auto y = Compute(formula, Quantity::kValue, {}, {x - kStep, x + kStep});
      differences.push_back((y[1] - y[0]) / (2 * kStep));
    }
    ExpectNear(Compute(formula, Quantity::kDerivative), differences, formula, 1e-6, 1e-8);
  }
}

struct AtPoint {
  const char* formula;
  double x;
  double derivative;
};

TEST(FormulaCatalogue, DerivativesAtBendsAndBesideBranchesNotTaken) {
  const double nan = std::nan("");
  const AtPoint cases[] = {
      {"abs(x)", 0, 0},
      {"max(x, 0)", 0, 0},
      {"max(0, x)", 0, 1},
      {"min(x, 6)", 6, 0},
      {"max(x, x)", 2, 1},
      {"max(x, 0)", nan, nan},
      {"min(0, x)", nan, nan},
      {"abs(x)", nan, nan},
      {"x > 0 ? sqrt(x) : 0", -1, 0},
      {"x > 0 ? 3*log(x) : 2*x", 0, 2},
      {"x == 0 ? 1 : sin(x)/x", 0, 0},
      {"5*(x < 700 ? 1 : exp(x^3))", 10, 0},
      {"x^2", 0, 0},
      {"x^1", 7, 1},
      {"x^0", 0, 0},
      {"3+pi", 1, 0},
      {"1/x^2", 2, -0.25},
  };
  for (const AtPoint& at : cases) {
    const double got = Compute(at.formula, Quantity::kDerivative, {}, {at.x})[0];
    if (std::isnan(at.derivative)) {
      EXPECT_TRUE(std::isnan(got)) << at.formula;
    } else {
      EXPECT_EQ(got, at.derivative) << at.formula << " at " << at.x;
    }
  }
}

Program MakeProgram(const std::string& text, Quantity quantity = Quantity::kValue) {
  const auto tree = Parse(text, {});
  EXPECT_TRUE(tree.ok()) << tree.status();
  return formula::MakeProgram(*tree, {}, DataType::kFloat32, false, quantity);
}

TEST(FormulaProgram, SharesWhatIsRepeated) {
  EXPECT_EQ(MakeProgram("exp(x)+exp(x)*exp(x)").steps.size(), 3U);
  EXPECT_EQ(MakeProgram("x^64+x^63+x^3").steps.size(), 65U);
  EXPECT_EQ(MakeProgram("0*x+-0*x").steps.size(), 3U);  // 0 is not -0
  // What does not depend on x is computed once.
  const Program program = MakeProgram("x*sqrt(2/pi)");
  EXPECT_EQ(program.steps.size(), 1U);
  EXPECT_EQ(program.uniform_steps.size(), 2U);
  // The derivative needs the value's cosine, not its sine.
  EXPECT_EQ(MakeProgram("sin(x)", Quantity::kDerivative).steps.size(), 1U);
}

TEST(FormulaProgram, UsesRegistersAgain) {
  std::string text = "x";
  for (int i = 0; i < 90; ++i) text += "*(x+" + std::to_string(i) + ")^64";
  ASSERT_LE(text.size(), kMaxExpressionBytes);
  const Program program = MakeProgram(text, Quantity::kDerivative);
  EXPECT_GT(program.steps.size(), 5'000U);
  EXPECT_LT(program.registers - program.uniform_registers, 10U);
}

}  // namespace
}  // namespace activation::formula
