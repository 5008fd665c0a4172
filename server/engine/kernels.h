// What the tables of kernels have in common: their rows, and the blocks that they are called for.
// The tables themselves, of plain function pointers, one per instruction set, chosen at run time,
// are those of kernels_fast.h, kernels_float64.h and kernels_precise.h.
#ifndef ACTIVATION_SERVER_ENGINE_KERNELS_H_
#define ACTIVATION_SERVER_ENGINE_KERNELS_H_

#include <cstddef>

#include "server/engine/spec.h"

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

// Elements that a kernel computes side by side, at most.
inline constexpr size_t kMaxGroup = 64;

// A block of arguments x + x_lo, |x_lo| <= ulp(x)/2, and of results in twice float64's precision:
// (hi + lo) 2^exponent.
struct PreciseBlock {
  alignas(64) double x[kBlock];
  alignas(64) double x_lo[kBlock];
  alignas(64) double hi[kBlock];
  alignas(64) double lo[kBlock];
  alignas(64) double exponent[kBlock];
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_KERNELS_H_
