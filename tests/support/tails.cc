#include "tests/support/tails.h"

#include <utility>

namespace activation::oracle {
namespace {

// erfc(u) = e^(-u^2) ScaledErfc(u) is used for u above this, where e^(-u^2) is next to 0.
constexpr int kTailOfErfc = 20;

std::optional<Monomial> SquareOf(const ProgramBuilder& program, int place);

// The value as a monomial, if it is one.
std::optional<Monomial> ValueOf(const ProgramBuilder& program, int place) {
  const Instruction& node = program[place];
  switch (node.code) {
    case Code::kConstant:
      if (fmpq_is_zero(node.value.get())) return std::nullopt;
      return Monomial{node.value, {}};
    case Code::kVariable:
      return Monomial{Integer(1), {{node.index, 1}}};
    case Code::kPi:
      return Monomial{Integer(1), {{kPiVariable, 1}}};
    case Code::kNegate:
      if (const auto a = ValueOf(program, node.a)) return Negated(*a);
      return std::nullopt;
    case Code::kMultiply:
    case Code::kDivide: {
      const auto a = ValueOf(program, node.a), b = ValueOf(program, node.b);
      if (!a || !b) return std::nullopt;
      return Combine(*a, *b, node.code == Code::kDivide ? -1 : 1);
    }
    case Code::kPower:
      if (node.index % 2 == 0) {
        const auto square = SquareOf(program, node.a);
        if (square) return Combine(One(), *square, node.index / 2);
      } else if (const auto a = ValueOf(program, node.a)) {
        return Combine(One(), *a, node.index);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// The same for the square of the value, which rids roots of monomials of their root.
std::optional<Monomial> SquareOf(const ProgramBuilder& program, int place) {
  const Instruction& node = program[place];
  switch (node.code) {
    case Code::kSqrt:
      return ValueOf(program, node.a);
    case Code::kNegate:
      return SquareOf(program, node.a);
    case Code::kMultiply:
    case Code::kDivide: {
      const auto a = SquareOf(program, node.a), b = SquareOf(program, node.b);
      if (!a || !b) return std::nullopt;
      return Combine(*a, *b, node.code == Code::kDivide ? -1 : 1);
    }
    default:
      if (const auto a = ValueOf(program, place)) return Combine(One(), *a, 2);
      return std::nullopt;
  }
}

// 1 / the value, as a tail.
std::optional<Tail> TailOfInverse(ProgramBuilder& program, int place) {
  const Instruction node = program[place];
  if (node.code == Code::kAdd && program.IsOne(node.a)) {
    // 1 / (1 + e^u) = e^-u / (1 + e^-u).
    const auto u = program.ArgumentOf(Code::kExp, node.b);
    const auto exponent = u ? ValueOf(program, *u) : std::nullopt;
    if (!exponent) return std::nullopt;
    return Tail{Negated(*exponent), program.Apply(Code::kNegate, *u),
                program.Push({.code = Code::kNearlyOne}), -1};
  }
  if (node.code == Code::kMultiply) {
    int other = node.b;
    auto tail = TailOfInverse(program, node.a);
    if (!tail) {
      other = node.a;
      tail = TailOfInverse(program, node.b);
    }
    if (tail) tail->rest = program.Push({.code = Code::kDivide, .a = tail->rest, .b = other});
    return tail;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Tail> TailOf(ProgramBuilder& program, int place) {
  const Instruction node = program[place];
  switch (node.code) {
    case Code::kExp:
      if (auto exponent = ValueOf(program, node.a)) {
        return Tail{*std::move(exponent), node.a, program.Constant(1), -1};
      }
      return std::nullopt;
    case Code::kSoftplus:
      // log(1 + e^u) = e^u (1 - e^u / 2 + ...).
      if (auto exponent = ValueOf(program, node.a)) {
        return Tail{*std::move(exponent), node.a, program.Push({.code = Code::kNearlyOne}), -1};
      }
      return std::nullopt;
    case Code::kTanh:
      // tanh(y) = y (1 - y^2 / 3 + ...).
      return program[node.a].code == Code::kSoftplus ? TailOf(program, node.a) : std::nullopt;
    case Code::kErfc: {
      const auto square = SquareOf(program, node.a);
      if (!square) return std::nullopt;
      const int condition =
          program.Push({.code = Code::kLess, .a = program.Constant(kTailOfErfc), .b = node.a});
      return Tail{Negated(*square), -1, program.Apply(Code::kScaledErfc, node.a), condition};
    }
    case Code::kNegate: {
      auto tail = TailOf(program, node.a);
      if (tail) tail->rest = program.Apply(Code::kNegate, tail->rest);
      return tail;
    }
    case Code::kMultiply: {
      auto tail = TailOf(program, node.a);
      if (tail) {
        tail->rest = program.Push({.code = Code::kMultiply, .a = tail->rest, .b = node.b});
      } else if ((tail = TailOf(program, node.b))) {
        tail->rest = program.Push({.code = Code::kMultiply, .a = node.a, .b = tail->rest});
      }
      return tail;
    }
    case Code::kDivide: {
      auto tail = TailOf(program, node.a);
      if (tail) {
        tail->rest = program.Push({.code = Code::kDivide, .a = tail->rest, .b = node.b});
      } else if ((tail = TailOfInverse(program, node.b))) {
        tail->rest = program.Push({.code = Code::kMultiply, .a = node.a, .b = tail->rest});
      }
      return tail;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace activation::oracle
