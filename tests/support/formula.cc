#include "tests/support/formula.h"

#include <optional>
#include <utility>

#include "tests/support/number_functions.h"

namespace activation::oracle {
namespace {

class Evaluator {
 public:
  Evaluator(const Formula& formula, std::span<const Number> variables, int with_respect_to,
            Context c)
      : nodes_(formula.nodes), variables_(variables), with_respect_to_(with_respect_to), c_(c) {}

  Dual At(int place) const {
    const Node& node = nodes_[place];
    switch (node.op) {
      case Op::kConstant:
        return Fixed(FromRational(node.value, c_));
      case Op::kVariable:
        if (node.index == with_respect_to_) return {variables_[node.index], FromInt(1, c_), true};
        return Fixed(variables_[node.index]);
      case Op::kPi:
        return Fixed(Pi(c_));
      case Op::kChoose: {
        const std::optional<bool> condition = Condition(nodes_[node.child[0]]);
        if (!condition) return {Unknown(), Unknown(), true};
        return At(node.child[*condition ? 1 : 2]);
      }
      case Op::kLog:
        if (std::optional<Dual> result = LogOnePlusExp(node)) return *std::move(result);
        return Function(node.op, At(node.child[0]));
      case Op::kNegate: {
        Dual a = At(node.child[0]);
        return {Neg(a.value), Neg(a.derivative), a.varies};
      }
      case Op::kPower:
        return Power(At(node.child[0]), node.index);
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
        return Binary(node.op, At(node.child[0]), At(node.child[1]));
      default:
        return Function(node.op, At(node.child[0]));
    }
  }

 private:
  static Dual Fixed(Number value) { return {std::move(value), Number(), false}; }

  std::optional<bool> Condition(const Node& node) const {
    const std::optional<int> order = Compare(At(node.child[0]).value, At(node.child[1]).value, c_);
    if (!order) return std::nullopt;
    switch (node.op) {
      case Op::kLess:
        return *order < 0;
      case Op::kLessEqual:
        return *order <= 0;
      case Op::kGreater:
        return *order > 0;
      case Op::kGreaterEqual:
        return *order >= 0;
      default:
        return *order == 0;
    }
  }

  Dual Binary(Op op, const Dual& a, const Dual& b) const {
    Dual y;
    y.varies = a.varies || b.varies;
    switch (op) {
      case Op::kAdd:
        y.value = Add(a.value, b.value, c_);
        if (y.varies) y.derivative = Add(a.derivative, b.derivative, c_);
        break;
      case Op::kSubtract:
        y.value = Sub(a.value, b.value, c_);
        if (y.varies) y.derivative = Sub(a.derivative, b.derivative, c_);
        break;
      case Op::kMultiply:
        y.value = Mul(a.value, b.value, c_);
        if (a.varies) y.derivative = Mul(a.derivative, b.value, c_);
        if (b.varies) y.derivative = Add(y.derivative, Mul(a.value, b.derivative, c_), c_);
        break;
      default:
        y.value = Div(a.value, b.value, c_);
        // (a' - (a/b) b') / b.
        if (b.varies) {
          y.derivative = Sub(a.derivative, Mul(y.value, b.derivative, c_), c_);
        } else {
          y.derivative = a.derivative;
        }
        if (y.varies) y.derivative = Div(y.derivative, b.value, c_);
        break;
    }
    return y;
  }

  // f(a), given f(a.value) and how to find f'(a.value).
  template <typename Slope>
  Dual Chain(const Dual& a, Number value, Slope slope) const {
    Dual y = Fixed(std::move(value));
    if (a.varies) {
      y.varies = true;
      y.derivative = Mul(slope(), a.derivative, c_);
    }
    return y;
  }

  Dual Power(const Dual& a, int n) const {
    return Chain(a, Pow(a.value, n, c_),
                 [&] { return Mul(FromInt(n, c_), Pow(a.value, n - 1, c_), c_); });
  }

  Dual Abs(const Dual& a) const {
    const std::optional<int> sign = Compare(a.value, Number(), c_);
    if (!sign) return {Unknown(), Unknown(), true};
    if (*sign > 0) return a;
    if (*sign < 0) return {Neg(a.value), Neg(a.derivative), a.varies};
    if (a.varies && !IsExactZero(a.derivative)) return {a.value, Unknown(), true};
    return Fixed(a.value);
  }

  Dual Function(Op op, const Dual& a) const {
    const Number& v = a.value;
    switch (op) {
      case Op::kAbs:
        return Abs(a);
      case Op::kCos:
        return Chain(a, Cos(v, c_), [&] { return Neg(Sin(v, c_)); });
      case Op::kCosh:
        return Chain(a, Cosh(v, c_), [&] { return Sinh(v, c_); });
      case Op::kErf:
        return Chain(a, Erf(v, c_), [&] { return ErfSlope(v, c_); });
      case Op::kErfc:
        return Chain(a, Erfc(v, c_), [&] { return Neg(ErfSlope(v, c_)); });
      case Op::kExp: {
        Number y = Exp(v, c_);
        return Chain(a, y, [&] { return y; });
      }
      case Op::kLog:
        return Chain(a, Log(v, c_), [&] { return Div(FromInt(1, c_), v, c_); });
      case Op::kSin:
        return Chain(a, Sin(v, c_), [&] { return Cos(v, c_); });
      case Op::kSqrt: {
        const Number y = Sqrt(v, c_);
        return Chain(a, y, [&] { return Div(FromInt(1, c_), Add(y, y, c_), c_); });
      }
      case Op::kTanh:
        return Chain(a, Tanh(v, c_), [&] { return Sech2(v, c_); });
      default:
        return {Unknown(), Unknown(), true};
    }
  }

  // log(1 + exp(t)) for t > 0 is t + log(1 + exp(-t)), which keeps t exact; the slope is
  // 1 / (1 + exp(-t)).
  std::optional<Dual> LogOnePlusExp(const Node& log) const {
    if (!c_.split) return std::nullopt;
    const Node& sum = nodes_[log.child[0]];
    if (sum.op != Op::kAdd || nodes_[sum.child[0]].op != Op::kConstant ||
        nodes_[sum.child[1]].op != Op::kExp || !fmpq_is_one(nodes_[sum.child[0]].value.get())) {
      return std::nullopt;
    }
    const Dual t = At(nodes_[sum.child[1]].child[0]);
    if (Compare(t.value, Number(), c_).value_or(-1) <= 0) return std::nullopt;
    const Number one_plus = Add(FromInt(1, c_), Exp(Neg(t.value), c_), c_);
    return Chain(t, Add(t.value, Log(one_plus, c_), c_),
                 [&] { return Div(FromInt(1, c_), one_plus, c_); });
  }

  const std::vector<Node>& nodes_;
  std::span<const Number> variables_;
  int with_respect_to_;
  Context c_;
};

}  // namespace

Dual Evaluate(const Formula& formula, std::span<const Number> variables, int with_respect_to,
              Context c) {
  return Evaluator(formula, variables, with_respect_to, c)
      .At(static_cast<int>(formula.nodes.size()) - 1);
}

}  // namespace activation::oracle
