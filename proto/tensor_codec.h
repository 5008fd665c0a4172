// The four element types as bits: float16 and bfloat16 to and from float64, each conversion exact
// or rounded once (to nearest, ties to even). Linked by server and client.
//
// float16 is IEEE 754 binary16; bfloat16 is the upper half of a binary32. Every finite value of
// both is exactly a float64. Overflow rounds to infinity, subnormals are kept, NaN becomes the
// quiet NaN with sign and payload clear.
#ifndef ACTIVATION_PROTO_TENSOR_CODEC_H_
#define ACTIVATION_PROTO_TENSOR_CODEC_H_

#include <cstdint>

namespace activation {

double Float16ToDouble(uint16_t bits);
double BFloat16ToDouble(uint16_t bits);
uint16_t DoubleToFloat16(double value);
uint16_t DoubleToBFloat16(double value);

}  // namespace activation

#endif  // ACTIVATION_PROTO_TENSOR_CODEC_H_
