// The benchmarks' results as tables in Markdown.
#ifndef ACTIVATION_TESTS_BENCH_REPORT_H_
#define ACTIVATION_TESTS_BENCH_REPORT_H_

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace activation::bench {

// Google Benchmark's console output, that remembers what it printed.
class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override;

  const std::vector<Run>& runs() const { return runs_; }
  // Whether a benchmark was given up.
  bool failed() const { return failed_; }

 private:
  std::vector<Run> runs_;
  bool failed_ = false;
};

// The tables of all groups (cases.h) that have runs. Where peers ran beside us, with the ratios of
// our time to theirs and their geometric mean.
std::string ToMarkdown(const std::vector<benchmark::BenchmarkReporter::Run>& runs);

}  // namespace activation::bench

#endif  // ACTIVATION_TESTS_BENCH_REPORT_H_
