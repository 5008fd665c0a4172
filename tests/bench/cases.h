// The benchmarks, by group. Their names are paths: group/quantity/elements/function, in the last
// group with the type before the quantity. A counter holds nanoseconds per element.
#ifndef ACTIVATION_TESTS_BENCH_CASES_H_
#define ACTIVATION_TESTS_BENCH_CASES_H_

#include <string>

#include "server/engine/engine.h"

namespace activation::bench {

inline constexpr const char* kOurs = "ours";

// Counters of RegisterPeerCases: the largest difference between a peer's results and ours.
inline constexpr const char* kDifferencePrefix = "difference ";

// Counter of float32 cases: SlowPathShare, which is no time.
inline constexpr const char* kSlowPath = "slow path";

inline const char* NameOf(engine::Quantity quantity) {
  return quantity == engine::Quantity::kValue ? "value" : "derivative";
}
// "peers", float32: the engine, oneDNN, SLEEF and memcpy in turn. A benchmark fails where a
// peer computes another function than we do. Returns a line for each function that is left out.
std::string RegisterPeerCases();

// "float32", "float64", "float16", "bfloat16": values and derivatives of the whole catalogue, at
// 65,536 elements.
void RegisterTypeCases();

// "threads": the way from a plan to its results as the server goes it, with one thread and two.
void RegisterThreadCases();

// "ours", in place of all those: ours/type/quantity/elements/function for float32 and float64 and
// all sizes, to be timed beside another program.
void RegisterOwnCases();

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_CASES_H_
