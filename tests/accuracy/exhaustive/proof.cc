#include "tests/accuracy/exhaustive/proof.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "proto/element_type.h"
#include "tests/accuracy/exhaustive/filter.h"
#include "tests/accuracy/exhaustive/inputs.h"
#include "tests/support/format.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {
namespace {

using engine::Function;
using engine::Operation;
using engine::Quantity;
using oracle::Oracle;

constexpr uint64_t kAllFloats = uint64_t{1} << 32;
constexpr uint64_t kChunk = uint64_t{1} << 20;
// What the engine gets at a time; its input and output stay in the L2 cache.
constexpr uint64_t kBatch = uint64_t{1} << 16;
constexpr uint64_t kSampleStep = 61;
constexpr int64_t kSampleReach = int64_t{1} << 16;
constexpr uint64_t kInputsPerParameters = 1024;
constexpr uint64_t kParametersPerChunk = 8;
constexpr uint64_t kFloat64Chunk = 1024;
// Beyond what the engine aims at, so that the measured ULPs are right to 3 decimals and more.
constexpr slong kEnclosureBits = 80;
constexpr double kMaxUlp = 1;
constexpr uint64_t kSeed = 20'160'627;

// A fresh start for each chunk, so that chunks can be done in any order.
Generator GeneratorOf(uint64_t chunk) {
  std::seed_seq seed{kSeed, chunk};
  return Generator(seed);
}

struct Context {
  Job job;
  Oracle oracle;

  int what() const {
    return job.quantity == Quantity::kValue ? oracle::kValue : oracle::kDerivative;
  }
};
using SharedContext = std::shared_ptr<const Context>;

std::string Describe(const Function& function) {
  std::string result;
  for (size_t i = 0; i < function.spec->parameters.size(); ++i) {
    absl::StrAppendFormat(&result, " %s=%a", function.spec->parameters[i].name,
                          function.parameters[i]);
  }
  return result;
}

// Where the result is exactly 0 though x is not, the engine may choose the zero's sign (see
// SignIsFree in ../checks.cc).
bool SignIsFree(const Context& context, const Function& function, double x) {
  if (x == 0) return false;
  if (std::isinf(x)) x = std::copysign(std::numeric_limits<double>::max(), x);
  return context.oracle.IsExactlyZero(context.what(), x, function.parameters, std::nullopt);
}

// Asks the oracle about one result; describes it if it is wrong.
void AskOracle(const Context& context, const Function& function, float x, float y, Tally& tally) {
  ++tally.by_oracle;
  const auto right =
      context.oracle.Round(DataType::kFloat32, context.what(), x, function.parameters);
  const uint32_t got = std::bit_cast<uint32_t>(y);
  if (right == got) return;
  const bool zeros = right && y == 0 && oracle::Decode(DataType::kFloat32, *right) == 0;
  if (zeros && SignIsFree(context, function, x)) return;
  ++tally.wrong;
  if (tally.failures.size() >= kDescribedFailures) return;
  const auto text = [](uint64_t bits) { return oracle::Describe(DataType::kFloat32, bits); };
  tally.failures.push_back(absl::StrFormat(
      "at %s%s: %s, should be %s", text(std::bit_cast<uint32_t>(x)), Describe(function), text(got),
      right ? text(*right) : "decided, but the oracle cannot"));
}

// One thread's means of checking float32 results.
class Checker {
 public:
  Checker(SharedContext context, Filter filter)
      : context_(std::move(context)),
        filter_(std::move(filter)),
        operation_{engine::WithDefaults(*context_->job.spec), context_->job.quantity} {}

  void SetParameters(const Function& function) {
    operation_.function = function;
    filter_.SetParameters(function);
  }

  void Check(std::span<const float> x, bool consecutive, Tally& tally) {
    y_.resize(x.size());
    engine::Run(operation_,
                {.input = reinterpret_cast<const std::byte*>(x.data()),
                 .output = reinterpret_cast<std::byte*>(y_.data())},
                x.size());
    if (context_->job.tamper) context_->job.tamper(x, y_);
    if (consecutive) {
      filter_.CheckConsecutive(x, y_, undecided_);
    } else {
      filter_.Check(x, y_, undecided_);
    }
    for (const size_t i : undecided_) AskOracle(*context_, operation_.function, x[i], y_[i], tally);
    tally.inputs += x.size();
  }

