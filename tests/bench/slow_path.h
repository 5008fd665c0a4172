// What the engine's speed hangs on beside its arithmetic: how often that can't decide.
#ifndef ACTIVATION_TESTS_BENCH_SLOW_PATH_H_
#define ACTIVATION_TESTS_BENCH_SLOW_PATH_H_

#include "server/engine/engine.h"

namespace activation::bench {

// The share of 2^20 inputs (MakeInput) that float64 arithmetic leaves to slower number types, from
// float32 to float32.
double SlowPathShare(const engine::Function& function, engine::Quantity quantity);

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_SLOW_PATH_H_
