// A function by oneDNN's eltwise primitive, float32, on tensors that stay where they are.
#ifndef ACTIVATION_TESTS_BENCH_ONEDNN_H_
#define ACTIVATION_TESTS_BENCH_ONEDNN_H_

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "server/engine/engine.h"

namespace activation::bench {

// An algorithm of oneDNN with its attributes (oneDNN gives those that it ignores as 0).
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

// The primitive is made (and its code generated) here, so that calls cost execution alone.
class OneDnn {
 public:
  // For kDerivative, output = upstream * f'(input). The arrays must outlive it.
  OneDnn(const Eltwise& eltwise, engine::Quantity quantity, float* input, float* upstream,
         float* output, size_t count);

  void Run();

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_ONEDNN_H_
