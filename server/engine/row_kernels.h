// Vector code for row functions, on the instruction set in use, over blocks of numbers.
#ifndef ACTIVATION_SERVER_ENGINE_ROW_KERNELS_H_
#define ACTIVATION_SERVER_ENGINE_ROW_KERNELS_H_

#include <cstddef>

#include "server/engine/kernels.h"

namespace activation::engine {

// Beyond 2^-kLeastExponent e^z is given with this exponent: smaller than any result that is not 0.
inline constexpr double kLeastExponent = -3200;

// e^(hi + lo) for the block's first `count`, in hi, lo and exponent: relative error 2^-99. hi is in
// (1/2, 2). 1 for 0, exactly. What hi = -infinity gives is open.
void ExpBlock(PreciseBlock& block, size_t count);

// log(1 + hi + lo) for hi + lo in [-2^-53, 1], in hi and lo: relative error 2^-94.5.
void Log1pBlock(PreciseBlock& block, size_t count);

// The largest of count > 0 elements; NaN if NaN or +infinity is among them.
double LargestOf(const double* x, size_t count);

// powers[i] = e^(x[i] - largest), at least e^-708: relative error (2 + |x[i] - largest|) 2^-52.
// Returns their sum, of which any term has had at most kBlock + 1 additions. count <= kBlock.
double ExpAndSum(const double* x, double largest, double* powers, size_t count);

// Rounds both ends of intervals to float32: whether they are the same everywhere. output is packed
// elements at any alignment.
bool RoundToFloat32(const double* low, const double* high, std::byte* output, size_t count);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ROW_KERNELS_H_
