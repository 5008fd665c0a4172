#include "server/engine/softmax.h"

#include <algorithm>

#include "server/engine/fast_softmax.h"
#include "server/engine/precise_softmax.h"

namespace activation::engine {

void RunSoftmax(const SoftmaxOperation& operation, const std::byte* input,
                const std::byte* upstream, std::byte* output, size_t rows, size_t length) {
  PreciseSoftmax precise(operation, length);
  const size_t in_stride = length * SizeOf(operation.input_type);
  const size_t out_stride = length * SizeOf(operation.output_type);
  const auto run_precisely = [&](size_t row, size_t count) {
    precise.Run(input + row * in_stride, upstream == nullptr ? nullptr : upstream + row * in_stride,
                output + row * out_stride, count);
  };
  const auto run_fast = [&](size_t row) {
    const std::byte* const x = input + row * in_stride;
    std::byte* const y = output + row * out_stride;
    return operation.IsDerivative()
               ? RunFastSoftmaxSlope(operation, x, upstream + row * in_stride, y, length)
               : RunFastSoftmax(operation, x, y, length);
  };
  const bool has_fast_path = length > 1 && operation.output_type != DataType::kFloat64;
  for (size_t row = 0; has_fast_path && row < rows; ++row) {
    if (!run_fast(row)) run_precisely(row, 1);
  }
  for (size_t row = 0; !has_fast_path && row < rows; row += precise.MostRows()) {
    run_precisely(row, std::min(precise.MostRows(), rows - row));
  }
}

}  // namespace activation::engine
