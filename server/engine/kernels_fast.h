// The kernels from float32 to float32.
#ifndef ACTIVATION_SERVER_ENGINE_KERNELS_FAST_H_
#define ACTIVATION_SERVER_ENGINE_KERNELS_FAST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "server/engine/kernels.h"
#include "server/engine/operation.h"

namespace activation::engine {

// Computes again the elements i of a group of at most kMaxGroup (`operands` point at its first)
// whose bit in `lanes` is set, since float64 arithmetic could not decide them.
struct Refiner {
  void (*refine)(const void* context, const Operands& operands, uint64_t lanes);
  const void* context;
};

// Correctly rounded: float64 arithmetic, the rounding test, `refiner` for the rest.
using FastKernel = void (*)(const double* parameters, const Operands& operands, size_t count,
                            const Refiner& refiner);

// For the instruction set in use: [activation][row], for f and f' only.
std::span<const FastKernel[kFirstParameterRow]> FastKernels();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_KERNELS_FAST_H_
