// From the text of a formula to a tree.
//
// The notation is that of server/engine/spec.h, with more functions:
//
//   expression := comparison [ "?" expression ":" expression ]
//   comparison := sum [ ("<" | "<=" | ">" | ">=" | "==") sum ]
//   sum        := product { ("+" | "-") product }
//   product    := unary { ("*" | "/") unary }
//   unary      := "-" unary | atom [ "^" [ "-" ] integer ]
//   atom       := decimal number | "x" | parameter | "pi" | "(" expression ")"
//               | function "(" expression { "," expression } ")"
//   function   := abs | atan | cos | cosh | erf | erfc | exp | expm1 | log | log1p | max | min
//               | sin | sqrt | tanh
//
// max and min take two arguments, the others one. A comparison stands before "?" and nowhere else;
// an exponent is an integer of at most kMaxExponent in size; a decimal number is within float64's
// range. Spaces, tabs and line ends stand anywhere between words and signs.
#ifndef ACTIVATION_SERVER_FORMULA_PARSE_H_
#define ACTIVATION_SERVER_FORMULA_PARSE_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace activation::formula {

inline constexpr size_t kMaxExpressionBytes = 1'000;
// Parentheses, arguments, choices and negations within one another.
inline constexpr int kMaxLevels = 64;
inline constexpr int kMaxExponent = 64;

enum class Op : uint8_t {
  kX,
  kConstant,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kLess,
  kLessEqual,
  kEqual,
  kChoose,  // arguments[0] ? arguments[1] : arguments[2]
  kAbs,
  kMax,
  kMin,
  kSqrt,
  kAtan,
  kCos,
  kCosh,
  kErf,
  kErfc,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kTanh,
  // In trees only.
  kParameter,  // number: its place
  kPi,
  kPower,  // number: the exponent
  kGreater,
  kGreaterEqual,
  // In programs only: a * b + c, a * b - c and c - a * b, rounded once; sinh, which derivatives
  // need.
  kMultiplyAdd,
  kMultiplySubtract,
  kNegativeMultiplyAdd,
  // A product within a power, which is rounded always.
  kPowerMultiply,
  kSinh,
};

struct Node {
  Op op = Op::kX;
  // Places of other nodes, before this one.
  std::array<int, 3> arguments = {-1, -1, -1};
  int number = 0;
  // The decimal number that a constant is.
  std::string text = {};
};

// The root is the last node.
using Tree = std::vector<Node>;

// `parameters` are the names that may stand in the text beside x, pi and the functions. Errors are
// INVALID_ARGUMENT; they begin with "column 7: " and the like, which counts bytes from 1, or, for
// an empty or a long text, with "is" or "has".
absl::StatusOr<Tree> Parse(absl::string_view text, std::span<const std::string> parameters);

// Whether a parameter may have this name: letters, digits and _, no digit first; not x, pi or a
// function.
bool IsParameterName(absl::string_view name);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_PARSE_H_
