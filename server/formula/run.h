// Runs a program over arrays.
#ifndef ACTIVATION_SERVER_FORMULA_RUN_H_
#define ACTIVATION_SERVER_FORMULA_RUN_H_

#include <cstddef>

#include "proto/element_type.h"
#include "server/formula/program.h"

namespace activation::formula {

// output[i] = the program's result for input[i], i < count. Packed arrays of `type`, at any
// alignment, that don't overlap. Each input is rounded to the program's arithmetic, each result
// from there to `type`; NaN becomes the quiet NaN with sign and payload clear.
//
// + - * / and the square root are those of IEEE 754, in the arithmetic. Functions are computed in
// long double by the C library and then rounded: its double functions give other last bits on
// processors with fused multiply-add than on those without, its long double functions have one
// path. (So a result in FLOAT64 can still be one last bit off the correctly rounded one, now and
// then.) For narrower arithmetics the double functions come first, many times faster, and stand
// where their result rounds alike with any error that they may have: then both paths agree.
//
// Takes 2 KiB or less for each register, on the heap. Thread-safe.
void Run(const Program& program, DataType type, const std::byte* input, std::byte* output,
         size_t count);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_RUN_H_
