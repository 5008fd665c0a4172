// Arithmetic in fixed point, as v1.FixedPoint describes it: two's complement, each result rounded
// to a multiple of 2^-fraction_bits and brought into range by the format's overflow rule.
//
// A number is the integer of that many 2^-fraction_bits, in the format's range: at most 32 bits. So
// nothing here overflows 64 bits.
#ifndef ACTIVATION_SERVER_COMPARE_FIXED_POINT_H_
#define ACTIVATION_SERVER_COMPARE_FIXED_POINT_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstdint>

#include "activation/v1/activation.pb.h"

namespace activation::server {

class FixedPoint {
 public:
  using Number = int64_t;

  // INVALID_ARGUMENT names the field below `field` that is out of range.
  static absl::StatusOr<FixedPoint> Make(absl::string_view field, const v1::FixedPoint& format);

  // NaN becomes 0; an infinity saturates.
  Number Quantize(double value) const;
  // The same, but it saturates always: for what was made beforehand.
  Number QuantizeConstant(double value) const;
  double ToDouble(Number number) const;

  Number Add(Number a, Number b) const { return Fit(a + b); }
  Number Subtract(Number a, Number b) const { return Fit(a - b); }
  Number Multiply(Number a, Number b) const;
  // The exact (to - from) / (end - begin), rounded once; saturates. begin < end.
  Number Slope(Number begin, Number end, Number from, Number to) const;

 private:
  explicit FixedPoint(const v1::FixedPoint& format);

  // The neighbour of floor + rest / whole that the rounding rule takes, where 0 <= rest < whole;
  // `negative` says whether all of it is below 0.
  Number Round(Number floor, Number rest, Number whole, bool negative) const;
  double RoundToInteger(double value) const;
  Number Saturate(Number number) const;
  Number Fit(Number number) const;

  int integer_bits_;
  int fraction_bits_;
  // 2^fraction_bits.
  double scale_;
  v1::FixedPoint::Rounding rounding_;
  bool wraps_;
  Number lowest_;
  Number highest_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_FIXED_POINT_H_
