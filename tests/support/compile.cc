#include "tests/support/compile.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tests/support/program_builder.h"
#include "tests/support/tails.h"

namespace activation::oracle {
namespace {

// Below this exponent e^exponent is far below every float32, and the forms for tails are used. They
// are needed from float64's smallest numbers, e^-708, on.
constexpr int kTailExponent = -400;

struct Function {
  Op op;
  Code code;
};
// What is the same in both notations, with one argument.
constexpr Function kFunctions[] = {
    {Op::kNegate, Code::kNegate}, {Op::kAbs, Code::kAbs}, {Op::kCos, Code::kCos},
    {Op::kCosh, Code::kCosh},     {Op::kErf, Code::kErf}, {Op::kErfc, Code::kErfc},
    {Op::kExp, Code::kExp},       {Op::kSin, Code::kSin}, {Op::kSqrt, Code::kSqrt},
    {Op::kTanh, Code::kTanh},
};

class Compiler {
 public:
  explicit Compiler(const Formula& formula) : formula_(formula) {}

  Program Run() {
    return program_.Finish(CompileNode(static_cast<int>(formula_.nodes.size()) - 1));
  }

 private:
  int CompileNode(int place) {
    const Node& node = formula_.nodes[place];
    const auto child = [&](int i) { return CompileNode(node.child[i]); };
    switch (node.op) {
      case Op::kConstant:
        return program_.Constant(node.value);
      case Op::kVariable:
        return program_.Push({.code = Code::kVariable, .index = node.index});
      case Op::kPi:
        return program_.Push({.code = Code::kPi});
      case Op::kAdd:
        return Sum(Code::kAdd, node);
      case Op::kSubtract:
        return Sum(Code::kSubtract, node);
      case Op::kMultiply: {
        const int a = child(0), b = child(1);
        return a == b ? program_.Power(a, 2) : Binary(Code::kMultiply, a, b);
      }
      case Op::kPower:
        return program_.Power(child(0), node.index);
      case Op::kDivide:
        return InOrder(Code::kDivide, node);
      case Op::kLess:
        return InOrder(Code::kLess, node);
      case Op::kLessEqual:
        return InOrder(Code::kLessEqual, node);
      case Op::kEqual:
        return InOrder(Code::kEqual, node);
      case Op::kGreater:
        return Swapped(Code::kLess, node);
      case Op::kGreaterEqual:
        return Swapped(Code::kLessEqual, node);
      case Op::kChoose: {
        const int a = child(0), b = child(1);
        return program_.Push({.code = Code::kChoose, .a = a, .b = b, .c = child(2)});
      }
      case Op::kLog:
        return Log(child(0));
      default:
        return program_.Apply(FunctionOf(node.op), child(0));
    }
  }

  static Code FunctionOf(Op op) {
    return std::find_if(std::begin(kFunctions), std::end(kFunctions),
                        [op](const Function& function) { return function.op == op; })
        ->code;
  }

  int Binary(Code code, int a, int b) { return program_.Push({.code = code, .a = a, .b = b}); }

  int InOrder(Code code, const Node& node) {
    const int a = CompileNode(node.child[0]);
    return Binary(code, a, CompileNode(node.child[1]));
  }

  int Swapped(Code code, const Node& node) {
    const int a = CompileNode(node.child[0]);
    return Binary(code, CompileNode(node.child[1]), a);
  }

  int Log(int a) {
    const Instruction& sum = program_[a];
    if (sum.code != Code::kAdd || !program_.IsOne(sum.a)) return program_.Apply(Code::kLog, a);
    const int rest = sum.b;
    if (const auto u = program_.ArgumentOf(Code::kExp, rest)) {
      return program_.Apply(Code::kSoftplus, *u);
    }
    return program_.Apply(Code::kLog1p, rest);
  }

  int Sum(Code code, const Node& node) {
    int a = CompileNode(node.child[0]);
    int b = CompileNode(node.child[1]);
    if (code == Code::kAdd && program_.IsOne(b)) std::swap(a, b);
    if (const auto sum = SumWithOne(code, a, b)) return *sum;
    const int plain = Binary(code, a, b);
    if (const auto root = SumWithRoot(code, a, b, plain)) return *root;
    return SumOfTails(code, a, b, plain);
  }

  std::optional<int> SumWithOne(Code code, int a, int b) {
    if (code == Code::kSubtract && program_.IsOne(b)) {
      if (const auto u = program_.ArgumentOf(Code::kExp, a)) {
        return program_.Apply(Code::kExpm1, *u);
      }
    }
    if (!program_.IsOne(a)) return std::nullopt;
    if (const auto u = program_.ArgumentOf(Code::kErf, b)) {
      return program_.Apply(Code::kErfc,
                            code == Code::kAdd ? program_.Apply(Code::kNegate, *u) : *u);
    }
    if (const auto u = program_.ArgumentOf(Code::kTanh, b)) {
      // 1 + tanh(u) = 2 / (1 + e^(-2 u)).
      const int factor = program_.Constant(code == Code::kAdd ? -2 : 2);
      const int exponent = Binary(Code::kMultiply, factor, *u);
      const int sum = Binary(Code::kAdd, a, program_.Apply(Code::kExp, exponent));
      return Binary(Code::kDivide, program_.Constant(2), sum);
    }
    return std::nullopt;
  }

  // With r = sqrt(y^2 + c), for y < 0, where the left sides cancel:
  //   y + r = c / (r - y),   1 + y / r = c / (r (r - y)).
  std::optional<int> SumWithRoot(Code code, int a, int b, int plain) {
    if (code != Code::kAdd) return std::nullopt;
    const bool is_quotient = program_.IsOne(a) && program_[b].code == Code::kDivide;
    const int y = is_quotient ? program_[b].a : a;
    const int root = is_quotient ? program_[b].b : b;
    const auto square_plus = program_.ArgumentOf(Code::kSqrt, root);
    if (!square_plus || program_[*square_plus].code != Code::kAdd) return std::nullopt;
    const Instruction sum = program_[*square_plus];
    if (sum.a != program_.Power(y, 2)) return std::nullopt;
    int divisor = Binary(Code::kSubtract, root, y);
    if (is_quotient) divisor = Binary(Code::kMultiply, root, divisor);
    const int quotient = Binary(Code::kDivide, sum.b, divisor);
    const int below = Binary(Code::kLess, y, program_.Constant(0));
    return program_.Push({.code = Code::kChoose, .a = below, .b = quotient, .c = plain});
  }

  // Takes the factor that both terms have out of the sum, where it is next to 0.
  int SumOfTails(Code code, int a, int b, int plain) {
    const std::optional<Tail> left = TailOf(program_, a);
    const std::optional<Tail> right = left ? TailOf(program_, b) : std::nullopt;
    if (!right || !(left->exponent == right->exponent)) return plain;
    const int argument = left->argument >= 0 ? left->argument : right->argument;
    if (argument < 0) return plain;
    const int rest = Binary(code, left->rest, right->rest);
    int tail = Binary(Code::kMultiply, program_.Apply(Code::kExp, argument), rest);
    for (const int condition : {left->condition, right->condition}) {
      if (condition < 0) continue;
      tail = program_.Push({.code = Code::kChoose, .a = condition, .b = tail, .c = plain});
    }
    const int below = Binary(Code::kLess, argument, program_.Constant(kTailExponent));
    return program_.Push({.code = Code::kChoose, .a = below, .b = tail, .c = plain});
  }

  const Formula& formula_;
  ProgramBuilder program_;
};

}  // namespace

Program Compile(const Formula& formula) { return Compiler(formula).Run(); }

}  // namespace activation::oracle
