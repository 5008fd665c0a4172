#include "server/engine/hard_row.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "server/engine/precise_block.h"

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

class Real {
 public:
  explicit Real(mpfr_prec_t bits) {
    mpfr_init2(v_, bits);
    mpfr_set_zero(v_, 1);
  }
  Real(const Real& other) {
    mpfr_init2(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    mpfr_set_prec(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(v_); }
  mpfr_ptr get() { return v_; }
  mpfr_srcptr get() const { return v_; }
  int Sign() const { return mpfr_sgn(v_); }

 private:
  mpfr_t v_;
};

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
  // The last bit is set if the neighbour towards zero, at one bit less, is another number.
  Real shorter(mpfr_get_prec(value) - 1);
  if (mpfr_set(shorter.get(), value, MPFR_RNDZ) != 0) return;
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

// Whether both ends round to the same number, which is written to output.
bool Decide(const Interval& result, DataType type, std::byte* output) {
  PreciseBlock block;
  Split(result.lower, block, 0);
  Split(result.upper, block, 1);
  std::byte ends[2 * sizeof(double)];
  Encode(type, block, 2, ends);
  std::memcpy(output, ends, SizeOf(type));
  return std::memcmp(ends, ends + SizeOf(type), SizeOf(type)) == 0;
}

// A group of equal x: e^(x - the largest x), gaps shrunk; how many; the sum of g.
struct Group {
  explicit Group(mpfr_prec_t bits) : power(bits), sum(kExactBits) {}
  double x = 0;
  double count = 0;
  Interval power;
  Real sum;
};

}  // namespace

void HardRow::Prepare() {
  std::ranges::sort(elements_, [](const Element& a, const Element& b) { return a.x > b.x; });
}

void HardRow::Round(double x, double g, DataType type, std::byte* output) const {
  const bool derivative = quantity_ == Quantity::kDerivative;
  Real total(kExactBits);  // of g
  for (const Element& element : elements_) {
    mpfr_add_d(total.get(), total.get(), element.g, MPFR_RNDN);
  }
  for (mpfr_prec_t bits = kFirstBits; bits <= kMostBits; bits *= 2) {
    Interval sum(bits);       // of all powers
    Interval rest(bits);      // of all powers but the first element's
    Interval weighted(bits);  // the derivative's numerator but for factors
    Interval own(bits);       // the power of x
    bool weighted_is_zero = true;
    Group group(bits);
    Real place(kExactBits), weight(kExactBits), gap(kExactBits), distance(kExactBits);
    for (size_t i = 0; i < elements_.size() && std::isfinite(elements_[i].x);) {
      if (i > 0) {
        mpfr_set_d(gap.get(), elements_[i - 1].x, MPFR_RNDN);
        mpfr_sub_d(gap.get(), gap.get(), elements_[i].x, MPFR_RNDN);
        if (mpfr_cmp_d(gap.get(), kMostGap) > 0) mpfr_set_d(gap.get(), kMostGap, MPFR_RNDN);
        mpfr_sub(place.get(), place.get(), gap.get(), MPFR_RNDN);
      }
      group.x = elements_[i].x;
      group.count = 0;
      mpfr_set_zero(group.sum.get(), 1);
      for (; i < elements_.size() && elements_[i].x == group.x; ++i, ++group.count) {
        mpfr_add_d(group.sum.get(), group.sum.get(), elements_[i].g, MPFR_RNDN);
      }
      mpfr_exp(group.power.lower.get(), place.get(), MPFR_RNDD);
      mpfr_exp(group.power.upper.get(), place.get(), MPFR_RNDU);
      if (group.x == x) own = group.power;
      mpfr_set_d(weight.get(), group.count, MPFR_RNDN);
      AddProduct(sum, group.power, weight.get());
      if (group.x == elements_[0].x) mpfr_sub_ui(weight.get(), weight.get(), 1, MPFR_RNDN);
      AddProduct(rest, group.power, weight.get());
      if (!derivative) continue;
      // softmax: y (g - sum g_j y_j) = own (sum over groups of power (count g - sum)) / sum^2.
      // log_softmax: g - y total = (sum over groups of power count g, less own total) / sum.
      mpfr_set_d(weight.get(), g, MPFR_RNDN);
      mpfr_mul_d(weight.get(), weight.get(), group.count, MPFR_RNDN);
      if (!log_) {
        mpfr_sub(weight.get(), weight.get(), group.sum.get(), MPFR_RNDN);
      } else if (group.x == x) {
        mpfr_sub(weight.get(), weight.get(), total.get(), MPFR_RNDN);
      }
      weighted_is_zero = weighted_is_zero && weight.Sign() == 0;
      AddProduct(weighted, group.power, weight.get());
    }

    Interval result(bits);
    if (!derivative && log_) {
      // x - max - log(1 + rest), the difference exact.
      mpfr_set_d(distance.get(), x, MPFR_RNDN);
      mpfr_sub_d(distance.get(), distance.get(), elements_[0].x, MPFR_RNDN);
      mpfr_log1p(rest.lower.get(), rest.lower.get(), MPFR_RNDD);
      mpfr_log1p(rest.upper.get(), rest.upper.get(), MPFR_RNDU);
      MakeOdd(result.lower.get(),
              mpfr_sub(result.lower.get(), distance.get(), rest.upper.get(), MPFR_RNDZ));
      MakeOdd(result.upper.get(),
              mpfr_sub(result.upper.get(), distance.get(), rest.lower.get(), MPFR_RNDZ));
    } else {
      Interval numerator = derivative ? weighted : own;
      Interval divisor = sum;
      if (derivative && !log_) {
        AddProduct(numerator = Interval(bits), own, weighted.lower.get());
        Interval upper(bits);
        AddProduct(upper, own, weighted.upper.get());
        numerator.upper = upper.upper;
        mpfr_sqr(divisor.lower.get(), sum.lower.get(), MPFR_RNDD);
        mpfr_sqr(divisor.upper.get(), sum.upper.get(), MPFR_RNDU);
      }
      const auto divide = [](Real& end, const Real& by_positive, const Real& by_negative,
                             const Real& dividend) {
        const Real& by = dividend.Sign() < 0 ? by_negative : by_positive;
        MakeOdd(end.get(), mpfr_div(end.get(), dividend.get(), by.get(), MPFR_RNDZ));
      };
      divide(result.lower, divisor.upper, divisor.lower, numerator.lower);
      divide(result.upper, divisor.lower, divisor.upper, numerator.upper);
      if (derivative && weighted_is_zero) result = Interval(bits);
    }
    if (Decide(result, type, output)) return;
  }
}

}  // namespace activation::engine
