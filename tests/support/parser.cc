#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "tests/support/formula.h"

namespace activation::oracle {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxExponent = 64;
constexpr int kMaxDecimalExponent = 400;

struct NamedFunction {
  std::string_view name;
  Op op;
};

constexpr NamedFunction kFunctions[] = {
    {"abs", Op::kAbs},   {"cos", Op::kCos},   {"cosh", Op::kCosh}, {"erf", Op::kErf},
    {"erfc", Op::kErfc}, {"exp", Op::kExp},   {"log", Op::kLog},   {"sin", Op::kSin},
    {"sqrt", Op::kSqrt}, {"tanh", Op::kTanh},
};

struct Comparison {
  std::string_view sign;
  Op op;
};

// The longer sign comes before its beginning.
constexpr Comparison kComparisons[] = {
    {"<=", Op::kLessEqual}, {">=", Op::kGreaterEqual}, {"==", Op::kEqual},
    {"<", Op::kLess},       {">", Op::kGreater},
};

bool IsComparison(Op op) { return op >= Op::kLess && op <= Op::kEqual; }

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent, one method per line of the grammar. Each returns the place of its node, or -1
// once there is an error; the first error stays.
class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  absl::StatusOr<Formula> Run() {
    const int root = Expression();
    Skip();
    if (error_.ok() && at_ < text_.size()) Fail("expected an operator or the end");
    if (error_.ok() && IsComparison(formula_.nodes[root].op)) {
      Fail("a comparison must be followed by ?");
    }
    if (!error_.ok()) return error_;
    return std::move(formula_);
  }

