#include "server/formula/graph.h"

#include <bit>

#include "server/formula/arithmetic.h"

namespace activation::formula {

Id Graph::Insert(const Vertex& vertex) {
  const auto [place, is_new] =
      places_.try_emplace({vertex.op, vertex.arguments, std::bit_cast<uint64_t>(vertex.value)},
                          static_cast<Id>(vertices_.size()));
  if (is_new) vertices_.push_back(vertex);
  return place->second;
}

Id Graph::Constant(double value) {
  return Insert({.op = Op::kConstant, .value = RoundTo(arithmetic_, value)});
}

Id Graph::Apply(Op op, Id a, Id b, Id c) { return Insert({.op = op, .arguments = {a, b, c}}); }

Id Graph::Power(Id a, int exponent) {
  if (exponent == 0) return Constant(1);
  Id power = a;
  for (int i = 1; i < exponent; ++i) power = Apply(Op::kPowerMultiply, power, a);
  return power;
}

bool Graph::IsConstant(Id id, double value) const {
  return vertices_[id].op == Op::kConstant && vertices_[id].value == value;
}

void Graph::FuseProducts() {
  for (Vertex& vertex : vertices_) {
    if (vertex.op != Op::kAdd && vertex.op != Op::kSubtract) continue;
    const auto [left, right, none] = vertex.arguments;
    const bool is_sum = vertex.op == Op::kAdd;
    // Products come before their sums, so none is fused itself by now.
    const auto fuse = [&](Op op, Id product, Id other) {
      const std::array<Id, 3>& factors = vertices_[product].arguments;
      vertex = {.op = op, .arguments = {factors[0], factors[1], other}};
    };
    if (vertices_[right].op == Op::kMultiply) {
      fuse(is_sum ? Op::kMultiplyAdd : Op::kNegativeMultiplyAdd, right, left);
    } else if (vertices_[left].op == Op::kMultiply) {
      fuse(is_sum ? Op::kMultiplyAdd : Op::kMultiplySubtract, left, right);
    }
  }
}

}  // namespace activation::formula
