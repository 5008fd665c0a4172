// Work on a block of results in twice float64's precision: from packed elements to numbers, through
// a kernel, times factors, to packed elements. What values, gradients and row functions share.
#ifndef ACTIVATION_SERVER_ENGINE_PRECISE_BLOCK_H_
#define ACTIVATION_SERVER_ENGINE_PRECISE_BLOCK_H_

#include <cstddef>

#include "server/engine/kernels.h"
#include "server/engine/operation.h"
#include "server/engine/packed.h"

namespace activation::engine {

// Loads the arguments input[i] + bias[i] of `count` elements from the `start`-th on.
void LoadArguments(DataType type, const Operands& operands, size_t start, size_t count,
                   PreciseBlock& block);

// One row (kernels.h) of a function for the first `count` of block.x: the kernel's results, and
// what it leaves open filled in: infinite x and results that pairs of float64 can't hold.
void Compute(const Function& function, int row, PreciseBlock& block, size_t count);

// The product with factors, still in twice float64's precision. Exponents are set apart, since one
// factor may be tiny and the other huge. Zeros and infinities by IEEE 754.
void Multiply(PreciseBlock& block, const double* factors, size_t count);

// One row, times upstream: Compute for the arguments of `count` elements from the `start`-th on, at
// most kBlock, and Multiply.
void ComputeTimesUpstream(const Function& function, int row, DataType type,
                          const Operands& operands, size_t start, size_t count,
                          PreciseBlock& block);

// value * 2^exponent.
double Scale(double value, double exponent);

// The block's results, each rounded once.
void Encode(DataType type, const PreciseBlock& block, size_t count, std::byte* data);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_PRECISE_BLOCK_H_
