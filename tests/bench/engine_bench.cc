// Times the engine beside oneDNN, SLEEF and memcpy, all on one thread of one process; see --help
// for the options, Google Benchmark's among them (--benchmark_filter, --benchmark_out=FILE).
//
// Exit status 1 where a peer did not compute the function that we did.
#include <benchmark/benchmark.h>
#include <omp.h>
#include <stdlib.h>  // getloadavg

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/bench/cases.h"
#include "tests/bench/report.h"
#include "tests/bench/simd.h"
#include "tests/bench/tensors.h"

namespace activation::bench {
namespace {

// The model of this machine, as /proc/cpuinfo has it.
std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// Processes that want a core, on average over the last minute.
std::string Load() {
  double load[1];
  std::ostringstream text;
  text.precision(2);
  if (getloadavg(load, 1) == 1) text << load[0];
  return text.str();
}

std::string ToDocument(const std::string& command, const std::string& load_before,
                       const std::string& left_out, const Reporter& reporter) {
  std::ostringstream text;
  text << "<!-- Generated: " << command << " -->\n# Benchmarks of the engine\n\n"
       << "Nanoseconds per element on one thread, the smallest CPU time of the process over rounds "
          "in "
          "which all competitors take turns\n"
          "(with threads: time on the wall). Inputs are normally distributed, "
          "deviation "
       << kInputDeviation << ", seed " << kInputSeed
       << "; derivatives beside\npeers are times an upstream gradient of deviation "
       << kUpstreamDeviation << ". A difference is the largest |theirs - ours|.\n\n"
       << CpuModel() << ", " << DescribeSimd() << "; load " << load_before << " before, " << Load()
       << " after.\n"
       << left_out << ToMarkdown(reporter.runs());
  return text.str();
}

// Google Benchmark takes --help for itself.
void PrintHelp() {
  std::cout
      << "engine_bench [--simd=AVX2|AVX3|...]  hold all to this instruction set of Highway's\n"
         "             [--markdown=FILE]       write the tables to this file, too\n"
         "             [--ours]                time the engine alone, to be timed beside other "
         "programs\n";
  benchmark::PrintDefaultHelp();
}

int Main(int argc, char** argv) {
  std::string command = "engine_bench";
  for (int i = 1; i < argc; ++i) command += std::string(" ") + argv[i];
  benchmark::Initialize(&argc, argv, PrintHelp);

  CLI::App app;
  std::string simd, markdown;
  bool ours = false;
  app.add_option("--simd", simd);
  app.add_option("--markdown", markdown);
  app.add_flag("--ours", ours);
  CLI11_PARSE(app, argc, argv);

  omp_set_num_threads(1);  // oneDNN's
  if (const std::string error = UseSimd(simd); !error.empty()) {
    std::cerr << "engine_bench: " << error << "\n";
    return 2;
  }
  if (ours) {
    RegisterOwnCases();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }

  const std::string left_out = RegisterPeerCases();
  RegisterTypeCases();
  RegisterThreadCases();
  const std::string load_before = Load();
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const std::string document = ToDocument(command, load_before, left_out, reporter);
  std::cout << document;
  if (!markdown.empty() && !(std::ofstream(markdown) << document)) {
    std::cerr << "engine_bench: cannot write " << markdown << "\n";
    return 2;
  }
  return reporter.failed() ? 1 : 0;
}

}  // namespace
}  // namespace activation::bench

int main(int argc, char** argv) { return activation::bench::Main(argc, argv); }
