// Timing competitors against each other on a machine that others use as well.
//
// One iteration of a Google Benchmark is a round: every competitor in turn, so that what disturbs
// one disturbs all. What counts is the minimum over the rounds: a busy neighbour of the core slows
// one competitor's code more than another's, so that only quiet moments compare.
#ifndef ACTIVATION_TESTS_BENCH_RACE_H_
#define ACTIVATION_TESTS_BENCH_RACE_H_

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace activation::bench {

struct Competitor {
  std::string name;
  std::function<void()> run;
};

// CPU time of the process: excludes the times when others have the core, includes threads that a
// library might start. For what is meant to run on several threads, CLOCK_MONOTONIC.
inline constexpr clockid_t kCpuClock = CLOCK_PROCESS_CPUTIME_ID;

struct Size {
  size_t elements;
  // Calls that are timed together: as many as make about 2^19 elements, some 0.2 ms.
  int calls;
  int rounds;
};
inline constexpr Size kSizes[] = {
    {1 << 12, 128, 101}, {1 << 16, 8, 101}, {1 << 20, 1, 51}, {1 << 26, 1, 9}};
inline constexpr Size kUsualSize = kSizes[1];

inline double SecondsOn(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Runs all rounds, after one that is not timed; leaves the nanoseconds per element of each
// competitor in the counter of its name.
inline void Race(benchmark::State& state, const Size& size, clockid_t clock,
                 const std::vector<Competitor>& competitors) {
  for (const Competitor& competitor : competitors) competitor.run();
  std::vector<double> fastest(competitors.size(), std::numeric_limits<double>::infinity());
  for (auto _ : state) {
    double round = 0;
    for (size_t i = 0; i < competitors.size(); ++i) {
      const double begin = SecondsOn(clock);
      for (int call = 0; call < size.calls; ++call) {
        competitors[i].run();
        benchmark::ClobberMemory();
      }
      const double seconds = SecondsOn(clock) - begin;
      fastest[i] = std::min(fastest[i], seconds);
      round += seconds;
    }
    state.SetIterationTime(round);
  }
  const double elements = static_cast<double>(size.elements) * size.calls;
  for (size_t i = 0; i < competitors.size(); ++i) {
    state.counters[competitors[i].name] = fastest[i] / elements * 1e9;
  }
}

// Registers a benchmark that is one Race.
template <class F>
void RegisterRace(const std::string& name, const Size& size, F run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(size.rounds)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_RACE_H_
