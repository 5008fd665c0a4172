// Formulas as text: what is refused, with the column, and what must not exhaust anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/formula/kernel.h"
#include "server/formula/parse.h"

namespace activation::formula {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ErrorOf(const FormulaSpec& spec) {
  const auto kernel = FormulaKernel::Make(spec, engine::Quantity::kDerivative);
  EXPECT_FALSE(kernel.ok()) << spec.expression;
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(kernel.status().message().size(), 1'000U);
  return std::string(kernel.status().message());
}

double Value(const std::string& expression, double x,
             engine::Quantity quantity = engine::Quantity::kValue) {
  const auto kernel = FormulaKernel::Make({.expression = expression}, quantity);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  double y = 0;
  if (kernel.ok()) kernel->RunDoubles(&x, &y, 1);
  return y;
}

std::string Repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

struct Refused {
  std::string expression;
  std::string message;
};

TEST(FormulaParse, RefusesWithTheColumn) {
  const Refused cases[] = {
      {"", "expression is empty; give a formula in x"},
      {std::string(1'001, '1'), "expression has more than 1000 bytes, which is the limit"},
      {"  ", "expression: column 3: the formula ends where there should be a number, a name or ("},
      {"x + 3*foo",
       "expression: column 7: 'foo' is neither x, a parameter (given: none) nor pi or "
       "a function (abs, atan, cos,"},
      {"exp x", "column 5: 'x' stands where there should be ( after exp"},
      {"exp", "column 4: the formula ends where there should be ( after exp"},
      {"max(x)", "column 6: ')' stands where there should be , as max has two arguments"},
      {"exp(x, 1)", "column 6: ',' stands where there should be )"},
      {"(x", "column 3: the formula ends where there should be )"},
      {"x)", "column 2: ')' stands where there should be an operator or the end"},
      {"2x", "column 2: 'x' stands where there should be an operator or the end"},
      {"x*-", "column 4: the formula ends"},
      {"+x", "column 1: '+' stands where there should be a number"},
      {"x^x",
       "column 3: 'x' stands where there should be an integer of at most 64 as the exponent"},
      {"x^65", "column 3: '65' stands"},
      {"x^-65", "column 4: '65' stands"},
      {"x^99999999999999999999", "column 3: '99999999999999999999' stands"},
      {"x^2.5", "column 3: '2.5' stands"},
      {"x^(2)", "column 3: '(' stands"},
      {"x^2^3", "column 4: a power of a power needs parentheses"},
      {"1?1?1?", "column 2: before ? there should be a comparison"},
      {"x?1:2", "column 2: before ? there should be a comparison"},
      {"x > 0", "column 6: the formula ends where there should be ? after the comparison"},
      {"x < 1 < 2 ? 1 : 0", "column 7: '<' stands"},
      {"1 + (x > 0)", "column 3: a comparison is no number"},
      {"exp(x > 0)", "column 1: a comparison is no number"},
      {"x > 0 ? x", "column 10: the formula ends where there should be : and what"},
      {"x > 0 ? x > 1 : 2", "column 7: a comparison is no number"},
      {"(x > 0)^2 > 1 ? 1 : 0", "column 8: a comparison is no number"},
      {"1e400", "column 1: '1e400' is beyond the range of float64"},
      {std::string(400, '9'), "...' is beyond the range of float64"},
      {"x+1e", "column 3: a number needs a digit, and one after its e"},
      {"x+.", "column 3: a number needs a digit"},
      {"1.2.3", "column 4: '.3' stands where there should be an operator or the end"},
      {"x&1", "column 2: '&' has no meaning; a formula has numbers, names, + - * /"},
      {"x = 1", "column 3: '=' has no meaning"},
      {std::string("x\0+1", 4), "column 2: '\\x00' has no meaning"},
      {"x+\xcf\x80", "column 3: '\\xcf' has no meaning"},
      {"2\xc2\xb7x", "column 2: '\\xc2' has no meaning"},
  };
  for (const Refused& refused : cases) {
    EXPECT_THAT(ErrorOf({.expression = refused.expression}), HasSubstr(refused.message))
        << refused.expression;
  }
}

TEST(FormulaParse, RefusesParametersThatDoNotFit) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ErrorOf({.expression = "a*x", .parameters = {{"a", 1}, {"beta", 2}}}),
            "parameters[\"beta\"] is not used in the expression");
  EXPECT_EQ(ErrorOf({.expression = "a*x", .parameters = {{"a", infinity}}}),
            "parameters[\"a\"] is inf; it has to be finite");
  EXPECT_THAT(ErrorOf({.expression = "a*b*c*x", .parameters = {{"a", 1}, {"b", 2}}}),
              StartsWith("expression: column 5: 'c' is neither x, a parameter (given: a, b) nor"));
  for (const char* name : {"x", "pi", "exp", "", "1a", "a-b", "\xcf\x80", "a b"}) {
    EXPECT_THAT(ErrorOf({.expression = "x", .parameters = {{name, 1}}}),
                HasSubstr("\"] can't be a parameter's name"))
        << name;
  }
  FormulaSpec many = {.expression = "foo*x"};
  for (int i = 0; i < 1'000; ++i) many.parameters["parameter_" + std::to_string(i)] = i;
  EXPECT_THAT(ErrorOf(many), HasSubstr("...) nor pi or a function"));
  EXPECT_THAT(ErrorOf({.expression = "x", .parameters = {{std::string(5'000, 'a'), 1}}}),
              HasSubstr("aaa...\"] can't be a parameter's name: it has to be of 1 to 64 letters"));
}

TEST(FormulaParse, NamesTheExpressionAsItsCallerDoes) {
  const auto kernel = FormulaKernel::Make({.expression = "y"}, engine::Quantity::kValue, "formula");
  EXPECT_THAT(std::string(kernel.status().message()), StartsWith("formula: column 1: 'y' is"));
}

TEST(FormulaParse, BoundsDepth) {
  const auto nested = [](const std::string& open, int times, const std::string& close) {
    return Repeat(open, times) + "x" + Repeat(close, times);
  };
  EXPECT_EQ(Value(nested("(", 63, ")"), 3), 3);
  EXPECT_EQ(Value(nested("-", 62, ""), 3), 3);
  EXPECT_EQ(Value(nested("x<1?1:", 63, ""), 3), 3);
  const std::string deep[] = {nested("(", 64, ")"), nested("-", 64, ""), nested("x<1?1:", 64, ""),
                              Repeat("(", 1'000),   Repeat("-", 1'000),  Repeat("abs(", 250),
                              Repeat("min(x,", 166)};
  for (const std::string& expression : deep) {
    EXPECT_THAT(ErrorOf({.expression = expression}), HasSubstr("nested deeper than 64 levels"));
  }
  // Long without being deep.
  EXPECT_EQ(Value(Repeat("x+", 499) + "x", 1, engine::Quantity::kDerivative), 500);
}

TEST(FormulaParse, BindsAsMathematicsDoes) {
  EXPECT_EQ(Value("2-3-4*x/2/4", 8), -5);
  EXPECT_EQ(Value("-x^2", 3), -9);
  EXPECT_EQ(Value("2^-2*x", 3), 0.75);
  EXPECT_EQ(Value("x*-x", 3), -9);
  EXPECT_EQ(Value("x<0 ? 1 : x < 5 ? 2 : 3", 4), 2);
  EXPECT_EQ(Value("(x>0) ? .5 : 5.", 4), 0.5);
  EXPECT_EQ(Value("\tmax(\nx, 1e1 )\r", 4), 10);
  EXPECT_EQ(Value("x > 1 ? x : -(1)", 1), -1);
  EXPECT_EQ(Value("1e-400 + x", 1), 1);
}

TEST(FormulaParse, ReadsTheCatalogue) {
  for (const engine::Spec* spec : engine::Catalogue()) {
    std::vector<std::string> names;
    for (const engine::Parameter& parameter : spec->parameters) names.push_back(parameter.name);
    EXPECT_TRUE(Parse(spec->formula, names).ok()) << spec->name;
    EXPECT_TRUE(Parse(spec->derivative, names).ok()) << spec->name;
    for (const std::string& name : names) EXPECT_TRUE(IsParameterName(name)) << name;
  }
}

}  // namespace
}  // namespace activation::formula
