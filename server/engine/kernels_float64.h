// The kernels from float64 to float64.
#ifndef ACTIVATION_SERVER_ENGINE_KERNELS_FLOAT64_H_
#define ACTIVATION_SERVER_ENGINE_KERNELS_FLOAT64_H_

#include <cstddef>
#include <span>

#include "server/engine/kernels.h"
#include "server/engine/operation.h"

namespace activation::engine {

// Computes again the elements at these places, at most kBlock of them.
struct PlacesRefiner {
  void (*refine)(const void* context, const Operands& operands, std::span<const size_t> places);
  const void* context;
};

// Correctly rounded unless DoubleDouble can't decide: pairs of float64 with an error of 2^-63, the
// rounding test, `refiner` for the rest. Parameters must be ordinary; there is no bias, and no
// upstream for a value.
using Float64Kernel = void (*)(const double* parameters, const Operands& operands, size_t count,
                               const PlacesRefiner& refiner);

// Whether these kernels take such a parameter: their results can't underflow to 0 for ordinary x.
constexpr bool IsOrdinary(double parameter) {
  const double size = parameter < 0 ? -parameter : parameter;
  return size == 0 || (size >= 0x1p-400 && size <= 0x1p400);
}

// For the instruction set in use: [activation][row], for f and f' only.
std::span<const Float64Kernel[kFirstParameterRow]> Float64Kernels();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_KERNELS_FLOAT64_H_
