#include "tests/support/program.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace activation::oracle {
namespace {

// coefficient times the variables' powers; pi is the last of them.
struct Monomial {
  Rational coefficient;
  std::map<int, int> powers;
};
constexpr int kPiVariable = -1;

bool operator==(const Monomial& a, const Monomial& b) {
  return fmpq_equal(a.coefficient.get(), b.coefficient.get()) && a.powers == b.powers;
}

Rational Integer(slong value) {
  Rational result;
  fmpq_set_si(result.get(), value, 1);
  return result;
}

Monomial Combine(const Monomial& a, const Monomial& b, int power_of_b) {
  Monomial y = a;
  Rational factor;
  fmpq_pow_si(factor.get(), b.coefficient.get(), power_of_b);
  fmpq_mul(y.coefficient.get(), y.coefficient.get(), factor.get());
  for (const auto& [variable, power] : b.powers) {
    if ((y.powers[variable] += power * power_of_b) == 0) y.powers.erase(variable);
  }
  return y;
}

Monomial One() { return {Integer(1), {}}; }
Monomial Negated(Monomial a) {
  fmpq_neg(a.coefficient.get(), a.coefficient.get());
  return a;
}

// A product with a factor that may be next to 0: e^exponent times rest.
struct Tail {
  Monomial exponent;
  int argument = -1;  // whose e^argument is the factor; -1: it comes from erfc
  int rest = -1;
  int condition = -1;  // where this holds; -1: everywhere
};

// Below this exponent e^exponent is far below every float32, and the forms for tails are used. They
// are needed from float64's smallest numbers, e^-708, on.
constexpr slong kTailExponent = -400;
// erfc(u) = e^(-u^2) ScaledErfc(u), with u^2 = -kTailExponent.
constexpr slong kTailOfErfc = 20;

class Compiler {
 public:
  explicit Compiler(const Formula& formula) : formula_(formula) {}

  Program Run() {
    const int root = Node(static_cast<int>(formula_.nodes.size()) - 1);
    // What rewriting left unused stays before the root; what comes after it is not needed.
    program_.resize(root + 1);
    return std::move(program_);
  }

 private:
  int Node(int place) {
    const oracle::Node& node = formula_.nodes[place];
    const auto child = [&](int i) { return Node(node.child[i]); };
    switch (node.op) {
      case Op::kConstant:
        return Constant(node.value);
      case Op::kVariable:
        return Push({.code = Code::kVariable, .index = node.index});
      case Op::kPi:
        return Push({.code = Code::kPi});
      case Op::kAdd:
        return Sum(Code::kAdd, child(0), child(1));
      case Op::kSubtract:
        return Sum(Code::kSubtract, child(0), child(1));
      case Op::kMultiply: {
        const int a = child(0), b = child(1);
        return a == b ? Power(a, 2) : Push({.code = Code::kMultiply, .a = a, .b = b});
      }
      case Op::kDivide: {
        const int a = child(0);
        return Push({.code = Code::kDivide, .a = a, .b = child(1)});
      }
      case Op::kNegate:
        return Apply(Code::kNegate, child(0));
      case Op::kPower:
        return Power(child(0), node.index);
      case Op::kLess:
      case Op::kGreater: {
        const bool swap = node.op == Op::kGreater;
        const int a = child(0), b = child(1);
        return Push({.code = Code::kLess, .a = swap ? b : a, .b = swap ? a : b});
      }
      case Op::kLessEqual:
      case Op::kGreaterEqual: {
        const bool swap = node.op == Op::kGreaterEqual;
        const int a = child(0), b = child(1);
        return Push({.code = Code::kLessEqual, .a = swap ? b : a, .b = swap ? a : b});
      }
      case Op::kEqual: {
        const int a = child(0);
        return Push({.code = Code::kEqual, .a = a, .b = child(1)});
      }
      case Op::kChoose: {
        const int a = child(0), b = child(1);
        return Push({.code = Code::kChoose, .a = a, .b = b, .c = child(2)});
      }
      case Op::kLog:
        return Log(child(0));
      case Op::kAbs:
        return Apply(Code::kAbs, child(0));
      case Op::kCos:
        return Apply(Code::kCos, child(0));
      case Op::kCosh:
        return Apply(Code::kCosh, child(0));
      case Op::kErf:
        return Apply(Code::kErf, child(0));
      case Op::kErfc:
        return Apply(Code::kErfc, child(0));
      case Op::kExp:
        return Apply(Code::kExp, child(0));
      case Op::kSin:
        return Apply(Code::kSin, child(0));
      case Op::kSqrt:
        return Apply(Code::kSqrt, child(0));
      case Op::kTanh:
        return Apply(Code::kTanh, child(0));
    }
    return -1;
  }