 private:
  SharedContext context_;
  Filter filter_;
  Operation operation_;
  std::vector<float> y_;
  std::vector<size_t> undecided_;
};

std::shared_ptr<Checker> MakeChecker(const SharedContext& context) {
  // MakeWork has seen that it parses.
  auto filter = Filter::Make(engine::WithDefaults(*context->job.spec), context->job.quantity);
  return std::make_shared<Checker>(context, *std::move(filter));
}

// count floats from `first` on; in order of their bits or of their places.
void CheckBits(Checker& checker, uint64_t first, uint64_t count, uint64_t step, Tally& tally) {
  std::vector<float> x;
  for (uint64_t i = 0; i < count; i += kBatch) {
    x.resize(std::min(kBatch, count - i));
    for (size_t j = 0; j < x.size(); ++j) {
      x[j] = std::bit_cast<float>(static_cast<uint32_t>(first + (i + j) * step));
    }
    checker.Check(x, step == 1, tally);
  }
}

Work::Worker WorkerForAll(const SharedContext& context) {
  return [checker = MakeChecker(context)](uint64_t chunk) {
    Tally tally;
    CheckBits(*checker, chunk * kChunk, kChunk, 1, tally);
    return tally;
  };
}

struct Window {
  int64_t first;
  int64_t last;
};

// Everything within kSampleReach of the places, as separate intervals of places.
std::vector<Window> WindowsAround(std::span<const int64_t> places) {
  const auto infinity = int64_t{std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity())};
  std::vector<Window> windows;
  for (const int64_t place : places) {
    const int64_t first = std::max(place - kSampleReach, -1 - infinity);
    const int64_t last = std::min(place + kSampleReach, infinity);
    if (windows.empty() || windows.back().last < first) {
      windows.push_back({first, last});
    } else {
      windows.back().last = last;
    }
  }
  return windows;
}

Work WorkOfSample(const SharedContext& context) {
  constexpr uint64_t kSamples = (kAllFloats + kSampleStep - 1) / kSampleStep;
  constexpr uint64_t kSampleChunks = (kSamples + kChunk - 1) / kChunk;
  const Operation operation{engine::WithDefaults(*context->job.spec), context->job.quantity};
  const auto windows = std::make_shared<const std::vector<Window>>(
      WindowsAround(PlacesOfChange(context->oracle, operation)));
  return {NameOf(context->job), kSampleChunks + windows->size(), [=] {
            return [windows, checker = MakeChecker(context)](uint64_t chunk) {
              Tally tally;
              if (chunk < kSampleChunks) {
                const uint64_t first = chunk * kChunk;
                CheckBits(*checker, first * kSampleStep, std::min(kChunk, kSamples - first),
                          kSampleStep, tally);
                return tally;
              }
              std::vector<float> x;
              const Window& window = (*windows)[chunk - kSampleChunks];
              for (int64_t place = window.first; place <= window.last; ++place) {
                x.push_back(std::bit_cast<float>(
                    static_cast<uint32_t>(AtPlace(DataType::kFloat32, place))));
              }
              checker->Check(x, false, tally);
              return tally;
            };
          }};
}

Work::Worker WorkerForParameters(const SharedContext& context) {
  return [context, checker = MakeChecker(context)](uint64_t chunk) {
    Tally tally;
    Generator generator = GeneratorOf(chunk);
    std::vector<float> x(kInputsPerParameters);
    for (uint64_t i = 0; i < kParametersPerChunk; ++i) {
      const Function function = RandomParameters(*context->job.spec, generator);
      RandomInputs(function, context->oracle.Kinks(function.parameters), generator, x);
      checker->SetParameters(function);
      checker->Check(x, false, tally);
    }
    return tally;
  };
}

