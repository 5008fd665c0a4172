#include "tests/support/formula.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace activation::oracle {
namespace {

constexpr Context kExact{128, true};

std::string ErrorOf(const std::string& text) {
  const std::vector<std::string> names = {"x", "alpha"};
  const auto formula = Parse(text, names);
  return formula.ok() ? "" : std::string{formula.status().message()};
}

// The value at x = 3, alpha = 5 as a quotient, for formulas that are rational.
std::string ValueOf(const std::string& text, int with_respect_to = kNoDerivative) {
  const std::vector<std::string> names = {"x", "alpha"};
  const auto formula = Parse(text, names);
  if (!formula.ok()) return std::string{formula.status().message()};
  const std::vector<Number> variables = {FromInt(3, kExact), FromInt(5, kExact)};
  const Dual y = Evaluate(*formula, variables, with_respect_to, kExact);
  const Number& number = with_respect_to == kNoDerivative ? y.value : y.derivative;
  if (!arb_is_zero(number.r.get())) return "not exact";
  char* text_of = fmpq_get_str(nullptr, 10, number.q.get());
  std::string result = text_of;
  flint_free(text_of);
  return result;
}

TEST(Formula, FollowsTheGrammarsPrecedence) {
  EXPECT_EQ(ValueOf("1+2*x"), "7");
  EXPECT_EQ(ValueOf("(1+2)*x"), "9");
  EXPECT_EQ(ValueOf("10-4-3"), "3");
  EXPECT_EQ(ValueOf("12/2/3"), "2");
  EXPECT_EQ(ValueOf("-x^2"), "-9");
  EXPECT_EQ(ValueOf("(-x)^2"), "9");
  EXPECT_EQ(ValueOf("2*x^-2"), "2/9");
  EXPECT_EQ(ValueOf("--x"), "3");
  EXPECT_EQ(ValueOf("x - alpha < 0 ? 1 : 2"), "1");
  EXPECT_EQ(ValueOf("x > alpha ? 1 : x == 3 ? 2 : 4"), "2");
  EXPECT_EQ(ValueOf("x >= 3 ? 1 : 0"), "1");
  EXPECT_EQ(ValueOf("x <= 2 ? 1 : 0"), "0");
}

TEST(Formula, ReadsDecimalsAsExactRationals) {
  EXPECT_EQ(ValueOf("0.1"), "1/10");
  EXPECT_EQ(ValueOf("0.044715"), "8943/200000");
  EXPECT_EQ(ValueOf("1.5e3"), "1500");
  EXPECT_EQ(ValueOf("25e-2"), "1/4");
}

TEST(Formula, FindsDerivativesOfRationalFormulasExactly) {
  EXPECT_EQ(ValueOf("x^3", 0), "27");
  EXPECT_EQ(ValueOf("x*alpha + 1/x", 0), "44/9");
  EXPECT_EQ(ValueOf("x*alpha + 1/x", 1), "3");
  EXPECT_EQ(ValueOf("(x+1)/(x-1)", 0), "-1/2");
  EXPECT_EQ(ValueOf("abs(alpha-2*x)", 0), "2");
  EXPECT_EQ(ValueOf("x > 0 ? x : alpha*x", 1), "0");
  EXPECT_EQ(ValueOf("alpha", 0), "0");
}

TEST(Formula, KnowsExactValuesOfFunctionsAtZero) {
  EXPECT_EQ(ValueOf("exp(x-3)"), "1");
  EXPECT_EQ(ValueOf("erfc(x-3)"), "1");
  EXPECT_EQ(ValueOf("erf(x-3)+tanh(x-3)+sin(x-3)+log(x-2)"), "0");
  EXPECT_EQ(ValueOf("cosh(x-3)+cos(x-3)"), "2");
  EXPECT_EQ(ValueOf("sqrt(4/9)"), "2/3");
  EXPECT_EQ(ValueOf("1/(1+exp(x-3))", 0), "-1/4");
}

TEST(Formula, NamesTheColumnOfAnError) {
  EXPECT_EQ(ErrorOf("1+"), "column 3: expected a number, a name or (");
  EXPECT_EQ(ErrorOf("x*beta"), "column 3: unknown name beta");
  EXPECT_EQ(ErrorOf("exp x"), "column 5: expected ( after exp");
  EXPECT_EQ(ErrorOf("(x"), "column 3: expected )");
  EXPECT_EQ(ErrorOf("x x"), "column 3: expected an operator or the end");
  EXPECT_EQ(ErrorOf("x ? 1 : 2"), "column 4: expected a comparison before ?");
  EXPECT_EQ(ErrorOf("x < 1"), "column 6: a comparison must be followed by ?");
  EXPECT_EQ(ErrorOf("(x < 1)*2"), "column 10: a comparison is not a number");
  EXPECT_EQ(ErrorOf("x < 1 ? 2"), "column 10: expected :");
  EXPECT_EQ(ErrorOf("x^alpha"), "column 3: an exponent must be an integer literal of at most 64");
  EXPECT_EQ(ErrorOf("x^65"), "column 5: an exponent must be an integer literal of at most 64");
  EXPECT_EQ(ErrorOf(""), "column 1: expected a number, a name or (");
}

TEST(Formula, RefusesDeepNesting) {
  EXPECT_EQ(ErrorOf(std::string(60, '(') + "x" + std::string(60, ')')), "");
  EXPECT_NE(ErrorOf(std::string(10'000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(10'000, '-')).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace activation::oracle