  // Equal instructions share a place.
  int Push(Instruction instruction) {
    std::string value;
    if (instruction.code == Code::kConstant) {
      char* text = fmpq_get_str(nullptr, 10, instruction.value.get());
      value = text;
      flint_free(text);
    }
    const Key key{instruction.code, instruction.a,     instruction.b,
                  instruction.c,    instruction.index, std::move(value)};
    const auto [found, is_new] = places_.emplace(key, static_cast<int>(program_.size()));
    if (!is_new) return found->second;
    instruction.varies = instruction.code == Code::kVariable && instruction.index == 0;
    for (const int child : {instruction.a, instruction.b, instruction.c}) {
      if (child >= 0) instruction.varies |= program_[child].varies;
    }
    program_.push_back(std::move(instruction));
    return found->second;
  }

  int Constant(const Rational& value) {
    Instruction instruction;
    instruction.value = value;
    return Push(std::move(instruction));
  }
  int Apply(Code code, int a) { return Push({.code = code, .a = a}); }

  int Power(int a, int n) {
    if (n == 0) return Constant(Integer(1));
    if (n > 0) return Push({.code = Code::kPower, .a = a, .index = n});
    return Push({.code = Code::kDivide, .a = Constant(Integer(1)), .b = Power(a, -n)});
  }

  bool IsOne(int place) const {
    return program_[place].code == Code::kConstant && fmpq_is_one(program_[place].value.get());
  }
  // The argument, if the instruction is this function.
  std::optional<int> ArgumentOf(Code code, int place) const {
    if (program_[place].code != code) return std::nullopt;
    return program_[place].a;
  }

  int Log(int a) {
    const Instruction& sum = program_[a];
    if (sum.code != Code::kAdd || !IsOne(sum.a)) return Apply(Code::kLog, a);
    const int rest = sum.b;
    if (const auto u = ArgumentOf(Code::kExp, rest)) return Apply(Code::kSoftplus, *u);
    return Apply(Code::kLog1p, rest);
  }

  int Sum(Code code, int a, int b) {
    if (code == Code::kAdd && IsOne(b)) std::swap(a, b);
    if (code == Code::kSubtract && IsOne(b)) {
      if (const auto u = ArgumentOf(Code::kExp, a)) return Apply(Code::kExpm1, *u);
    }
    if (IsOne(a)) {
      if (const auto u = ArgumentOf(Code::kErf, b)) {
        return Apply(Code::kErfc, code == Code::kAdd ? Apply(Code::kNegate, *u) : *u);
      }
      if (const auto u = ArgumentOf(Code::kTanh, b)) {
        // 1 + tanh(u) = 2 / (1 + e^(-2 u)).
        const int factor = Constant(Integer(code == Code::kAdd ? -2 : 2));
        const int exponent = Push({.code = Code::kMultiply, .a = factor, .b = *u});
        const int sum = Push({.code = Code::kAdd, .a = a, .b = Apply(Code::kExp, exponent)});
        return Push({.code = Code::kDivide, .a = Constant(Integer(2)), .b = sum});
      }
    }
    const int plain = Push({.code = code, .a = a, .b = b});
    if (const auto root = SumWithRoot(code, a, b, plain)) return *root;
    const std::optional<Tail> left = TailOf(a);
    const std::optional<Tail> right = left ? TailOf(b) : std::nullopt;
    if (!right || !(left->exponent == right->exponent)) return plain;
    const int argument = left->argument >= 0 ? left->argument : right->argument;
    if (argument < 0) return plain;
    const int rest = Push({.code = code, .a = left->rest, .b = right->rest});
    int tail = Push({.code = Code::kMultiply, .a = Apply(Code::kExp, argument), .b = rest});
    for (const int condition : {left->condition, right->condition}) {
      if (condition < 0) continue;
      tail = Push({.code = Code::kChoose, .a = condition, .b = tail, .c = plain});
    }
    const int below =
        Push({.code = Code::kLess, .a = argument, .b = Constant(Integer(kTailExponent))});
    return Push({.code = Code::kChoose, .a = below, .b = tail, .c = plain});
  }

  // With r = sqrt(y^2 + c), for y < 0, where the left sides cancel:
  //   y + r = c / (r - y),   1 + y / r = c / (r (r - y)).
  std::optional<int> SumWithRoot(Code code, int a, int b, int plain) {
    if (code != Code::kAdd) return std::nullopt;
    const bool is_quotient = IsOne(a) && program_[b].code == Code::kDivide;
    const int y = is_quotient ? program_[b].a : a;
    const int root = is_quotient ? program_[b].b : b;
    const auto square_plus = ArgumentOf(Code::kSqrt, root);
    if (!square_plus || program_[*square_plus].code != Code::kAdd) return std::nullopt;
    const Instruction sum = program_[*square_plus];
    if (sum.a != Power(y, 2)) return std::nullopt;
    int divisor = Push({.code = Code::kSubtract, .a = root, .b = y});
    if (is_quotient) divisor = Push({.code = Code::kMultiply, .a = root, .b = divisor});
    const int quotient = Push({.code = Code::kDivide, .a = sum.b, .b = divisor});
    const int below = Push({.code = Code::kLess, .a = y, .b = Constant(Integer(0))});
    return Push({.code = Code::kChoose, .a = below, .b = quotient, .c = plain});
  }

