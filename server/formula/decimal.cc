#include "server/formula/decimal.h"

#include <absl/strings/charconv.h>
#include <absl/strings/numbers.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <tuple>

#include "proto/element_type.h"
#include "server/formula/arithmetic.h"

namespace activation::formula {
namespace {

// A positive number 0.d1d2d3... * 10^exponent, where neither the first nor the last digit is 0.
struct Digits {
  int exponent = 0;
  std::string digits;

  bool operator<(const Digits& other) const {
    return std::tie(exponent, digits) < std::tie(other.exponent, other.digits);
  }
};

Digits Read(absl::string_view number) {
  Digits result;
  const size_t e = std::min(number.find_first_of("eE"), number.size());
  if (e < number.size()) {
    static_cast<void>(absl::SimpleAtoi(number.substr(e + 1), &result.exponent));
  }
  const absl::string_view significand = number.substr(0, e);
  result.exponent += static_cast<int>(std::min(significand.find('.'), significand.size()));
  for (const char c : significand) {
    if (c == '.') continue;
    if (c == '0' && result.digits.empty()) {
      --result.exponent;
    } else {
      result.digits += c;
    }
  }
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

// All digits of a float64.
Digits Expand(double value) {
  constexpr int kMostDigits = 767;
  std::array<char, kMostDigits + 16> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, kMostDigits);
  return Read({text.data(), static_cast<size_t>(end.ptr - text.data())});
}

}  // namespace

double RoundDecimal(absl::string_view number, DataType type) {
  double value = 0;
  absl::from_chars(number.data(), number.data() + number.size(), value);
  if (type == DataType::kFloat64) return value;
  // Far below every narrower type's least number; its exponent may be anything.
  constexpr double kNothing = 0x1p-1000;
  if (value < kNothing) return 0;
  const Digits exact = Read(number);
  const Digits rounded = Expand(value);
  const int direction = rounded < exact ? 1 : exact < rounded ? -1 : 0;
  return RoundTo(type, MakeOdd(value, direction));
}

}  // namespace activation::formula
