// Numbers of the element types, as bits: decoding to double, and rounding of exact numbers of
// any size to nearest, ties to even, with subnormals, overflow to infinity and underflow to a
// signed zero.
#ifndef ACTIVATION_TESTS_SUPPORT_FORMAT_H_
#define ACTIVATION_TESTS_SUPPORT_FORMAT_H_

#include <cstdint>
#include <string>

#include "proto/element_type.h"
#include "tests/support/ball.h"

namespace activation::oracle {

// The smallest subnormal is 2 to the power of this.
int LowestSubnormal(const ElementType& type);

// The value of a number of `type`; every NaN becomes a quiet NaN.
double Decode(DataType type, uint64_t bits);

// The bits of d, which must be a number of `type`, or any NaN: the quiet NaN with sign and payload
// clear.
uint64_t Encode(DataType type, double d);

// The bits of y rounded to `type`. Zero gives +0.
uint64_t Round(DataType type, const Dyadic& y);

// The bits of q + e rounded to `type`, where e is a real number of sign `tail` (-1, 0 or 1) too
// small to reach another number or midpoint.
uint64_t RoundWithTail(DataType type, const Rational& q, int tail);

// As "0x1.8p+1 (40400000)", for failure messages.
std::string Describe(DataType type, uint64_t bits);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_FORMAT_H_
