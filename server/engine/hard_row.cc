#include "server/engine/hard_row.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "server/engine/precise_block.h"
#include "server/engine/real.h"

namespace activation::engine {
namespace {

// Sums and differences of up to 2^64 float64, and products with a count, are exact: 2098 bits of
// range and 2 x 64 more.
constexpr mpfr_prec_t kExactBits = 2304;
constexpr mpfr_prec_t kFirstBits = 256;
constexpr mpfr_prec_t kMostBits = 16'384;
// Distinct x further apart are moved to this distance (e^-5000 = 2^-7213): a power of e then is
// still less than 2^-4000 of the one above it, times any quotient of two upstreams and a count, so
// that signs are the same, and results that are not small differ by less than can decide.
constexpr double kMostGap = 5'000;

struct Interval {
  explicit Interval(mpfr_prec_t bits) : lower(bits), upper(bits) {}
  Real lower, upper;
};

// sum += x * factor, x > 0.
void AddProduct(Interval& sum, const Interval& x, mpfr_srcptr factor) {
  const bool negative = mpfr_sgn(factor) < 0;
  Real term(mpfr_get_prec(sum.lower.get()));
  mpfr_mul(term.get(), (negative ? x.upper : x.lower).get(), factor, MPFR_RNDD);
  mpfr_add(sum.lower.get(), sum.lower.get(), term.get(), MPFR_RNDD);
  mpfr_mul(term.get(), (negative ? x.lower : x.upper).get(), factor, MPFR_RNDU);
  mpfr_add(sum.upper.get(), sum.upper.get(), term.get(), MPFR_RNDU);
}

// Rounding to odd, so that the rounding to a shorter type that follows is that of the exact number:
// `ternary` is what an operation that rounded towards zero has returned.
void MakeOdd(mpfr_ptr value, int ternary) {
  if (ternary == 0 || mpfr_zero_p(value) != 0) return;
  Real shorter(mpfr_get_prec(value) - 1);
  const bool is_odd = mpfr_set(shorter.get(), value, MPFR_RNDZ) != 0;
  if (is_odd) return;
  if (mpfr_sgn(value) > 0) {
    mpfr_nextabove(value);
  } else {
    mpfr_nextbelow(value);
  }
}

// value to a float64 and the sign of the rest, with an exponent of its own.
void Split(const Real& value, PreciseBlock& block, size_t i) {
  long exponent = 0;
  block.hi[i] = mpfr_get_d_2exp(&exponent, value.get(), MPFR_RNDN);
  Real shifted = value;
  mpfr_mul_2si(shifted.get(), shifted.get(), -exponent, MPFR_RNDN);
  const int rest = mpfr_cmp_d(shifted.get(), block.hi[i]);
  block.lo[i] = rest == 0 ? 0.0 : std::copysign(0x1p-60, rest);
  constexpr long kMost = 100'000;  // far outside every type
  block.exponent[i] = static_cast<double>(std::clamp(exponent, -kMost, kMost));
}

// Writes the lower end, rounded, to output; returns whether the upper end rounds to the same
// number.
bool RoundLowerEnd(const Interval& result, DataType type, std::byte* output) {
  PreciseBlock ends;
  Split(result.lower, ends, 0);
  Split(result.upper, ends, 1);
  std::byte encoded[2 * sizeof(double)];
  Encode(type, ends, 2, encoded);
  std::memcpy(output, encoded, SizeOf(type));
  return std::memcmp(encoded, encoded + SizeOf(type), SizeOf(type)) == 0;
}

// What a result is made of, at some number of bits. p(x) = e^(x - the largest x), gaps shrunk.
struct Sums {
  explicit Sums(mpfr_prec_t bits) : all(bits), rest(bits), own(bits), weighted(bits) {}
  Interval all;       // sum of p
  Interval rest;      // the same without the first element
  Interval own;       // p of the element in question
  Interval weighted;  // sum of p times weights that depend on it
  bool weighted_is_zero = true;
};

// numerator / divisor, divisor > 0.
Interval Quotient(const Interval& numerator, const Interval& divisor, mpfr_prec_t bits) {
  Interval result(bits);
  const auto divide = [](Real& end, const Real& dividend, const Real& by) {
    MakeOdd(end.get(), mpfr_div(end.get(), dividend.get(), by.get(), MPFR_RNDZ));
  };
  divide(result.lower, numerator.lower, numerator.lower.Sign() < 0 ? divisor.lower : divisor.upper);
  divide(result.upper, numerator.upper, numerator.upper.Sign() < 0 ? divisor.upper : divisor.lower);
  return result;
}

// difference - log(1 + rest).
Interval LessLog1p(const Real& difference, const Interval& rest, mpfr_prec_t bits) {
  Interval log(bits), result(bits);
  mpfr_log1p(log.lower.get(), rest.lower.get(), MPFR_RNDD);
  mpfr_log1p(log.upper.get(), rest.upper.get(), MPFR_RNDU);
  const auto subtract = [&difference](Real& end, const Real& less) {
    MakeOdd(end.get(), mpfr_sub(end.get(), difference.get(), less.get(), MPFR_RNDZ));
  };
  subtract(result.lower, log.upper);
  subtract(result.upper, log.lower);
  return result;
}

// a * b, a > 0.
Interval Product(const Interval& a, const Interval& b, mpfr_prec_t bits) {
  Interval by_lower(bits), by_upper(bits), product(bits);
  AddProduct(by_lower, a, b.lower.get());
  AddProduct(by_upper, a, b.upper.get());
  product.lower = by_lower.lower;
  product.upper = by_upper.upper;
  return product;
}

Real Difference(double a, double b) {
  Real difference(kExactBits);
  mpfr_set_d(difference.get(), a, MPFR_RNDN);
  mpfr_sub_d(difference.get(), difference.get(), b, MPFR_RNDN);
  return difference;
}

Sums AddUp(const HardRow::Query& query, std::span<const HardRow::Element> elements,
           mpfr_prec_t bits) {
  Real total(kExactBits);  // the sum of g
  for (const auto& element : elements) {
    mpfr_add_d(total.get(), total.get(), element.g, MPFR_RNDN);
  }
  Sums sums(bits);
  Interval power(bits);
  Real place(kExactBits), group(kExactBits), weight(kExactBits);
  // Equal x together.
  for (size_t i = 0; i < elements.size() && std::isfinite(elements[i].x);) {
    const double x = elements[i].x;
    if (i > 0) {
      Real gap = Difference(elements[i - 1].x, x);
      if (mpfr_cmp_d(gap.get(), kMostGap) > 0) mpfr_set_d(gap.get(), kMostGap, MPFR_RNDN);
      mpfr_sub(place.get(), place.get(), gap.get(), MPFR_RNDN);
    }
    const size_t first = i;
    mpfr_set_zero(group.get(), 1);
    for (; i < elements.size() && elements[i].x == x; ++i) {
      mpfr_add_d(group.get(), group.get(), elements[i].g, MPFR_RNDN);
    }
    mpfr_exp(power.lower.get(), place.get(), MPFR_RNDD);
    mpfr_exp(power.upper.get(), place.get(), MPFR_RNDU);
    if (x == query.x) sums.own = power;
    const auto count = static_cast<double>(i - first);
    mpfr_set_d(weight.get(), count, MPFR_RNDN);
    AddProduct(sums.all, power, weight.get());
    if (first == 0) mpfr_sub_ui(weight.get(), weight.get(), 1, MPFR_RNDN);
    AddProduct(sums.rest, power, weight.get());

    mpfr_set_d(weight.get(), query.g, MPFR_RNDN);
    mpfr_mul_d(weight.get(), weight.get(), count, MPFR_RNDN);
    if (!query.log) {
      mpfr_sub(weight.get(), weight.get(), group.get(), MPFR_RNDN);
    } else if (x == query.x) {
      mpfr_sub(weight.get(), weight.get(), total.get(), MPFR_RNDN);
    }
    sums.weighted_is_zero = sums.weighted_is_zero && weight.Sign() == 0;
    AddProduct(sums.weighted, power, weight.get());
  }
  return sums;
}

}  // namespace

void HardRow::Prepare() {
  std::ranges::sort(elements_, [](const Element& a, const Element& b) { return a.x > b.x; });
}

void HardRow::Round(double x, double g, DataType type, std::byte* output) const {
  const Query query = {log_, x, g};
  for (mpfr_prec_t bits = kFirstBits; bits <= kMostBits; bits *= 2) {
    const Sums sums = AddUp(query, elements_, bits);
    Interval result(bits);
    if (quantity_ == Quantity::kValue) {
      result = log_ ? LessLog1p(Difference(x, elements_[0].x), sums.rest, bits)
                    : Quotient(sums.own, sums.all, bits);
    } else if (!sums.weighted_is_zero) {
      // log_softmax: g - y sum g_j, with all over one divisor; the own x has the weight
      // count g - sum g_j, any other count g.
      // softmax: y (g - sum g_j y_j); weights count g - sum of the group's g_j.
      result = log_ ? Quotient(sums.weighted, sums.all, bits)
                    : Quotient(Product(sums.own, sums.weighted, bits),
                               Product(sums.all, sums.all, bits), bits);
    }
    if (RoundLowerEnd(result, type, output)) return;
  }
}

}  // namespace activation::engine
