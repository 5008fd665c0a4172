#include "server/formula/parse.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/formula/tokens.h"

namespace activation::formula {
namespace {

struct NamedFunction {
  absl::string_view name;
  Op op;
  size_t arguments = 1;
};

constexpr NamedFunction kFunctions[] = {
    {"abs", Op::kAbs}, {"atan", Op::kAtan},   {"cos", Op::kCos},    {"cosh", Op::kCosh},
    {"erf", Op::kErf}, {"erfc", Op::kErfc},   {"exp", Op::kExp},    {"expm1", Op::kExpm1},
    {"log", Op::kLog}, {"log1p", Op::kLog1p}, {"max", Op::kMax, 2}, {"min", Op::kMin, 2},
    {"sin", Op::kSin}, {"sqrt", Op::kSqrt},   {"tanh", Op::kTanh},
};

struct BinarySign {
  absl::string_view sign;
  Op op;
  // Signs of a higher level bind closer.
  int level;
};
constexpr int kComparisonLevel = 0;
constexpr int kUnaryLevel = 3;
constexpr BinarySign kBinarySigns[] = {
    {"<", Op::kLess, kComparisonLevel},
    {"<=", Op::kLessEqual, kComparisonLevel},
    {">", Op::kGreater, kComparisonLevel},
    {">=", Op::kGreaterEqual, kComparisonLevel},
    {"==", Op::kEqual, kComparisonLevel},
    {"+", Op::kAdd, 1},
    {"-", Op::kSubtract, 1},
    {"*", Op::kMultiply, 2},
    {"/", Op::kDivide, 2},
};

// Bytes of a client's text, or of a list of names, in a message.
constexpr size_t kEchoedBytes = 64;
constexpr size_t kListedBytes = 256;

std::string Cut(absl::string_view text, size_t bytes) {
  return absl::StrCat(text.substr(0, bytes), text.size() > bytes ? "..." : "");
}

const NamedFunction* FindFunction(absl::string_view name) {
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const auto& f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string FunctionNames() {
  return absl::StrJoin(kFunctions, ", ", [](std::string* out, const NamedFunction& function) {
    absl::StrAppend(out, function.name);
  });
}

// Recursive descent. Every method but Run and those that look at the next token returns the place
// of a node, or -1 once there is an error; the first error stays, and from then on the next token
// is the end, so that all loops end.
class Parser {
 public:
  Parser(std::vector<Token> tokens, std::span<const std::string> parameters)
      : tokens_(std::move(tokens)), parameters_(parameters) {}

  absl::StatusOr<Tree> Run() {
    const int root = Expression();
    if (Next().kind != TokenKind::kEnd) Expected("an operator or the end");
    if (IsComparison(root)) Expected("? after the comparison");
    if (!error_.ok()) return error_;
    return std::move(tree_);
  }

 private:
  const Token& Next() const { return tokens_[error_.ok() ? next_ : tokens_.size() - 1]; }

  bool Take(absl::string_view sign) {
    if (Next().kind != TokenKind::kSign || Next().text != sign) return false;
    ++next_;
    return true;
  }

  int Fail(size_t at, absl::string_view what) {
    if (error_.ok()) error_ = ErrorAt(at, what);
    return -1;
  }

  int Expected(absl::string_view what) {
    const Token& next = Next();
    const std::string found = next.kind == TokenKind::kEnd
                                  ? "the formula ends"
                                  : absl::StrCat("'", Cut(next.text, kEchoedBytes), "' stands");
    return Fail(next.at, absl::StrCat(found, " where there should be ", what));
  }

  bool IsComparison(int node) const {
    if (node < 0) return false;
    const Op op = tree_[node].op;
    return op == Op::kLess || op == Op::kLessEqual || op == Op::kEqual || op == Op::kGreater ||
           op == Op::kGreaterEqual;
  }

  int Push(Node node) {
    if (!error_.ok()) return -1;
    tree_.push_back(std::move(node));
    return static_cast<int>(tree_.size()) - 1;
  }

  // Adds an operation whose arguments have to be numbers; `at` is its own place in the text.
  int PushOperation(size_t at, Node node) {
    const size_t first = node.op == Op::kChoose ? 1 : 0;
    for (size_t i = first; i < node.arguments.size(); ++i) {
      if (!IsComparison(node.arguments[i])) continue;
      return Fail(at, "a comparison is no number; it stands before ? only, as in x > 0 ? x : 0");
    }
    return Push(std::move(node));
  }

  int Deeper(int (Parser::*parse)()) {
    if (level_ == kMaxLevels) {
      return Fail(Next().at, absl::StrCat("nested deeper than ", kMaxLevels, " levels"));
    }
    ++level_;
    const int node = (this->*parse)();
    --level_;
    return node;
  }

  int Expression() { return Deeper(&Parser::Choice); }

  int Choice() {
    const int condition = Binary(kComparisonLevel);
    const size_t at = Next().at;
    if (!Take("?")) return condition;
    if (!IsComparison(condition)) return Fail(at, "before ? there should be a comparison");
    const int chosen = Expression();
    if (!Take(":")) return Expected(": and what the value is otherwise");
    const int other = Expression();
    return PushOperation(at, {.op = Op::kChoose, .arguments = {condition, chosen, other}});
  }

  const BinarySign* NextBinarySign(int level) const {
    const auto* const found = std::find_if(
        std::begin(kBinarySigns), std::end(kBinarySigns),
        [&](const auto& sign) { return sign.level == level && sign.sign == Next().text; });
    return found == std::end(kBinarySigns) ? nullptr : found;
  }

  int Binary(int level) {
    if (level == kUnaryLevel) return Unary();
    int left = Binary(level + 1);
    while (const BinarySign* sign = NextBinarySign(level)) {
      const size_t at = Next().at;
      ++next_;
      const int right = Binary(level + 1);
      left = PushOperation(at, {.op = sign->op, .arguments = {left, right, -1}});
      if (level == kComparisonLevel) break;
    }
    return left;
  }

  int Unary() {
    const size_t at = Next().at;
    if (!Take("-")) return Power();
    return PushOperation(at, {.op = Op::kNegate, .arguments = {Deeper(&Parser::Unary), -1, -1}});
  }

  int Power() {
    const int base = Atom();
    const size_t at = Next().at;
    if (!Take("^")) return base;
    const bool is_negative = Take("-");
    int exponent = 0;
    if (Next().kind != TokenKind::kNumber || !absl::SimpleAtoi(Next().text, &exponent) ||
        exponent > kMaxExponent) {
      return Expected(absl::StrCat("an integer of at most ", kMaxExponent, " as the exponent"));
    }
    ++next_;
    if (Take("^")) return Fail(tokens_[next_ - 1].at, "a power of a power needs parentheses");
    return PushOperation(at, {.op = Op::kPower,
                              .arguments = {base, -1, -1},
                              .number = is_negative ? -exponent : exponent});
  }

  int Atom() {
    const Token token = Next();
    if (token.kind == TokenKind::kNumber) {
      ++next_;
      return Push({.op = Op::kConstant, .text = static_cast<std::string>(token.text)});
    }
    if (token.kind == TokenKind::kName) {
      ++next_;
      return Name(token);
    }
    if (!Take("(")) return Expected("a number, a name or (");
    const int inner = Expression();
    return Take(")") ? inner : Expected(")");
  }

  int Name(const Token& token) {
    if (token.text == "x") return Push({.op = Op::kX});
    if (token.text == "pi") return Push({.op = Op::kPi});
    if (const NamedFunction* function = FindFunction(token.text)) return Call(token, *function);
    const auto parameter = std::find(parameters_.begin(), parameters_.end(), token.text);
    if (parameter != parameters_.end()) {
      return Push(
          {.op = Op::kParameter, .number = static_cast<int>(parameter - parameters_.begin())});
    }
    const std::string given = parameters_.empty() ? "none" : absl::StrJoin(parameters_, ", ");
    return Fail(token.at,
                absl::StrCat("'", Cut(token.text, kEchoedBytes),
                             "' is neither x, a parameter (given: ", Cut(given, kListedBytes),
                             ") nor pi or a function (", FunctionNames(), ")"));
  }

  int Call(const Token& token, const NamedFunction& function) {
    if (!Take("(")) return Expected(absl::StrCat("( after ", function.name));
    Node node = {.op = function.op};
    for (size_t i = 0; i < function.arguments; ++i) {
      if (i > 0 && !Take(",")) {
        return Expected(absl::StrCat(", as ", function.name, " has two arguments"));
      }
      node.arguments[i] = Expression();
    }
    if (!Take(")")) return Expected(")");
    return PushOperation(token.at, std::move(node));
  }

  std::vector<Token> tokens_;
  std::span<const std::string> parameters_;
  size_t next_ = 0;
  int level_ = 0;
  absl::Status error_;
  Tree tree_;
};

}  // namespace

absl::StatusOr<Tree> Parse(absl::string_view text, std::span<const std::string> parameters) {
  if (text.empty()) {
    return absl::InvalidArgumentError("is empty; give a formula in x, as x*tanh(x)");
  }
  if (text.size() > kMaxExpressionBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("has more than ", kMaxExpressionBytes, " bytes, which is the limit"));
  }
  absl::StatusOr<std::vector<Token>> tokens = Tokenize(text);
  if (!tokens.ok()) return tokens.status();
  return Parser(*std::move(tokens), parameters).Run();
}

bool IsParameterName(absl::string_view name) {
  return IsName(name) && name != "x" && name != "pi" && FindFunction(name) == nullptr;
}

}  // namespace activation::formula
