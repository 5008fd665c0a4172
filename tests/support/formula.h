// The notation of server/engine/spec.h: parsing into a tree, and evaluation with the derivative for
// one variable, by dual numbers, from that same tree.
#ifndef ACTIVATION_TESTS_SUPPORT_FORMULA_H_
#define ACTIVATION_TESTS_SUPPORT_FORMULA_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/support/ball.h"
#include "tests/support/number.h"

namespace activation::oracle {

enum class Op {
  kConstant,  // value
  kVariable,  // index
  kPi,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kPower,  // child[0] ^ index
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kChoose,  // child[0] ? child[1] : child[2]
  kAbs,
  kCos,
  kCosh,
  kErf,
  kErfc,
  kExp,
  kLog,
  kSin,
  kSqrt,
  kTanh,
};

struct Node {
  Op op = Op::kConstant;
  int child[3] = {-1, -1, -1};  // places in Formula::nodes
  int index = 0;
  Rational value;
};

// A parsed expression; its root is the last node.
struct Formula {
  std::vector<Node> nodes;
};

// Parses `text`, whose variables are `names` (a variable's index is its place there). Exponents
// must be integer literals of at most 64 in size. At most 64 levels deep. An error is
// INVALID_ARGUMENT and names the column, from 1.
absl::StatusOr<Formula> Parse(std::string_view text, std::span<const std::string> names);

// The derivative is for the variable of this index.
inline constexpr int kNoDerivative = -1;

struct Dual {
  Number value;
  Number derivative;    // exact zero where !varies
  bool varies = false;  // whether the derivative may differ from 0
};

// Evaluates with variables[i] for names[i]. The derivative at a jump or bend of the formula is that
// of the branch taken; that of abs at 0 is unknown unless its argument's is 0.
Dual Evaluate(const Formula& formula, std::span<const Number> variables, int with_respect_to,
              Context c);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_FORMULA_H_
