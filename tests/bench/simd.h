// Holding every competitor to the same instruction set.
#ifndef ACTIVATION_TESTS_BENCH_SIMD_H_
#define ACTIVATION_TESTS_BENCH_SIMD_H_

#include <string>

#include "tests/bench/sleef.h"

namespace activation::bench {

// Holds the engine to one of Highway's targets (its name: "AVX2", "AVX3", ...; empty: the
// machine's best), and oneDNN and SLEEF to the same instruction set. Before anything else of
// oneDNN is called. An error message where that can't be, otherwise empty.
std::string UseSimd(const std::string& target);

// The function for the instruction set in use.
const SleefFunction* FindSleef(const char* name);

// For the report: what each of them uses.
std::string DescribeSimd();

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_SIMD_H_
