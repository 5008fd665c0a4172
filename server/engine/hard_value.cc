#include "server/engine/hard_value.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "hwy/highway.h"
#include "server/engine/activations-inl.h"
#include "server/engine/catalogue.h"
#include "server/engine/kernels.h"
#include "server/engine/multiprecision.h"

namespace activation::engine {
namespace {

namespace simd = HWY_NAMESPACE;
using Number = Multiprecision;

template <class A, int kRow>
Number Evaluate(const Number& x, const double* p) {
  if constexpr (kRow < simd::kRowsOf<A>) {
    const simd::Result<Number> result = simd::Apply<A, kRow>(x, p);
    return result.value;
  } else {
    return std::nan("");
  }
}

template <class A>
PreciseValue Limit(const double* p, int row, bool negative) {
  const auto ends = A::AtInfinity(p);
  return negative ? PreciseValue{ends[row].left, ends[row].left_rest, 0}
                  : PreciseValue{ends[row].right, 0, 0};
}

using Evaluator = Number (*)(const Number& x, const double* parameters);

struct Entry {
  Evaluator rows[kRows];
  PreciseValue (*limit)(const double* parameters, int row, bool negative);
};

template <class List>
struct Entries;
template <class... A>
struct Entries<std::tuple<A...>> {
  static constexpr Entry kAll[] = {{{Evaluate<A, 0>, Evaluate<A, 1>, Evaluate<A, 2>, Evaluate<A, 3>,
                                     Evaluate<A, 4>, Evaluate<A, 5>},
                                    Limit<A>}...};
};
constexpr auto& kEntries = Entries<simd::Activations>::kAll;

const Entry& EntryOf(const Function& function) { return kEntries[IndexOf(*function.spec)]; }

}  // namespace

PreciseValue Multiprecise(const Function& function, int row, double x, double x_lo) {
  const int gap = x_lo == 0 ? 0 : std::ilogb(x) - std::ilogb(x_lo);
  const Number::WithMoreBits scope(gap);
  const Number value = EntryOf(function).rows[row](Number(x) + x_lo, function.parameters.data());
  long exponent = 0;
  double hi = value.Split(&exponent);
  // Scaled by a power of two, then less hi: exact, or nearly so.
  Number scaled = value;
  mpfr_mul_2si(scaled.get(), scaled.get(), -exponent, MPFR_RNDN);
  long rest_exponent = 0;
  const double rest_mantissa = (scaled - Number(hi)).Split(&rest_exponent);
  const double lo = std::ldexp(rest_mantissa, static_cast<int>(std::max(rest_exponent, -2000L)));
  constexpr long kMost = 100'000;  // far outside float64 even after a product with a float64
  return {hi, lo, static_cast<double>(std::clamp(exponent, -kMost, kMost))};
}

PreciseValue LimitAtInfinity(const Function& function, int row, bool negative) {
  return EntryOf(function).limit(function.parameters.data(), row, negative);
}

}  // namespace activation::engine
