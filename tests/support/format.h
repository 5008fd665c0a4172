// The four floating-point formats, as bits: decoding to double, and rounding of exact numbers of
// any size to nearest, ties to even, with subnormals, overflow to infinity and underflow to a
// signed zero.
#ifndef ACTIVATION_TESTS_SUPPORT_FORMAT_H_
#define ACTIVATION_TESTS_SUPPORT_FORMAT_H_

#include <cstdint>
#include <string>

#include "server/engine/engine.h"
#include "tests/support/ball.h"

namespace activation::oracle {

struct Format {
  const char* name;
  int bits;              // of the whole number
  int precision;         // significant bits, the hidden one included
  int lowest_exponent;   // of the smallest subnormal, 2^lowest_exponent
  int highest_exponent;  // of the largest finite number's leading bit
};

const Format& FormatOf(engine::DataType type);

// The value of a number of `type`; every NaN becomes a quiet NaN.
double Decode(engine::DataType type, uint64_t bits);

// The bits of d, which must be a number of `type`, or any NaN: the quiet NaN with sign and payload
// clear.
uint64_t Encode(engine::DataType type, double d);

// The bits of y rounded to `type`. Zero gives +0.
uint64_t Round(engine::DataType type, const Dyadic& y);

// The bits of q + e rounded to `type`, where e is a real number of sign `tail` (-1, 0 or 1) too
// small to reach another number or midpoint.
uint64_t RoundWithTail(engine::DataType type, const Rational& q, int tail);

// As "0x1.8p+1 (40400000)", for failure messages.
std::string Describe(engine::DataType type, uint64_t bits);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_FORMAT_H_