  // The value as a monomial, if it is one.
  std::optional<Monomial> ValueOf(int place) const {
    const Instruction& node = program_[place];
    switch (node.code) {
      case Code::kConstant:
        if (fmpq_is_zero(node.value.get())) return std::nullopt;
        return Monomial{node.value, {}};
      case Code::kVariable:
        return Monomial{Integer(1), {{node.index, 1}}};
      case Code::kPi:
        return Monomial{Integer(1), {{kPiVariable, 1}}};
      case Code::kNegate:
        if (const auto a = ValueOf(node.a)) return Negated(*a);
        return std::nullopt;
      case Code::kMultiply:
      case Code::kDivide: {
        const auto a = ValueOf(node.a), b = ValueOf(node.b);
        if (!a || !b) return std::nullopt;
        return Combine(*a, *b, node.code == Code::kDivide ? -1 : 1);
      }
      case Code::kPower:
        if (node.index % 2 == 0) {
          if (const auto square = SquareOf(node.a)) return Combine(One(), *square, node.index / 2);
        } else if (const auto a = ValueOf(node.a)) {
          return Combine(One(), *a, node.index);
        }
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // The same for the square of the value, which rids roots of monomials of their root.
  std::optional<Monomial> SquareOf(int place) const {
    const Instruction& node = program_[place];
    switch (node.code) {
      case Code::kSqrt:
        return ValueOf(node.a);
      case Code::kNegate:
        return SquareOf(node.a);
      case Code::kMultiply:
      case Code::kDivide: {
        const auto a = SquareOf(node.a), b = SquareOf(node.b);
        if (!a || !b) return std::nullopt;
        return Combine(*a, *b, node.code == Code::kDivide ? -1 : 1);
      }
      default:
        if (const auto a = ValueOf(place)) return Combine(One(), *a, 2);
        return std::nullopt;
    }
  }

  std::optional<Tail> TailOf(int place) {
    const Instruction node = program_[place];
    switch (node.code) {
      case Code::kExp:
        if (auto exponent = ValueOf(node.a)) {
          return Tail{*std::move(exponent), node.a, Constant(Integer(1)), -1};
        }
        return std::nullopt;
      case Code::kSoftplus:
        // log(1 + e^u) = e^u (1 - e^u / 2 + ...).
        if (auto exponent = ValueOf(node.a)) {
          return Tail{*std::move(exponent), node.a, Push({.code = Code::kNearlyOne}), -1};
        }
        return std::nullopt;
      case Code::kTanh:
        // tanh(y) = y (1 - y^2 / 3 + ...).
        return program_[node.a].code == Code::kSoftplus ? TailOf(node.a) : std::nullopt;
      case Code::kErfc: {
        const auto square = SquareOf(node.a);
        if (!square) return std::nullopt;
        const int condition =
            Push({.code = Code::kLess, .a = Constant(Integer(kTailOfErfc)), .b = node.a});
        return Tail{Negated(*square), -1, Apply(Code::kScaledErfc, node.a), condition};
      }
      case Code::kNegate: {
        auto tail = TailOf(node.a);
        if (tail) tail->rest = Apply(Code::kNegate, tail->rest);
        return tail;
      }
      case Code::kMultiply: {
        auto tail = TailOf(node.a);
        if (tail) {
          tail->rest = Push({.code = Code::kMultiply, .a = tail->rest, .b = node.b});
        } else if ((tail = TailOf(node.b))) {
          tail->rest = Push({.code = Code::kMultiply, .a = node.a, .b = tail->rest});
        }
        return tail;
      }
      case Code::kDivide: {
        auto tail = TailOf(node.a);
        if (tail) {
          tail->rest = Push({.code = Code::kDivide, .a = tail->rest, .b = node.b});
        } else if ((tail = TailOfInverse(node.b))) {
          tail->rest = Push({.code = Code::kMultiply, .a = node.a, .b = tail->rest});
        }
        return tail;
      }
      default:
        return std::nullopt;
    }
  }

  // Of 1 / the value.
  std::optional<Tail> TailOfInverse(int place) {
    const Instruction node = program_[place];
    if (node.code == Code::kAdd && IsOne(node.a)) {
      // 1 / (1 + e^u) = e^-u / (1 + e^-u).
      const auto u = ArgumentOf(Code::kExp, node.b);
      const auto exponent = u ? ValueOf(*u) : std::nullopt;
      if (!exponent) return std::nullopt;
      return Tail{Negated(*exponent), Apply(Code::kNegate, *u), Push({.code = Code::kNearlyOne}),
                  -1};
    }
    if (node.code == Code::kMultiply) {
      int other = node.b;
      auto tail = TailOfInverse(node.a);
      if (!tail) {
        other = node.a;
        tail = TailOfInverse(node.b);
      }
      if (tail) tail->rest = Push({.code = Code::kDivide, .a = tail->rest, .b = other});
      return tail;
    }
    return std::nullopt;
  }

  using Key = std::tuple<Code, int, int, int, int, std::string>;

  const Formula& formula_;
  Program program_;
  std::map<Key, int> places_;
};

}  // namespace

Program Compile(const Formula& formula) { return Compiler(formula).Run(); }

}  // namespace activation::oracle
