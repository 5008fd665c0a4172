// Inputs to test with: as bits of a data type, in an order that depends on nothing but the
// arguments.
#ifndef ACTIVATION_TESTS_ACCURACY_SAMPLES_H_
#define ACTIVATION_TESTS_ACCURACY_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {

// All 65,536 numbers of a 16-bit type, every `step`-th of them.
std::vector<uint64_t> Every16Bit(int step);

// In every `binade_step`-th binade, subnormal ones included, both signs: the first number, the
// second, the last, and `random` others; then zeros, smallest and largest subnormals and normals,
// infinities and NaNs.
std::vector<uint64_t> Binades(DataType type, int binade_step, int random);

// The numbers of the input type within 4 of each place where the correctly rounded result, found by
// bisection between neighbours of `inputs`, changes its kind: sign, zero, subnormal, infinite,
// equal to x, equal to
// 1. So of roots, of where a function underflows, of where it becomes x or flat. Also within 4 of
// each kink.
std::vector<uint64_t> Breakpoints(const oracle::Oracle& oracle, const engine::Operation& operation,
                                  const std::vector<uint64_t>& inputs);

// The numbers of the type within 4 of each kink.
std::vector<uint64_t> NearKinks(const oracle::Oracle& oracle, const engine::Function& function,
                                DataType type);

// Parameter values to test with, apart from the defaults: the ends of each range, and numbers of
// many kinds between. One parameter varies at a time. Empty where there are no parameters.
std::vector<engine::Function> OtherParameters(const engine::Spec& spec);

// Upstream factors: ordinary, odd, subnormal, huge, zero, infinite and NaN, as many as asked for.
std::vector<uint64_t> Upstreams(DataType type, size_t count);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_SAMPLES_H_
