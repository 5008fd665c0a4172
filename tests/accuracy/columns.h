// Arguments and results of vector code, a column each.
#ifndef ACTIVATION_TESTS_ACCURACY_COLUMNS_H_
#define ACTIVATION_TESTS_ACCURACY_COLUMNS_H_

#include <cstddef>
#include <vector>

#include "server/engine/kernels.h"
#include "tests/accuracy/unrounded.h"

namespace activation::accuracy {

struct Columns {
  size_t count;  // a multiple of kMaxGroup, which the lanes of every number type divide
  const double *x, *x_lo;
  double *hi, *lo, *exponent, *magnitude;
};

// What run(columns) makes of the arguments.
template <class Run>
std::vector<Unrounded> InColumns(Arguments arguments, Run run) {
  const size_t size = arguments.x.size();
  const size_t count = (size + engine::kMaxGroup - 1) / engine::kMaxGroup * engine::kMaxGroup;
  arguments.x.resize(count, 1.0);
  arguments.x_lo.resize(count);
  std::vector<double> hi(count), lo(count), exponent(count), magnitude(count);
  run(Columns{count, arguments.x.data(), arguments.x_lo.data(), hi.data(), lo.data(),
              exponent.data(), magnitude.data()});
  std::vector<Unrounded> results;
  for (size_t i = 0; i < size; ++i) results.push_back({hi[i], lo[i], exponent[i], magnitude[i]});
  return results;
}

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_COLUMNS_H_