// The error of a FLOAT64 result in ULP, or infinity for one that is wrong in kind.
double ErrorOf(const Context& context, const Function& function, double x, double y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(x) || !std::isfinite(y) || y == 0) {
    const auto right =
        context.oracle.Round(DataType::kFloat64, context.what(), x, function.parameters);
    if (!right) return kInfinity;
    if (std::bit_cast<uint64_t>(y) == *right) return 0;
    const double rounded = oracle::Decode(DataType::kFloat64, *right);
    if (!std::isfinite(rounded) || !std::isfinite(y)) return kInfinity;
    if (rounded == 0 && SignIsFree(context, function, x)) return 0;
    if (std::signbit(rounded) != std::signbit(y)) return kInfinity;
  }
  return oracle::UlpError(
      y, context.oracle.Enclose(context.what(), x, function.parameters, 1, kEnclosureBits));
}

Tally CheckFloat64(const Context& context, std::span<const int64_t> places, uint64_t chunk) {
  Generator generator = GeneratorOf(chunk);
  std::vector<double> x(kFloat64Chunk), y(kFloat64Chunk);
  RandomInputs(places, generator, x);
  const Operation operation{engine::WithDefaults(*context.job.spec), context.job.quantity,
                            DataType::kFloat64, DataType::kFloat64};
  engine::Run(operation,
              {.input = reinterpret_cast<const std::byte*>(x.data()),
               .output = reinterpret_cast<std::byte*>(y.data())},
              x.size());
  Tally tally;
  tally.inputs = tally.by_oracle = x.size();
  for (size_t i = 0; i < x.size(); ++i) {
    const double ulp = ErrorOf(context, operation.function, x[i], y[i]);
    if (ulp > tally.worst_ulp) {
      tally.worst_ulp = ulp;
      tally.worst_place = absl::StrFormat("%a", x[i]);
    }
    if (ulp <= kMaxUlp) continue;
    ++tally.wrong;
    if (tally.failures.size() >= kDescribedFailures) continue;
    const auto text = [](double number) {
      return oracle::Describe(DataType::kFloat64, std::bit_cast<uint64_t>(number));
    };
    tally.failures.push_back(
        absl::StrFormat("at %s: %s, off by %.3f ULP", text(x[i]), text(y[i]), ulp));
  }
  return tally;
}

Work WorkOfFloat64(const SharedContext& context) {
  auto places = std::make_shared<std::vector<int64_t>>();
  // Both: roots of the derivative are where it changes its sign.
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    const auto more =
        PlacesOfChange(context->oracle, {engine::WithDefaults(*context->job.spec), quantity,
                                         DataType::kFloat64, DataType::kFloat64});
    places->insert(places->end(), more.begin(), more.end());
  }
  const uint64_t chunks = (context->job.inputs + kFloat64Chunk - 1) / kFloat64Chunk;
  return {NameOf(context->job), chunks, [=]() -> Work::Worker {
            return [=](uint64_t chunk) { return CheckFloat64(*context, *places, chunk); };
          }};
}

}  // namespace

const char* NameOf(Mode mode) {
  constexpr const char* kNames[] = {"all", "sample", "parameters", "float64"};
  return kNames[static_cast<int>(mode)];
}

std::string NameOf(const Job& job) {
  return absl::StrFormat("%s %s %s", job.spec->name,
                         job.quantity == Quantity::kValue ? "value" : "derivative",
                         NameOf(job.mode));
}

absl::StatusOr<Work> MakeWork(const Job& job) {
  auto oracle = Oracle::Make(*job.spec);
  if (!oracle.ok()) return oracle.status();
  const auto filter = Filter::Make(engine::WithDefaults(*job.spec), job.quantity);
  if (!filter.ok()) return filter.status();
  const auto context = std::make_shared<const Context>(Context{job, *std::move(oracle)});
  switch (job.mode) {
    case Mode::kAll:
      return Work{NameOf(job), kAllFloats / kChunk, [=] { return WorkerForAll(context); }};
    case Mode::kSample:
      return WorkOfSample(context);
    case Mode::kParameters: {
      if (job.spec->parameters.empty()) {
        return absl::InvalidArgumentError(std::string(job.spec->name) + " has no parameters");
      }
      constexpr uint64_t kChunkInputs = kInputsPerParameters * kParametersPerChunk;
      return Work{NameOf(job), (job.inputs + kChunkInputs - 1) / kChunkInputs,
                  [=] { return WorkerForParameters(context); }};
    }
    case Mode::kFloat64:
      return WorkOfFloat64(context);
  }
  return absl::InternalError("no such mode");
}

}  // namespace activation::accuracy
