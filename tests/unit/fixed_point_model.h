// Fixed point by its definition, for tests: an exact real number, then rounding, then overflow. For
// formats so small that float64 holds each sum and product exactly.
#ifndef ACTIVATION_TESTS_UNIT_FIXED_POINT_MODEL_H_
#define ACTIVATION_TESTS_UNIT_FIXED_POINT_MODEL_H_

#include <algorithm>
#include <cmath>

#include "activation/v1/activation.pb.h"

namespace activation::server {

class FixedPointModel {
 public:
  explicit FixedPointModel(const v1::FixedPoint& format)
      : format_(format),
        unit_(std::pow(2, -format.fraction_bits())),
        limit_(std::pow(2, format.integer_bits())) {}

  double ValueOf(int number) const { return number * unit_; }

  // The result for an exact x, sum or product.
  double Result(double exact) const {
    const double rounded = Round(exact);
    if (format_.overflow() != v1::FixedPoint::OVERFLOW_WRAP) return Saturated(rounded);
    return rounded - 2 * limit_ * std::floor((rounded + limit_) / (2 * limit_));
  }

  double Constant(double exact) const { return Saturated(Round(exact)); }

 private:
  double Saturated(double rounded) const { return std::clamp(rounded, -limit_, limit_ - unit_); }

  double Round(double exact) const {
    const double below = std::floor(exact / unit_);
    const double rest = exact / unit_ - below;
    const bool is_even = std::fmod(below, 2) == 0;
    switch (format_.rounding()) {
      case v1::FixedPoint::ROUNDING_DOWN:
        return below * unit_;
      case v1::FixedPoint::ROUNDING_TOWARD_ZERO:
        return (exact < 0 && rest > 0 ? below + 1 : below) * unit_;
      case v1::FixedPoint::ROUNDING_NEAREST_AWAY:
        return (rest > 0.5 || (rest == 0.5 && exact > 0) ? below + 1 : below) * unit_;
      default:
        return (rest > 0.5 || (rest == 0.5 && !is_even) ? below + 1 : below) * unit_;
    }
  }

  v1::FixedPoint format_;
  double unit_;
  double limit_;
};

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_UNIT_FIXED_POINT_MODEL_H_
