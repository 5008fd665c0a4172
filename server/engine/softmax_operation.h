// What softmax's parts are asked for.
#ifndef ACTIVATION_SERVER_ENGINE_SOFTMAX_OPERATION_H_
#define ACTIVATION_SERVER_ENGINE_SOFTMAX_OPERATION_H_

#include "server/engine/operation.h"

namespace activation::engine {

struct SoftmaxOperation {
  bool is_log;  // log_softmax
  Quantity quantity;
  DataType input_type;
  DataType output_type;

  bool IsDerivative() const { return quantity == Quantity::kDerivative; }
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SOFTMAX_OPERATION_H_
