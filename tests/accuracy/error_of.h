// How far an unrounded result is from the exact one.
#ifndef ACTIVATION_TESTS_ACCURACY_ERROR_OF_H_
#define ACTIVATION_TESTS_ACCURACY_ERROR_OF_H_

#include <cstddef>
#include <string>

#include "tests/accuracy/unrounded.h"
#include "tests/support/ball.h"

namespace activation::accuracy {

// An upper bound of |result - exact| / magnitude: what the ball leaves open counts as error.
// Infinity where the result or the ball is no finite number; 0 for an exact result, whatever its
// magnitude.
double RelativeError(const Unrounded& result, const oracle::Ball& exact);

// The ball's radius relative to the result's magnitude: the part of the above that may be the
// oracle's. 0 for an exact ball, infinity for one without bound.
double RelativeRadius(const Unrounded& result, const oracle::Ball& exact);

// The largest of the errors that it is shown, and where it was.
class LargestError {
 public:
  void Note(double error, const char* target, double x, double x_lo);
  size_t count() const { return count_; }
  double error() const { return error_; }
  // "2^-46.4 at -0x1.8p+3 on AVX2, the largest of 2400".
  std::string ToString() const;

 private:
  size_t count_ = 0;
  double error_ = 0;
  double x_ = 0;
  double x_lo_ = 0;
  const char* target_ = "";
};

// "2^-46.4".
std::string PowerOfTwo(double value);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_ERROR_OF_H_
