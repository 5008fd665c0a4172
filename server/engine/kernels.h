// The kernels as plain function pointers: what the vector code offers to the rest of the engine,
// one table per instruction set, chosen at run time.
#ifndef ACTIVATION_SERVER_ENGINE_KERNELS_H_
#define ACTIVATION_SERVER_ENGINE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "server/engine/engine.h"

namespace activation::engine {

// A row of the tables: f, f', then the derivative by each parameter.
inline constexpr int kValueRow = 0;
inline constexpr int kDerivativeRow = 1;
inline constexpr int kFirstParameterRow = 2;
inline constexpr int kRows = kFirstParameterRow + kMaxParameters;

// Elements that the engine converts, computes and rounds at a time: six arrays of these fit a 32
// KiB L1.
inline constexpr size_t kBlock = 256;

// Vectors are at most this many float64.
inline constexpr size_t kPadding = 16;

// A block of arguments x + x_lo, |x_lo| <= ulp(x)/2, and of results in twice float64's precision:
// (hi + lo) 2^exponent.
struct PreciseBlock {
  alignas(64) double x[kBlock];
  alignas(64) double x_lo[kBlock];
  alignas(64) double hi[kBlock];
  alignas(64) double lo[kBlock];
  alignas(64) double exponent[kBlock];
};

// Computes the first `count` elements of the block (and may compute those up to the next multiple
// of 16). Relative error 2^-95. hi is NaN where that can't be had: for NaN, for some infinite x,
// next to roots and outside float64's exponents.
using PreciseKernel = void (*)(const double* parameters, PreciseBlock& block, size_t count);

// Elements that a fast kernel computes side by side, at most.
inline constexpr size_t kMaxGroup = 64;

// Computes again the elements i of a group (`operands` point at its first) whose bit in `lanes` is
// set, since float64 arithmetic could not decide them.
struct Refiner {
  void (*refine)(const void* context, const Operands& operands, uint64_t lanes);
  const void* context;
};

// float32 to float32, correctly rounded: float64 arithmetic, the rounding test, `refiner` for the
// rest.
using FastKernel = void (*)(const double* parameters, const Operands& operands, size_t count,
                            const Refiner& refiner);

// Computes again the elements at these places, at most kBlock of them.
struct PlacesRefiner {
  void (*refine)(const void* context, const Operands& operands, std::span<const size_t> places);
  const void* context;
};

// float64 to float64, correctly rounded unless DoubleDouble can't decide: pairs of float64 with
// an error of 2^-63, the rounding test, `refiner` for the rest. Parameters must be ordinary; there
// is no bias, and no upstream for a value.
using Float64Kernel = void (*)(const double* parameters, const Operands& operands, size_t count,
                               const PlacesRefiner& refiner);

// Whether float64 kernels take such a parameter: their results can't underflow to 0 for ordinary x.
constexpr bool IsOrdinary(double parameter) {
  const double size = parameter < 0 ? -parameter : parameter;
  return size == 0 || (size >= 0x1p-400 && size <= 0x1p400);
}

// For the instruction set in use: [activation][row]; fast kernels for f and f' only. Entries that
// the activation does not have are null.
std::span<const PreciseKernel[kRows]> PreciseKernels();
std::span<const FastKernel[kFirstParameterRow]> FastKernels();
std::span<const Float64Kernel[kFirstParameterRow]> Float64Kernels();

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_KERNELS_H_
