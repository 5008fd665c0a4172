#include "tests/bench/slow_path.h"

#include <bit>

#include "server/engine/kernels_fast.h"
#include "tests/bench/tensors.h"

namespace activation::bench {

double SlowPathShare(const engine::Function& function, engine::Quantity quantity) {
  constexpr size_t kCount = 1 << 20;
  static Tensor& input = *new Tensor(MakeInput(DataType::kFloat32, kCount));
  static Tensor& output = *new Tensor(DataType::kFloat32, kCount);
  const int row = quantity == engine::Quantity::kValue ? engine::kValueRow : engine::kDerivativeRow;
  static size_t refined;
  refined = 0;
  engine::FastKernels()[engine::IndexOf(*function.spec)][row](
      function.parameters.data(), {.input = input.bytes(), .output = output.bytes()}, kCount,
      {.refine = [](const void*, const engine::Operands&,
                    uint64_t lanes) { refined += static_cast<size_t>(std::popcount(lanes)); },
       .context = nullptr});
  return static_cast<double>(refined) / kCount;
}

}  // namespace activation::bench
