#include "server/formula/decimal.h"

#include <absl/strings/charconv.h>
#include <mpfr.h>

#include <string>

#include "server/engine/real.h"
#include "server/formula/arithmetic.h"

namespace activation::formula {

double RoundDecimal(absl::string_view number, DataType type) {
  double value = 0;
  absl::from_chars(number.data(), number.data() + number.size(), value);
  if (type == DataType::kFloat64) return value;
  // Far below every narrower type's least number, and far above float64's least normal one.
  constexpr double kNothing = 0x1p-1000;
  if (value < kNothing) return 0;
  const std::string text(number);
  engine::Real truncated(53);
  const int ternary = mpfr_strtofr(truncated.get(), text.c_str(), nullptr, 10, MPFR_RNDZ);
  const bool is_exact = ternary == 0;
  return RoundTo(type, MakeOdd(mpfr_get_d(truncated.get(), MPFR_RNDZ), is_exact ? 0 : 1));
}

}  // namespace activation::formula
