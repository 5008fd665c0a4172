// The numerical engine: activation functions over packed arrays, on every CPU the same bits.
//
// Guarantees, for every input and every allowed parameter value, on every SIMD target, at every
// position and length:
//   - FLOAT32, FLOAT16 and BFLOAT16 outputs are correctly rounded: the exact real number f(x) (or
//     f'(x), or upstream * f'(x)) rounded once, to nearest, ties to even, subnormals kept. With a
//     bias b, x is the exact sum x + b. (Where |x + b| is beyond float64's range it is infinite.)
//   - FLOAT64 outputs are within 1 ULP.
//   - NaN in (x or upstream) gives the quiet NaN with sign bit and payload clear.
//   - x = +-infinity gives the limit. upstream * f' follows IEEE 754 (infinity * 0 is NaN).
//   - f(-0) = -0 where f(0) = 0, unless Spec::positive_zero; underflow keeps its sign. A
//     derivative that is 0 at x = 0 is +0.
//
// The engine knows neither gRPC nor protobuf. All functions are thread-safe; nothing but
// std::bad_alloc is thrown, by Run alone. This header brings those of everything but row functions
// (rows.h).
//
// Speed: what was tried, and what it gave. Zen 5 with AVX-512, 65,536 float32, ns per element for
// sigmoid and gelu:
//   1.35  2.0   one vector at a time; both ends of the error's interval rounded and compared
//   0.58  1.05  four vectors in program order (Lanes); two 0.60 and 0.91, three 0.54 and 0.86
//   0.45  0.86  no arrays of vectors in returned structs, which GCC stores and loads again
//   0.39  0.79  e^z by 16 powers in registers and an instruction that scales by 2^k and needs no
//               bounds; the rounding test on the value's bits, with one mask for all vectors;
//               whether results are normal numbers is looked at after rounding
//   0.34  0.73  whole float32 vectors rounded, checked and stored; 1 + e^z in one operation; Mills'
//               ratio with the lowest degrees that the rounding test allows
//   0.30  0.64  64 elements and one branch for all of them; e^z only as exact as its users need;
//               Mills' ratio by even and odd terms, four vectors at a time; nothing kept in
//               registers for the slow path that it can compute again; whether x is finite by one
//               product. Derivatives gained a quarter.
// What gave nothing: GCC's second scheduling pass or clang 14 in place of GCC (both within 3 %),
// six vectors (sigmoid 0.27, gelu as with four), leaving out the bound of gelu's argument. What is
// left of gelu, 17 cycles for 8 elements, is near the 15 that its multiplications and its division
// take. Settle (round_to_float32-inl.h) is vector code, since many results are 0: relu 1 ns, not 6;
// and decides subnormal results: gelu_tanh 0.13 less. What is exact (Spec::exact) is not tested at
// all: relu 0.14. Exact quotients, which may be ties, are found out by two sums: hard_sigmoid 0.8,
// not 2.1. Tables of 16-bit results take one load for two inputs and one store for four results.
// For float64 see quick_pairs-inl.h.
#ifndef ACTIVATION_SERVER_ENGINE_ENGINE_H_
#define ACTIVATION_SERVER_ENGINE_ENGINE_H_

#include <cstddef>

#include "proto/element_type.h"
#include "server/engine/catalogue.h"
#include "server/engine/gradient.h"
#include "server/engine/operation.h"
#include "server/engine/simd_target.h"
#include "server/engine/spec.h"

namespace activation::engine {

// output[i] = f(input[i] + bias[i]) or f'(input[i] + bias[i]), times upstream[i], for i < count.
// Runs on the calling thread.
void Run(const Operation& operation, const Operands& operands, size_t count);

// The same functions to more than twice float64's precision: hi[i] + lo[i] is f(x[i]) or f'(x[i])
// within 2^-90 relative (hi the nearest double), as far as float64's range goes. For measuring
// errors.
void RunPrecise(const Function& function, Quantity quantity, const double* x, double* hi,
                double* lo, size_t count);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ENGINE_H_
