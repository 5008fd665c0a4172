// A formula as a graph: each operation with its arguments stands in it once, however often the text
// repeats it.
#ifndef ACTIVATION_SERVER_FORMULA_GRAPH_H_
#define ACTIVATION_SERVER_FORMULA_GRAPH_H_

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/formula/parse.h"

namespace activation::formula {

// A place in the graph.
using Id = int;
inline constexpr Id kNone = -1;

struct Vertex {
  Op op = Op::kX;
  // Before this one; kNone where there are fewer.
  std::array<Id, 3> arguments = {kNone, kNone, kNone};
  // Of a constant; a number of the arithmetic.
  double value = 0;
};

class Graph {
 public:
  explicit Graph(DataType arithmetic) : arithmetic_(arithmetic) {}

  // Rounded to the arithmetic.
  Id Constant(double value);
  Id Apply(Op op, Id a = kNone, Id b = kNone, Id c = kNone);
  // ((a * a) * a) ..., exponent >= 0; 1 where it is 0.
  Id Power(Id a, int exponent);

  DataType arithmetic() const { return arithmetic_; }
  const std::vector<Vertex>& vertices() const { return vertices_; }
  bool IsConstant(Id id, double value) const;

  // Products that are added or subtracted are no longer rounded by themselves: the right one of
  // two.
  void FuseProducts();

 private:
  Id Insert(const Vertex& vertex);

  const DataType arithmetic_;
  std::vector<Vertex> vertices_;
  // The bits of the value tell 0 from -0.
  std::map<std::tuple<Op, std::array<Id, 3>, uint64_t>, Id> places_;
};

// f(x), or f'(x) by dual numbers, with parameters[i] for the i-th parameter. Each rule of
// differentiation is written with the operations of the arithmetic:
//   (u +- v)' = u' +- v'        (u * v)' = u' * v + u * v'       (u / v)' = (u' - (u / v) * v') / v
//   (u^n)' = (n * u^(n-1)) * u' where n > 0; u^-n is 1 / u^n
//   exp(u)' = exp(u) * u'       tanh(u)' = (1 - tanh(u)^2) * u'  erf(u)' = (c * exp(-(u * u))) * u'
// and so on, c being 2/sqrt(pi). Terms with the derivative of something that doesn't depend on x
// are left out, and so are factors of 1. Where max or min has equal arguments, the derivative is
// that of the second one, as if max(u, v) were u > v ? u : v; that of abs at 0 is 0.
Id AddFormula(const Tree& tree, std::span<const double> parameters, engine::Quantity quantity,
              Graph& graph);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_GRAPH_H_
