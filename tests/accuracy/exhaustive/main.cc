// Proves the engine's correct rounding for one activation, one quantity at a time; see --help.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/accuracy/exhaustive/chunks.h"
#include "tests/accuracy/exhaustive/proof.h"
#include "tests/accuracy/exhaustive/results.h"
#include "tests/accuracy/targets.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

constexpr int kWrong = 1;
constexpr int kUsage = 2;
constexpr int kStopped = 3;

constexpr char kDescription[] =
    "Checks the engine's results against the exact function, whose formula the catalogue has, in\n"
    "interval and ball arithmetic. Exit status: 0 if all are right, 1 if some are wrong (the first "
    "few\nare printed), 2 for wrong arguments, 3 if stopped by Ctrl-C or SIGTERM: the same command "
    "then goes on.";

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void StopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_requested = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

struct Options {
  std::string activation;
  std::vector<Quantity> quantities = {Quantity::kValue, Quantity::kDerivative};
  Mode mode = Mode::kAll;
  std::string target;
  uint64_t inputs = 0;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string resume;
  std::string results;
  Origin origin;
};

std::optional<int64_t> FindTarget(const std::string& name) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) return target;
  }
  return std::nullopt;
}

std::string CheckpointOf(const Options& options, const Job& job, const std::string& target) {
  if (!options.resume.empty()) return options.resume;
  std::string name = "activation-proof " + NameOf(job) + " " + target;
  std::replace(name.begin(), name.end(), ' ', '-');
  return std::filesystem::temp_directory_path() / name;
}

int Prove(const Options& options, const Job& job) {
  const std::string target = engine::SimdTarget();
  const auto work = MakeWork(job);
  if (!work.ok()) {
    std::fprintf(stderr, "%s\n", work.status().ToString().c_str());
    return kUsage;
  }
  const Outcome outcome = RunChunks(*work, {.threads = options.threads,
                                            .checkpoint = CheckpointOf(options, job, target),
                                            .stop = &stop_requested,
                                            .show_progress = true});
  const Tally& tally = outcome.tally;
  std::printf("%s %s%s: %llu inputs, %llu by the oracle, %llu wrong, %.0f s", work->name.c_str(),
              target.c_str(), outcome.resumed ? " (resumed)" : "",
              static_cast<unsigned long long>(tally.inputs),
              static_cast<unsigned long long>(tally.by_oracle),
              static_cast<unsigned long long>(tally.wrong), tally.seconds);
  if (job.mode == Mode::kFloat64) {
    std::printf(", at most %.3f ULP, at %s", tally.worst_ulp, tally.worst_place.c_str());
  }
  std::printf("%s\n", outcome.finished ? "" : "; stopped");
  for (const std::string& failure : tally.failures) std::printf("  %s\n", failure.c_str());
  std::fflush(stdout);
  if (!outcome.finished) return kStopped;
  if (!options.results.empty()) {
    const absl::Status status = Record(options.results, job, target, tally, options.origin);
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return kUsage;
    }
  }
  return tally.wrong == 0 ? 0 : kWrong;
}

// Options as they are typed.
struct Flags {
  std::string quantity = "both";
  std::string mode = "all";
  bool list = false;
};

const std::map<std::string, std::vector<Quantity>>& Quantities() {
  static const auto& quantities = *new std::map<std::string, std::vector<Quantity>>{
      {"value", {Quantity::kValue}},
      {"derivative", {Quantity::kDerivative}},
      {"both", {Quantity::kValue, Quantity::kDerivative}}};
  return quantities;
}

const std::map<std::string, Mode>& Modes() {
  static const auto& modes = *new std::map<std::string, Mode>{{"all", Mode::kAll},
                                                              {"sample", Mode::kSample},
                                                              {"parameters", Mode::kParameters},
                                                              {"float64", Mode::kFloat64}};
  return modes;
}

void AddOptions(CLI::App& app, Flags& flags, Options& options) {
  app.add_flag("--list", flags.list,
               "Print the names of all activations that the mode is for, and stop");
  app.add_option("--activation", options.activation, "Canonical name or alias");
  app.add_option("--quantity", flags.quantity, "value, derivative or both")
      ->check(CLI::IsMember(Quantities()))
      ->capture_default_str();
  app.add_option(
         "--mode", flags.mode,
         "all: every float32. sample: every 61st, and all within 2^16 of where the function "
         "changes. parameters: random ones and inputs. float64: the error in ULP")
      ->check(CLI::IsMember(Modes()))
      ->capture_default_str();
  app.add_option("--inputs", options.inputs,
                 "At least so many random ones; 10^7 for parameters and 10^6 for float64 if 0")
      ->capture_default_str();
  app.add_option("--target", options.target, "Instruction set, by Highway's name; else the best");
  app.add_option("--threads", options.threads, "Threads to work with")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option(
      "--resume", options.resume,
      "Where to keep what has been done, and go on from (for one quantity); else a file in "
      "the temporary directory");
  app.add_option("--results", options.results, "File to record the result in");
  app.add_option("--revision", options.origin.revision, "For the record: of the project")
      ->capture_default_str();
  app.add_option("--machine", options.origin.machine, "For the record: the CPU's model")
      ->capture_default_str();
  app.add_option("--sources", options.origin.sources, "For the record: a hash of the engine's")
      ->capture_default_str();
}

void ListActivations(Mode mode) {
  for (const engine::Spec* spec : engine::Catalogue()) {
    if (mode != Mode::kParameters || !spec->parameters.empty()) std::printf("%s\n", spec->name);
  }
}

// Holds the engine at the instruction set of that name; false, with a message, where there is none.
bool Choose(const std::string& name, std::optional<ScopedTarget>& scope) {
  const std::optional<int64_t> target = FindTarget(name);
  if (target) {
    scope.emplace(*target);
    return true;
  }
  std::fprintf(stderr, "--target: this machine has");
  for (const int64_t each : hwy::SupportedAndGeneratedTargets()) {
    std::fprintf(stderr, " %s", hwy::TargetName(each));
  }
  std::fprintf(stderr, "\n");
  return false;
}

int ProveEach(const Options& options, const engine::Spec& spec) {
  int status = 0;
  for (const Quantity each : options.quantities) {
    const int result = Prove(
        options, {.spec = &spec, .quantity = each, .mode = options.mode, .inputs = options.inputs});
    status = std::max(status, result);
    if (result == kStopped) break;
  }
  return status;
}

int Main(int argc, char** argv) {
  Options options;
  Flags flags;
  CLI::App app(kDescription);
  AddOptions(app, flags, options);
  CLI11_PARSE(app, argc, argv);
  options.quantities = Quantities().at(flags.quantity);
  options.mode = Modes().at(flags.mode);
  if (flags.list) {
    ListActivations(options.mode);
    return 0;
  }
  const engine::Spec* spec = engine::Find(options.activation);
  if (spec == nullptr) {
    std::fprintf(stderr, "--activation: unknown \"%s\"; see --list\n", options.activation.c_str());
    return kUsage;
  }
  if (options.inputs == 0) {
    options.inputs = options.mode == Mode::kFloat64 ? kFloat64Inputs : kParameterInputs;
  }
  std::optional<ScopedTarget> scope;
  if (!options.target.empty() && !Choose(options.target, scope)) return kUsage;
  StopOnSignals();
  return ProveEach(options, *spec);
}

}  // namespace
}  // namespace activation::accuracy

int main(int argc, char** argv) { return activation::accuracy::Main(argc, argv); }
