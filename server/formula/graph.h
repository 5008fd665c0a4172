// A formula as a graph: each operation with its arguments stands in it once, however often the text
// repeats it.
#ifndef ACTIVATION_SERVER_FORMULA_GRAPH_H_
#define ACTIVATION_SERVER_FORMULA_GRAPH_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "proto/element_type.h"
#include "server/formula/parse.h"

namespace activation::formula {

// A place in the graph.
using Id = int;
inline constexpr Id kNone = -1;

struct Vertex {
  Op op = Op::kX;
  // Before this one; kNone where there are fewer.
  std::array<Id, 3> arguments = {kNone, kNone, kNone};
  // A constant's value, a number of the arithmetic.
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

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_GRAPH_H_
