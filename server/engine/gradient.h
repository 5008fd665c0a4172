// Gradients by a parameter or by the bias: sums over all elements, in twice float64's precision.
#ifndef ACTIVATION_SERVER_ENGINE_GRADIENT_H_
#define ACTIVATION_SERVER_ENGINE_GRADIENT_H_

#include <cstddef>

#include "server/engine/operation.h"

namespace activation::engine {

// A sum in twice float64's precision: of terms of that precision, right to 1 ULP of float64 for
// 10^7 of them and more, unless they cancel to below 2^-40 of their size.
struct PreciseSum {
  double hi = 0;
  double lo = 0;

  void Add(const PreciseSum& term);
  double Total() const { return hi; }
};

// What a gradient is for: the i-th of Spec::parameters, or the bias.
inline constexpr int kBias = -1;

// Adds upstream[i] * df/dp(input[i] + bias[i]), or upstream[i] * f'(input[i] + bias[i]) for kBias,
// to sum, over all i < count. operands.output is not used.
void AddGradient(const Function& function, int what, DataType input_type, const Operands& operands,
                 size_t count, PreciseSum& sum);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_GRADIENT_H_
