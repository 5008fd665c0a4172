// Results of softmax and log_softmax that twice float64's precision can't decide: exact zeros,
// exact midpoints, and what lies too near to one. Interval arithmetic over GNU MPFR, with more and
// more bits until both ends round to the same number.
//
// It ends because a result is rational in few cases. By the Lindemann-Weierstrass theorem powers of
// e with different rational exponents are linearly independent over the rationals; so, rows being
// rational, softmax, its derivative and log_softmax's are rational only where all finite x are
// equal or where the result is 0 (g for log_softmax) because sums of upstreams over equal x vanish.
// Equal x are therefore taken together, and their upstreams added exactly.
#ifndef ACTIVATION_SERVER_ENGINE_HARD_ROW_H_
#define ACTIVATION_SERVER_ENGINE_HARD_ROW_H_

#include <cstddef>
#include <vector>

#include "server/engine/operation.h"

namespace activation::engine {

class HardRow {
 public:
  struct Element {
    double x, g;
  };
  // What is asked for.
  struct Query {
    bool log;
    double x, g;
  };

  // log: log_softmax.
  HardRow(bool log, Quantity quantity) : log_(log), quantity_(quantity) {}

  // Elements in any order; x finite or -infinity, g finite (0 for the value).
  void Add(double x, double g) { elements_.push_back({x, g}); }
  // After the last Add.
  void Prepare();

  // Writes the result for an element with these x (finite) and g, rounded to `type`.
  void Round(double x, double g, DataType type, std::byte* output) const;

 private:
  bool log_;
  Quantity quantity_;
  std::vector<Element> elements_;  // largest x first
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_HARD_ROW_H_
