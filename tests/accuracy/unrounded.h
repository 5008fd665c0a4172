// What the kernels have before they round: the same templates over the same number types, on the
// instruction set in use, with nothing after them.
#ifndef ACTIVATION_TESTS_ACCURACY_UNROUNDED_H_
#define ACTIVATION_TESTS_ACCURACY_UNROUNDED_H_

#include <ostream>
#include <span>
#include <vector>

namespace activation::accuracy {

// The number types of server/engine/lanes-inl.h, each as its kernels_*.cc takes it.
enum class NumberType { kLanes, kQuickPairs, kDoubleDouble };
const char* NameOf(NumberType type);
inline void PrintTo(NumberType type, std::ostream* out) { *out << NameOf(type); }

// The bound of the error, relative to the magnitude, that what follows the kernels relies on.
double ErrorBound(NumberType type);

// The number is (hi + lo) 2^exponent. The error bound holds for magnitude 2^exponent, which is
// |hi| where nothing cancels.
struct Unrounded {
  double hi = 0;
  double lo = 0;
  double exponent = 0;
  double magnitude = 0;
};

// Arguments x + x_lo, |x_lo| <= ulp(x)/2. Lanes take no x_lo.
struct Arguments {
  std::vector<double> x;
  std::vector<double> x_lo;

  void Add(double high, double low = 0) {
    x.push_back(high);
    x_lo.push_back(low);
  }
};

// A row (server/engine/kernels.h) of the activation at this place in the catalogue.
std::vector<Unrounded> Compute(NumberType type, int activation, int row,
                               std::span<const double> parameters, const Arguments& arguments);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_UNROUNDED_H_
