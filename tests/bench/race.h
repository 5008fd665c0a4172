// Timing competitors against each other on a machine that others use as well.
//
// One iteration of a Google Benchmark is a round: every competitor in turn, so that what disturbs
// one disturbs all. What counts is a statistic over the rounds.
#ifndef ACTIVATION_TESTS_BENCH_RACE_H_
#define ACTIVATION_TESTS_BENCH_RACE_H_

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace activation::bench {

struct Competitor {
  std::string name;
  std::function<void()> run;
};

enum class Measure {
  // Median of the CPU time of the process: excludes the times when others have the core, includes
  // threads that a library might start.
  kMedianCpu,
  // Minimum of the time on the wall, for what runs on several threads.
  kMinimumWall,
};

struct Size {
  size_t elements;
  // Calls that are timed together: as many as make about 2^20 elements, some 0.3 ms.
  int calls;
  int rounds;
};
inline constexpr Size kSizes[] = {
    {1 << 12, 256, 51}, {1 << 16, 16, 51}, {1 << 20, 1, 51}, {1 << 26, 1, 9}};
inline constexpr Size kUsualSize = kSizes[1];

inline double SecondsOn(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Runs all rounds, after one that is not timed; leaves the nanoseconds per element of each
// competitor in the counter of its name.
inline void Race(benchmark::State& state, const Size& size, Measure measure,
                 const std::vector<Competitor>& competitors) {
  const clockid_t clock =
      measure == Measure::kMedianCpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<std::vector<double>> seconds(competitors.size());
  for (const Competitor& competitor : competitors) competitor.run();
  for (auto _ : state) {
    for (size_t i = 0; i < competitors.size(); ++i) {
      const double begin = SecondsOn(clock);
      for (int call = 0; call < size.calls; ++call) {
        competitors[i].run();
        benchmark::ClobberMemory();
      }
      seconds[i].push_back(SecondsOn(clock) - begin);
    }
    state.SetIterationTime(seconds[0].back());
  }
  const double elements = static_cast<double>(size.elements) * size.calls;
  for (size_t i = 0; i < competitors.size(); ++i) {
    const auto best = measure == Measure::kMedianCpu
                          ? seconds[i].begin() + static_cast<ptrdiff_t>(seconds[i].size() / 2)
                          : seconds[i].begin();
    std::nth_element(seconds[i].begin(), best, seconds[i].end());
    state.counters[competitors[i].name] = *best / elements * 1e9;
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
