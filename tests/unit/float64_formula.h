// Formulas of the contract's notation in plain float64, for tests: no checks beyond the syntax's.
#ifndef ACTIVATION_TESTS_UNIT_FLOAT64_FORMULA_H_
#define ACTIVATION_TESTS_UNIT_FLOAT64_FORMULA_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>
#include <string_view>

namespace activation::server {

// Parses and evaluates in one go, both branches of a choice.
class Float64Formula {
 public:
  Float64Formula(std::string text, std::map<std::string, double> names)
      : text_(std::move(text)), names_(std::move(names)) {
    std::erase(text_, ' ');
    names_["pi"] = std::numbers::pi;
  }

  double At(double x) {
    names_["x"] = x;
    at_ = 0;
    const double value = Expression();
    EXPECT_EQ(at_, text_.size()) << text_.substr(at_);
    return value;
  }

 private:
  bool Take(std::string_view token) {
    if (!std::string_view(text_).substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  double Expression() {
    const double condition = Comparison();
    if (!Take("?")) return condition;
    const double yes = Expression();
    EXPECT_TRUE(Take(":"));
    const double no = Expression();
    return condition != 0 ? yes : no;
  }

  double Comparison() {
    const double left = Sum();
    if (Take("<=")) return left <= Sum();
    if (Take(">=")) return left >= Sum();
    if (Take("==")) return left == Sum();
    if (Take("<")) return left < Sum();
    if (Take(">")) return left > Sum();
    return left;
  }

  double Sum() {
    double sum = Product();
    for (;;) {
      if (Take("+")) {
        sum += Product();
      } else if (Take("-")) {
        sum -= Product();
      } else {
        return sum;
      }
    }
  }

  double Product() {
    double product = Unary();
    for (;;) {
      if (Take("*")) {
        product *= Unary();
      } else if (Take("/")) {
        product /= Unary();
      } else {
        return product;
      }
    }
  }

  double Unary() {
    if (Take("-")) return -Unary();
    const double base = Atom();
    return Take("^") ? std::pow(base, Unary()) : base;
  }

  double Atom() {
    if (Take("(")) return Closed(Expression());
    if (std::isdigit(text_[at_]) != 0) {
      char* end = nullptr;
      const double number = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<size_t>(end - text_.c_str());
      return number;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '_')) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (Take("(")) return Call(name);
    EXPECT_TRUE(names_.contains(name)) << name;
    return names_[name];
  }

  double Call(const std::string& function) {
    const double first = Expression();
    if (function == "max" || function == "min") {
      EXPECT_TRUE(Take(","));
      const double second = Closed(Expression());
      return function == "max" ? std::max(first, second) : std::min(first, second);
    }
    static const std::map<std::string, double (*)(double)> kFunctions = {
        {"abs", std::fabs}, {"exp", std::exp}, {"sqrt", std::sqrt}, {"tanh", std::tanh}};
    const auto found = kFunctions.find(function);
    EXPECT_NE(found, kFunctions.end()) << function;
    return found == kFunctions.end() ? 0 : found->second(Closed(first));
  }

  double Closed(double value) {
    EXPECT_TRUE(Take(")")) << text_.substr(at_);
    return value;
  }

  std::string text_;
  std::map<std::string, double> names_;
  size_t at_ = 0;
};

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_UNIT_FLOAT64_FORMULA_H_
