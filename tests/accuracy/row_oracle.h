// What softmax and log_softmax and their derivatives must return for a row: the definition in ball
// arithmetic, with more and more bits until every number of the ball rounds to the same bits.
// Shares nothing with the engine. The odd cases are those of server/engine/rows.h.
#ifndef ACTIVATION_TESTS_ACCURACY_ROW_ORACLE_H_
#define ACTIVATION_TESTS_ACCURACY_ROW_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/support/number.h"

namespace activation::accuracy {

class RowOracle {
 public:
  // upstream is empty for the value.
  RowOracle(bool log, std::vector<double> x, std::vector<double> upstream);

  // The bits of the i-th result, correctly rounded. None if no precision decides.
  std::optional<uint64_t> Round(DataType type, size_t i) const;

 private:
  // Equal x.
  struct Group {
    int count = 0;
    oracle::Rational upstream;
    oracle::Number power;  // e^(x - the largest x)
  };
  // The row at one precision, largest x first; -infinity has no group.
  struct Level {
    oracle::Context context;
    std::map<double, Group, std::greater<>> groups;
    oracle::Number sum;
    oracle::Rational upstream;  // the sum of all
  };

  // What needs no precision.
  std::optional<double> OddCase(size_t i) const;
  const Level& LevelOf(size_t index) const;
  oracle::Number At(size_t i, const Level& level) const;

  bool log_;
  std::vector<double> x_, upstream_;
  double largest_;
  mutable std::vector<Level> levels_;
};

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_ROW_ORACLE_H_
