#include "tests/accuracy/error_of.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"

namespace activation::accuracy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr slong kBits = 64;        // of quotients, which are rounded up
constexpr slong kMostBits = 4096;  // of differences; more than any that is needed

oracle::Dyadic Scaled(double value, double exponent) {
  oracle::Dyadic result;
  arf_set_d(result.get(), value);
  arf_mul_2exp_si(result.get(), result.get(), static_cast<slong>(exponent));
  return result;
}

// size / magnitude, rounded up.
double Relative(const oracle::Dyadic& size, const Unrounded& result) {
  if (arf_is_zero(size.get())) return 0;
  if (!(result.magnitude > 0) || !arf_is_finite(size.get())) return kInfinity;
  oracle::Dyadic quotient;
  arf_div(quotient.get(), size.get(), Scaled(result.magnitude, result.exponent).get(), kBits,
          ARF_RND_UP);
  return arf_get_d(quotient.get(), ARF_RND_UP);
}

}  // namespace

double RelativeError(const Unrounded& result, const oracle::Ball& exact) {
  if (!std::isfinite(result.hi) || !std::isfinite(result.lo) || std::isnan(result.magnitude) ||
      !arb_is_finite(exact.get())) {
    return kInfinity;
  }
  oracle::Ball difference;
  arb_sub_arf(difference.get(), exact.get(), Scaled(result.hi, result.exponent).get(), kMostBits);
  arb_sub_arf(difference.get(), difference.get(), Scaled(result.lo, result.exponent).get(),
              kMostBits);
  oracle::Dyadic bound;
  arb_get_abs_ubound_arf(bound.get(), difference.get(), kBits);
  return Relative(bound, result);
}

double RelativeRadius(const Unrounded& result, const oracle::Ball& exact) {
  if (!arb_is_finite(exact.get())) return kInfinity;
  oracle::Dyadic radius;
  arf_set_mag(radius.get(), arb_radref(exact.get()));
  return Relative(radius, result);
}

void LargestError::Note(double error, const char* target, double x, double x_lo) {
  ++count_;
  if (error <= error_) return;
  error_ = error;
  target_ = target;
  x_ = x;
  x_lo_ = x_lo;
}

std::string LargestError::ToString() const {
  if (error_ == 0) return absl::StrFormat("no error in %d", count_);
  return absl::StrFormat("%s at %a%s on %s, the largest of %d", PowerOfTwo(error_), x_,
                         x_lo_ == 0 ? "" : absl::StrFormat(" %+a", x_lo_), target_, count_);
}

std::string PowerOfTwo(double value) { return absl::StrFormat("2^%.1f", std::log2(value)); }

}  // namespace activation::accuracy
