#include "server/compare/fixed_point.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "server/compare/errors.h"

namespace activation::server {
namespace {

constexpr int kMaxBits = 31;

}  // namespace

absl::StatusOr<FixedPoint> FixedPoint::Make(absl::string_view field, const v1::FixedPoint& format) {
  const int integer_bits = format.integer_bits();
  const int fraction_bits = format.fraction_bits();
  if (integer_bits < 0 || integer_bits > kMaxBits) {
    return errors::WrongBits(absl::StrCat(field, ".integer_bits"), integer_bits, kMaxBits);
  }
  if (fraction_bits < 0 || fraction_bits > kMaxBits) {
    return errors::WrongBits(absl::StrCat(field, ".fraction_bits"), fraction_bits, kMaxBits);
  }
  if (integer_bits + fraction_bits < 1 || integer_bits + fraction_bits > kMaxBits) {
    return errors::WrongBitsInAll(field, integer_bits + fraction_bits, kMaxBits);
  }
  if (!v1::FixedPoint::Rounding_IsValid(format.rounding())) {
    return errors::UnknownNumber(absl::StrCat(field, ".rounding"), format.rounding(),
                                 *v1::FixedPoint::Rounding_descriptor());
  }
  if (!v1::FixedPoint::Overflow_IsValid(format.overflow())) {
    return errors::UnknownNumber(absl::StrCat(field, ".overflow"), format.overflow(),
                                 *v1::FixedPoint::Overflow_descriptor());
  }
  return FixedPoint(format);
}

FixedPoint::FixedPoint(const v1::FixedPoint& format)
    : integer_bits_(format.integer_bits()),
      fraction_bits_(format.fraction_bits()),
      scale_(std::ldexp(1, fraction_bits_)),
      rounding_(format.rounding()),
      wraps_(format.overflow() == v1::FixedPoint::OVERFLOW_WRAP),
      lowest_(-(Number{1} << (integer_bits_ + fraction_bits_))),
      highest_(-lowest_ - 1) {}

FixedPoint::Number FixedPoint::Quantize(double value) const {
  if (!wraps_ || !std::isfinite(value)) return QuantizeConstant(value);
  // What is taken off is a multiple of the range, so that no bit which stays is touched.
  const double kept = std::fmod(value, std::ldexp(1, integer_bits_ + 1));
  return Fit(static_cast<Number>(RoundToInteger(kept * scale_)));
}

FixedPoint::Number FixedPoint::QuantizeConstant(double value) const {
  if (std::isnan(value)) return 0;
  return static_cast<Number>(std::clamp(
      RoundToInteger(value * scale_), static_cast<double>(lowest_), static_cast<double>(highest_)));
}

double FixedPoint::ToDouble(Number number) const { return static_cast<double>(number) / scale_; }

FixedPoint::Number FixedPoint::Multiply(Number a, Number b) const {
  const Number product = a * b;
  const Number whole = Number{1} << fraction_bits_;
  return Fit(Round(product >> fraction_bits_, product & (whole - 1), whole, product < 0));
}

FixedPoint::Number FixedPoint::Slope(Number begin, Number end, Number from, Number to) const {
  // Below 2^63, as the rise is below 2^32.
  const Number rise = (to - from) * (Number{1} << fraction_bits_);
  const Number run = end - begin;
  const Number rest = rise % run;
  const bool is_above = rest < 0;  // The quotient was rounded towards 0, which is up.
  return Saturate(
      Round(rise / run - (is_above ? 1 : 0), rest + (is_above ? run : 0), run, rise < 0));
}

FixedPoint::Number FixedPoint::Round(Number floor, Number rest, Number whole, bool negative) const {
  const bool is_tie = 2 * rest == whole;
  bool up = 2 * rest > whole;
  switch (rounding_) {
    case v1::FixedPoint::ROUNDING_NEAREST_AWAY:
      up |= is_tie && !negative;
      break;
    case v1::FixedPoint::ROUNDING_TOWARD_ZERO:
      up = negative && rest > 0;
      break;
    case v1::FixedPoint::ROUNDING_DOWN:
      up = false;
      break;
    default:
      up |= is_tie && floor % 2 != 0;
  }
  return floor + (up ? 1 : 0);
}

double FixedPoint::RoundToInteger(double value) const {
  switch (rounding_) {
    case v1::FixedPoint::ROUNDING_NEAREST_AWAY:
      return std::round(value);
    case v1::FixedPoint::ROUNDING_TOWARD_ZERO:
      return std::trunc(value);
    case v1::FixedPoint::ROUNDING_DOWN:
      return std::floor(value);
    default:
      return std::nearbyint(value);
  }
}

FixedPoint::Number FixedPoint::Saturate(Number number) const {
  return std::clamp(number, lowest_, highest_);
}

FixedPoint::Number FixedPoint::Fit(Number number) const {
  if (!wraps_) return Saturate(number);
  const int dropped = 63 - integer_bits_ - fraction_bits_;
  return static_cast<Number>(static_cast<uint64_t>(number) << dropped) >> dropped;
}

}  // namespace activation::server
