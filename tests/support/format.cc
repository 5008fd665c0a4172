#include "tests/support/format.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_format.h"

namespace activation::oracle {
namespace {

uint64_t SignBit(const ElementType& f) { return uint64_t{1} << (f.bits - 1); }

// The exponent field's mask, shifted into place: infinity.
uint64_t InfinityBits(const ElementType& f) {
  return SignBit(f) - (uint64_t{1} << (f.precision - 1));
}

}  // namespace

int LowestSubnormal(const ElementType& type) { return type.least_exponent - (type.precision - 1); }

double Decode(DataType type, uint64_t bits) {
  const ElementType& f = TraitsOf(type);
  const double sign = (bits & SignBit(f)) ? -1.0 : 1.0;
  const uint64_t magnitude = bits & (SignBit(f) - 1);
  if (magnitude > InfinityBits(f)) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == InfinityBits(f)) return sign * std::numeric_limits<double>::infinity();
  const uint64_t hidden = uint64_t{1} << (f.precision - 1);
  const int exponent = static_cast<int>(magnitude >> (f.precision - 1));
  const uint64_t fraction = magnitude & (hidden - 1);
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<double>(fraction), LowestSubnormal(f));
  }
  return sign *
         std::ldexp(static_cast<double>(fraction | hidden), LowestSubnormal(f) + exponent - 1);
}

uint64_t Encode(DataType type, double d) {
  const ElementType& f = TraitsOf(type);
  const uint64_t hidden = uint64_t{1} << (f.precision - 1);
  if (std::isnan(d)) return InfinityBits(f) | (hidden >> 1);
  const uint64_t sign = std::signbit(d) ? SignBit(f) : 0;
  if (std::isinf(d)) return sign | InfinityBits(f);
  if (d == 0) return sign;
  const int exponent = std::max(std::ilogb(d), f.least_exponent);
  const double scaled = std::ldexp(std::fabs(d), f.precision - 1 - exponent);
  const uint64_t significand = static_cast<uint64_t>(scaled);
  if (static_cast<double>(significand) != scaled || exponent > f.greatest_exponent) std::abort();
  // A normal's hidden bit adds 1 to the exponent field; a subnormal has none and exponent field 0.
  return sign |
         ((static_cast<uint64_t>(exponent - f.least_exponent) << (f.precision - 1)) + significand);
}

uint64_t Round(DataType type, const Dyadic& y) {
  const ElementType& f = TraitsOf(type);
  if (arf_is_nan(y.get())) return Encode(type, std::numeric_limits<double>::quiet_NaN());
  if (arf_is_zero(y.get())) return 0;
  const uint64_t sign = arf_sgn(y.get()) < 0 ? SignBit(f) : 0;
  if (arf_cmpabs_2exp_si(y.get(), f.greatest_exponent + 1) >= 0) return sign | InfinityBits(f);
  // Half the smallest subnormal is a tie that goes to 0, the even neighbour.
  if (arf_cmpabs_2exp_si(y.get(), LowestSubnormal(f) - 1) <= 0) return sign;
  // 2^(exponent - 1) <= |y| < 2^exponent; a subnormal has fewer significant bits.
  const slong exponent = arf_abs_bound_lt_2exp_si(y.get());
  const slong bits = std::min<slong>(f.precision, exponent - LowestSubnormal(f));
  if (bits < 1) return sign | 1;  // between a half and one of the smallest subnormal
  Dyadic rounded;
  arf_set_round(rounded.get(), y.get(), bits, ARF_RND_NEAR);
  if (arf_cmpabs_2exp_si(rounded.get(), f.greatest_exponent + 1) >= 0) {
    return sign | InfinityBits(f);
  }
  return Encode(type, arf_get_d(rounded.get(), ARF_RND_NEAR));
}

uint64_t RoundWithTail(DataType type, const Rational& q, int tail) {
  // Numbers and midpoints of every format are multiples of 2^-1075, so what stands behind that bit
  // only matters by its sign.
  constexpr ulong kFractionBits = 1075;
  Rational scaled;
  fmpq_mul_2exp(scaled.get(), q.get(), kFractionBits);
  fmpz_t floor, rest;
  fmpz_init(floor);
  fmpz_init(rest);
  fmpz_fdiv_qr(floor, rest, fmpq_numref(scaled.get()), fmpq_denref(scaled.get()));
  const int sticky = fmpz_is_zero(rest) ? tail : 1;
  fmpz_mul_2exp(floor, floor, 2);
  if (sticky > 0) fmpz_add_ui(floor, floor, 1);
  if (sticky < 0) fmpz_sub_ui(floor, floor, 1);
  Dyadic y;
  arf_set_fmpz(y.get(), floor);
  arf_mul_2exp_si(y.get(), y.get(), -static_cast<slong>(kFractionBits) - 2);
  fmpz_clear(floor);
  fmpz_clear(rest);
  return Round(type, y);
}

std::string Describe(DataType type, uint64_t bits) {
  return absl::StrFormat("%a (%0*x)", Decode(type, bits), TraitsOf(type).bits / 4, bits);
}

}  // namespace activation::oracle
