// The peers' functions by SLEEF's vectors of float32, in the way that one writes them who cares for
// accuracy: the library's best variants, and forms that do not cancel.
#ifndef ACTIVATION_TESTS_BENCH_SLEEF_H_
#define ACTIVATION_TESTS_BENCH_SLEEF_H_

#include <cstddef>

namespace activation::bench {

// output[i] = f(input[i]) or upstream[i] * f'(input[i]); count is a multiple of 16.
using SleefKernel = void (*)(const float* input, const float* upstream, float* output,
                             size_t count);

struct SleefFunction {
  const char* name;
  SleefKernel value;
  SleefKernel derivative;
};

// By the catalogue's name; null if there is none. On machines that have the instruction set only.
const SleefFunction* FindSleefAvx2(const char* name);
const SleefFunction* FindSleefAvx512(const char* name);

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_SLEEF_H_
