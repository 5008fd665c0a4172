#include "proto/tensor_codec.h"

#include <bit>
#include <cmath>

namespace activation {
namespace {

// A 16-bit binary format with an implicit leading bit, IEEE 754 style.
struct Format {
  int fraction_bits;
  int exponent_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint16_t infinity() const {
    return static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  }
  constexpr uint16_t quiet_nan() const {
    return static_cast<uint16_t>(infinity() | (1 << (fraction_bits - 1)));
  }
};
constexpr Format kBinary16 = {.fraction_bits = 10, .exponent_bits = 5};
constexpr Format kBFloat = {.fraction_bits = 7, .exponent_bits = 8};
constexpr uint16_t kSign = 0x8000;
constexpr int kDoubleFractionBits = 52;
constexpr int kDoubleBias = 1023;

double Decode(uint16_t bits, const Format& format) {
  const uint16_t magnitude = bits & ~kSign;
  const double sign = (bits & kSign) != 0 ? -1.0 : 1.0;
  if (magnitude > format.infinity()) return std::nan("");
  if (magnitude == format.infinity()) return sign * HUGE_VAL;
  const int exponent = magnitude >> format.fraction_bits;
  const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const int smallest = 1 - format.bias() - format.fraction_bits;
  if (exponent == 0) return sign * std::ldexp(fraction, smallest);
  return sign * std::ldexp(fraction | (1 << format.fraction_bits), smallest + exponent - 1);
}

uint16_t Encode(double value, const Format& format) {
  if (std::isnan(value)) return format.quiet_nan();
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 48) & kSign;
  const int exponent = static_cast<int>(bits >> kDoubleFractionBits & 0x7ff) - kDoubleBias;
  if (exponent > format.bias()) return sign | format.infinity();
  // The significand with as many bits dropped as the format lacks; more of them below its least
  // exponent. A carry out of the fraction runs into the exponent field, as it should.
  const int least = 1 - format.bias();
  const int dropped =
      kDoubleFractionBits - format.fraction_bits + (exponent < least ? least - exponent : 0);
  if (dropped > kDoubleFractionBits + 1) return sign;  // below half the smallest subnormal
  const uint64_t significand =
      (bits & ((uint64_t{1} << kDoubleFractionBits) - 1)) | uint64_t{1} << kDoubleFractionBits;
  const uint64_t half = uint64_t{1} << (dropped - 1);
  const uint64_t odd = significand >> dropped & 1;
  const uint64_t rounded = (significand + half - 1 + odd) >> dropped;
  const int field = exponent < least ? 0 : exponent + format.bias() - 1;
  const uint64_t encoded = (static_cast<uint64_t>(field) << format.fraction_bits) + rounded;
  return static_cast<uint16_t>(sign | encoded);
}

}  // namespace

double Float16ToDouble(uint16_t bits) { return Decode(bits, kBinary16); }
double BFloat16ToDouble(uint16_t bits) { return Decode(bits, kBFloat); }
uint16_t DoubleToFloat16(double value) { return Encode(value, kBinary16); }
uint16_t DoubleToBFloat16(double value) { return Encode(value, kBFloat); }

}  // namespace activation
