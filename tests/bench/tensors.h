// What the benchmarks compute on: memory that has been touched, with inputs that are always the
// same.
#ifndef ACTIVATION_TESTS_BENCH_TENSORS_H_
#define ACTIVATION_TESTS_BENCH_TENSORS_H_

#include <cstddef>
#include <memory>

#include "proto/element_type.h"
#include "server/engine/engine.h"

namespace activation::bench {

// Zeroed, so that its pages are there; aligned to a cache line, as the libraries' own tensors are.
class Tensor {
 public:
  Tensor(DataType type, size_t count);

  std::byte* bytes() { return data_.get(); }
  // The elements of a float32 tensor.
  float* floats() { return reinterpret_cast<float*>(data_.get()); }
  size_t size_in_bytes() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  size_t size_;
  std::unique_ptr<std::byte, Free> data_;
};

// Normally distributed elements of mean 0: the first 2^20 of one sequence (std::mt19937_64 with
// this seed), over and over. None of them is subnormal.
inline constexpr unsigned kInputSeed = 1;
inline constexpr unsigned kUpstreamSeed = 2;
// Standard deviations: of inputs, so that tails are computed as well; of upstream gradients.
inline constexpr double kInputDeviation = 3;
inline constexpr double kUpstreamDeviation = 1;
Tensor MakeNormal(DataType type, size_t count, unsigned seed, double deviation);
// The two of them.
Tensor MakeInput(DataType type, size_t count);
Tensor MakeUpstream(DataType type, size_t count);

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_TENSORS_H_
