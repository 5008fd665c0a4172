// softmax and log_softmax and their derivatives, over packed rows: promises in rows.h.
#ifndef ACTIVATION_SERVER_ENGINE_SOFTMAX_H_
#define ACTIVATION_SERVER_ENGINE_SOFTMAX_H_

#include <cstddef>

#include "server/engine/softmax_operation.h"

namespace activation::engine {

void RunSoftmax(const SoftmaxOperation& operation, const std::byte* input,
                const std::byte* upstream, std::byte* output, size_t rows, size_t length);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SOFTMAX_H_