 private:
  int Fail(const std::string& what) {
    if (error_.ok()) {
      error_ = absl::InvalidArgumentError("column " + std::to_string(at_ + 1) + ": " + what);
    }
    return -1;
  }

  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool Take(std::string_view sign) {
    Skip();
    if (!error_.ok() || text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }

  int Push(Node node) {
    if (!error_.ok()) return -1;
    formula_.nodes.push_back(std::move(node));
    return static_cast<int>(formula_.nodes.size()) - 1;
  }

  // A node whose children must be numbers, not comparisons.
  int PushOperation(Op op, int a, int b = -1) {
    if (!error_.ok()) return -1;
    for (int child : {a, b}) {
      if (child >= 0 && IsComparison(formula_.nodes[child].op)) {
        return Fail("a comparison is not a number");
      }
    }
    Node node;
    node.op = op;
    node.child[0] = a;
    node.child[1] = b;
    return Push(std::move(node));
  }

  int Expression() {
    if (++depth_ > kMaxDepth) return Fail("nested too deeply");
    int result = Comparison();
    if (Take("?")) {
      if (!IsComparison(formula_.nodes[result].op)) return Fail("expected a comparison before ?");
      const int yes = Expression();
      if (!Take(":")) return Fail("expected :");
      const int no = Expression();
      const int choice = PushOperation(Op::kChoose, yes, no);
      if (choice < 0) return -1;
      Node& node = formula_.nodes[choice];
      node.child[0] = result;
      node.child[1] = yes;
      node.child[2] = no;
      result = choice;
    }
    --depth_;
    return result;
  }

  int Comparison() {
    const int left = Sum();
    for (const auto& comparison : kComparisons) {
      if (Take(comparison.sign)) return PushOperation(comparison.op, left, Sum());
    }
    return left;
  }

  int Sum() {
    int left = Product();
    while (error_.ok()) {
      if (Take("+")) {
        left = PushOperation(Op::kAdd, left, Product());
      } else if (Take("-")) {
        left = PushOperation(Op::kSubtract, left, Product());
      } else {
        break;
      }
    }
    return left;
  }

  int Product() {
    int left = Unary();
    while (error_.ok()) {
      if (Take("*")) {
        left = PushOperation(Op::kMultiply, left, Unary());
      } else if (Take("/")) {
        left = PushOperation(Op::kDivide, left, Unary());
      } else {
        break;
      }
    }
    return left;
  }

  int Unary() {
    if (!Take("-")) return Power();
    if (++depth_ > kMaxDepth) return Fail("nested too deeply");
    const int result = PushOperation(Op::kNegate, Unary());
    --depth_;
    return result;
  }

  int Power() {
    const int base = Atom();
    if (!Take("^")) return base;
    const bool negative = Take("-");
    Skip();
    const size_t start = at_;
    int exponent = 0;
    while (at_ < text_.size() && IsDigit(text_[at_]) && exponent <= kMaxExponent) {
      exponent = 10 * exponent + (text_[at_++] - '0');
    }
    if (at_ == start || exponent > kMaxExponent) {
      return Fail("an exponent must be an integer literal of at most 64");
    }
    if (Take("^")) return Fail("write a tower of powers as one exponent");
    const int result = PushOperation(Op::kPower, base);
    if (result >= 0) formula_.nodes[result].index = negative ? -exponent : exponent;
    return result;
  }

  int Atom() {
    Skip();
    if (at_ >= text_.size()) return Fail("expected a number, a name or (");
    if (IsDigit(text_[at_]) || text_[at_] == '.') return Number();
    if (Take("(")) {
      const int inner = Expression();
      return Take(")") ? inner : Fail("expected )");
    }
    const size_t start = at_;
    while (at_ < text_.size() && IsWordCharacter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name.empty()) return Fail("expected a number, a name or (");
    const auto variable = std::find(names_.begin(), names_.end(), name);
    if (variable != names_.end()) {
      Node node;
      node.op = Op::kVariable;
      node.index = static_cast<int>(variable - names_.begin());
      return Push(std::move(node));
    }
    if (name == "pi") return PushOperation(Op::kPi, -1);
    for (const NamedFunction& function : kFunctions) {
      if (function.name != name) continue;
      if (!Take("(")) return Fail("expected ( after " + std::string(name));
      const int argument = Expression();
      if (!Take(")")) return Fail("expected )");
      return PushOperation(function.op, argument);
    }
    at_ = start;
    return Fail("unknown name " + std::string(name));
  }

  // digits [ "." digits ] [ "e" [ sign ] digits ], as an exact rational.
  int Number() {
    std::string digits;
    int scale = 0;
    bool fraction = false;
    for (; at_ < text_.size() && (IsDigit(text_[at_]) || (text_[at_] == '.' && !fraction)); ++at_) {
      if (text_[at_] == '.') {
        fraction = true;
      } else {
        digits += text_[at_];
        scale -= fraction;
      }
    }
    if (digits.empty()) return Fail("expected a digit");
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      const bool negative = at_ < text_.size() && text_[at_] == '-';
      if (negative || (at_ < text_.size() && text_[at_] == '+')) ++at_;
      int exponent = 0;
      const size_t start = at_;
      while (at_ < text_.size() && IsDigit(text_[at_]) && exponent <= kMaxDecimalExponent) {
        exponent = 10 * exponent + (text_[at_++] - '0');
      }
      if (at_ == start || exponent > kMaxDecimalExponent) {
        return Fail("expected a decimal exponent of at most 400");
      }
      scale += negative ? -exponent : exponent;
    }
    Node node;
    node.op = Op::kConstant;
    fmpz_set_str(fmpq_numref(node.value.get()), digits.c_str(), 10);
    Rational power;
    fmpq_set_si(power.get(), 10, 1);
    fmpq_pow_si(power.get(), power.get(), scale);
    fmpq_mul(node.value.get(), node.value.get(), power.get());
    return Push(std::move(node));
  }

  std::string_view text_;
  std::span<const std::string> names_;
  size_t at_ = 0;
  int depth_ = 0;
  absl::Status error_;
  Formula formula_;
};

}  // namespace

absl::StatusOr<Formula> Parse(std::string_view text, std::span<const std::string> names) {
  return Parser(text, names).Run();
}

}  // namespace activation::oracle
