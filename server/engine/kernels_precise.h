// The kernels over pairs of float64, for results of any type and for gradients.
#ifndef ACTIVATION_SERVER_ENGINE_KERNELS_PRECISE_H_
#define ACTIVATION_SERVER_ENGINE_KERNELS_PRECISE_H_

#include <cstddef>
#include <span>

#include "server/engine/kernels.h"

namespace activation::engine {

// Computes the first `count` elements of the block (and may compute those up to the next multiple
// of 16). Relative error kDoubleDoubleError (error_bounds.h). hi is NaN where that can't be had:
// for NaN, for some infinite x, next to roots and outside float64's exponents.
using PreciseKernel = void (*)(const double* parameters, PreciseBlock& block, size_t count);

// For the instruction set in use: [activation][row]. Entries that the activation does not have are
// null.
std::span<const PreciseKernel[kRows]> PreciseKernels();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_KERNELS_PRECISE_H_
