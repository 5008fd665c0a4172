// softmax and log_softmax in float64 arithmetic with a rounding test, for outputs of at most 24
// bits.
#ifndef ACTIVATION_SERVER_ENGINE_FAST_SOFTMAX_H_
#define ACTIVATION_SERVER_ENGINE_FAST_SOFTMAX_H_

#include <cstddef>

#include "server/engine/softmax_operation.h"

namespace activation::engine {

// One row's values, correctly rounded; false, the output then open, if some could not be decided,
// or the row is not for this path: FLOAT64 output, NaN, +infinity or nothing but -infinity in it.
bool RunFastSoftmax(const SoftmaxOperation& operation, const std::byte* input, std::byte* output,
                    size_t length);

// The same for one row's derivatives, of which there are other cases that are not for this path:
// FLOAT64 input, upstreams that are not finite, a row where all but one element count for nothing.
bool RunFastSoftmaxSlope(const SoftmaxOperation& operation, const std::byte* input,
                         const std::byte* upstream, std::byte* output, size_t length);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_FAST_SOFTMAX_H_
