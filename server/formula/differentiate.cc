#include "server/formula/differentiate.h"

#include <numbers>
#include <vector>

#include "server/formula/decimal.h"

namespace activation::formula {
namespace {

// A value and its derivative; kNone for a derivative that is 0 everywhere.
struct Dual {
  Id value = kNone;
  Id derivative = kNone;
};

// Adds to a graph what the nodes of a tree stand for.
class Differentiator {
 public:
  Differentiator(std::span<const double> parameters, engine::Quantity quantity, Graph& graph)
      : parameters_(parameters),
        is_derivative_(quantity == engine::Quantity::kDerivative),
        graph_(graph) {}

  Dual Add(const Node& node, const Dual& a, const Dual& b, const Dual& c) {
    const Id value = Value(node, a.value, b.value, c.value);
    const bool varies = a.derivative != kNone || b.derivative != kNone || c.derivative != kNone;
    if (node.op == Op::kX && is_derivative_) return {value, graph_.Constant(1)};
    return {value, varies ? Derivative(node, value, a, b, c) : kNone};
  }

 private:
  Id Value(const Node& node, Id a, Id b, Id c) {
    switch (node.op) {
      case Op::kConstant:
        return graph_.Constant(RoundDecimal(node.text, graph_.arithmetic()));
      case Op::kPi:
        return graph_.Constant(std::numbers::pi);
      case Op::kParameter:
        return graph_.Constant(parameters_[node.number]);
      case Op::kPower:
        return node.number >= 0 ? graph_.Power(a, node.number)
                                : Divide(graph_.Constant(1), graph_.Power(a, -node.number));
      case Op::kGreater:
        return graph_.Apply(Op::kLess, b, a);
      case Op::kGreaterEqual:
        return graph_.Apply(Op::kLessEqual, b, a);
      default:
        return graph_.Apply(node.op, a, b, c);
    }
  }

  // `value` is that of the node.
  Id Derivative(const Node& node, Id value, const Dual& a, const Dual& b, const Dual& c) {
    const auto [u, du] = a;
    const auto [v, dv] = b;
    switch (node.op) {
      case Op::kAdd:
        return Sum(du, dv);
      case Op::kSubtract:
        return Difference(du, dv);
      case Op::kNegate:
        return Negate(du);
      case Op::kMultiply:
        return Sum(Multiply(du, v), Multiply(u, dv));
      case Op::kDivide:
        return Divide(Difference(du, Multiply(value, dv)), v);
      case Op::kPower:
        return PowerDerivative(node.number, value, a);
      case Op::kChoose:
        return Choose(u, OrZero(dv), OrZero(c.derivative));
      case Op::kMax:
        return Selected(v, u, a, b, value);
      case Op::kMin:
        return Selected(u, v, a, b, value);
      default:
        break;
    }
    return du == kNone ? kNone : FunctionDerivative(node.op, value, u, du);
  }

  // The derivative of a function of one argument u.
  Id FunctionDerivative(Op op, Id value, Id u, Id du) {
    const Id one = graph_.Constant(1);
    switch (op) {
      case Op::kAbs:
        // The value is 0 where neither holds, or NaN.
        return Choose(Less(graph_.Constant(0), u), du,
                      Choose(Less(u, graph_.Constant(0)), Negate(du), value));
      case Op::kSqrt:
        return Divide(du, Multiply(graph_.Constant(2), value));
      case Op::kAtan:
        return Divide(du, Sum(one, Multiply(u, u)));
      case Op::kCos:
        return Negate(Multiply(graph_.Apply(Op::kSin, u), du));
      case Op::kSin:
        return Multiply(graph_.Apply(Op::kCos, u), du);
      case Op::kCosh:
        return Multiply(graph_.Apply(Op::kSinh, u), du);
      case Op::kErf:
        return Multiply(ErrorFunctionSlope(u), du);
      case Op::kErfc:
        return Negate(Multiply(ErrorFunctionSlope(u), du));
      case Op::kExp:
      case Op::kExpm1:
        return Multiply(graph_.Apply(Op::kExp, u), du);
      case Op::kLog:
        return Divide(du, u);
      case Op::kLog1p:
        return Divide(du, Sum(one, u));
      case Op::kTanh:
        return Multiply(Difference(one, Multiply(value, value)), du);
      default:
        return kNone;  // comparisons
    }
  }

  Id PowerDerivative(int exponent, Id value, const Dual& a) {
    if (exponent == 0) return kNone;
    const int size = exponent < 0 ? -exponent : exponent;
    const Id slope = Multiply(graph_.Constant(size), graph_.Power(a.value, size - 1));
    const Id derivative = Multiply(slope, a.derivative);
    if (exponent > 0) return derivative;
    return Divide(Negate(Multiply(value, derivative)), graph_.Power(a.value, size));
  }

  // low < high ? first' : high <= low ? second' : value, which is then NaN.
  Id Selected(Id low, Id high, const Dual& first, const Dual& second, Id value) {
    return Choose(
        Less(low, high), OrZero(first.derivative),
        Choose(graph_.Apply(Op::kLessEqual, high, low), OrZero(second.derivative), value));
  }

  Id ErrorFunctionSlope(Id u) {
    const Id square = Negate(Multiply(u, u));
    return Multiply(graph_.Constant(2 * std::numbers::inv_sqrtpi), graph_.Apply(Op::kExp, square));
  }

  // These take kNone for 0, and leave out factors and divisors of 1.
  Id OrZero(Id a) { return a == kNone ? graph_.Constant(0) : a; }
  Id Negate(Id a) { return a == kNone ? kNone : graph_.Apply(Op::kNegate, a); }
  Id Sum(Id a, Id b) {
    if (a == kNone) return b;
    return b == kNone ? a : graph_.Apply(Op::kAdd, a, b);
  }
  Id Difference(Id a, Id b) {
    if (a == kNone) return Negate(b);
    return b == kNone ? a : graph_.Apply(Op::kSubtract, a, b);
  }
  Id Multiply(Id a, Id b) {
    if (a == kNone || b == kNone) return kNone;
    if (graph_.IsConstant(a, 1)) return b;
    return graph_.IsConstant(b, 1) ? a : graph_.Apply(Op::kMultiply, a, b);
  }
  Id Divide(Id a, Id b) {
    if (a == kNone || graph_.IsConstant(b, 1)) return a;
    return graph_.Apply(Op::kDivide, a, b);
  }
  Id Less(Id a, Id b) { return graph_.Apply(Op::kLess, a, b); }
  Id Choose(Id condition, Id a, Id b) { return graph_.Apply(Op::kChoose, condition, a, b); }

  const std::span<const double> parameters_;
  const bool is_derivative_;
  Graph& graph_;
};

}  // namespace

Id AddFormula(const Tree& tree, std::span<const double> parameters, engine::Quantity quantity,
              Graph& graph) {
  Differentiator differentiator(parameters, quantity, graph);
  std::vector<Dual> duals;
  duals.reserve(tree.size());
  const auto argument = [&duals](int place) { return place < 0 ? Dual() : duals[place]; };
  for (const Node& node : tree) {
    duals.push_back(differentiator.Add(node, argument(node.arguments[0]),
                                       argument(node.arguments[1]), argument(node.arguments[2])));
  }
  if (quantity == engine::Quantity::kValue) return duals.back().value;
  return duals.back().derivative == kNone ? graph.Constant(0) : duals.back().derivative;
}

}  // namespace activation::formula
