#include "tests/accuracy/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"
#include "proto/element_type.h"
#include "tests/accuracy/targets.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Operation;
using engine::Quantity;
using oracle::Decode;

// Failures of one operation on one target that are printed.
constexpr int kPrintedFailures = 4;
constexpr double kMaxUlpError = 1;

struct Worst {
  double ulp = 0;
  std::string where;
};

// The largest errors in FLOAT64, by function and quantity, printed when the program ends.
class WorstErrors : public testing::Environment {
 public:
  void Note(const std::string& name, double ulp, const std::string& where) {
    Worst& worst = worst_[name];
    if (ulp > worst.ulp) worst = {ulp, where};
  }

  void TearDown() override {
    for (const auto& [name, worst] : worst_) {
      std::printf("[ FLOAT64  ] %s: at most %.4f ULP, %s\n", name.c_str(), worst.ulp,
                  worst.where.c_str());
    }
  }

 private:
  std::map<std::string, Worst> worst_;
};

WorstErrors& TheWorstErrors() {
  // Owned by GoogleTest.
  static auto& errors =
      *static_cast<WorstErrors*>(testing::AddGlobalTestEnvironment(new WorstErrors));
  return errors;
}

int WhatOf(const Operation& operation) {
  return operation.quantity == Quantity::kValue ? oracle::kValue : oracle::kDerivative;
}

// Whether the engine may choose the sign of this zero: the result is exactly 0 although x is not,
// as in leaky_relu with slope 0. The types' rules fix the sign of every other zero.
bool SignIsFree(const Operation& operation, double x, std::optional<double> upstream) {
  if (x == 0) return false;
  const auto& parameters = operation.function.parameters;
  if (std::isinf(x)) x = std::copysign(std::numeric_limits<double>::max(), x);
  return OracleOf(*operation.function.spec)
      .IsExactlyZero(WhatOf(operation), x, parameters, upstream);
}

// Whether y is near enough to the truth, which rounds to `expected`.
bool IsRight(const Operation& operation, double x, std::optional<double> upstream, uint64_t y,
             uint64_t expected) {
  if (y == expected) return true;
  if (Decode(operation.output_type, y) == 0 && Decode(operation.output_type, expected) == 0) {
    return SignIsFree(operation, x, upstream);
  }
  if (operation.output_type != DataType::kFloat64 || !std::isfinite(x)) return false;
  const double got = Decode(DataType::kFloat64, y);
  const double right = Decode(DataType::kFloat64, expected);
  if (std::isnan(got) || std::isnan(right) || std::signbit(got) != std::signbit(right)) {
    return false;
  }
  const oracle::Ball truth =
      OracleOf(*operation.function.spec)
          .Enclose(WhatOf(operation), x, operation.function.parameters, upstream.value_or(1), 80);
  const double ulp = oracle::UlpError(got, truth);
  const std::string name = std::string(operation.function.spec->name) +
                           (operation.quantity == Quantity::kValue ? "" : "'");
  TheWorstErrors().Note(name, ulp, absl::StrFormat("%s at %a", Describe(operation), x));
  return ulp <= kMaxUlpError;
}

}  // namespace

std::vector<DataType> SmallTypes() {
  std::vector<DataType> types;
  for (const ElementType& type : kElementTypes) {
    if (type.bits <= 16) types.push_back(type.type);
  }
  return types;
}

std::vector<DataType> LargeTypes() {
  std::vector<DataType> types;
  for (const ElementType& type : kElementTypes) {
    if (type.bits > 16) types.push_back(type.type);
  }
  return types;
}

std::vector<Subject> Subjects(std::span<const DataType> types) {
  std::vector<Subject> result;
  for (const engine::Spec* spec : engine::Catalogue()) {
    for (const DataType type : types) result.push_back({spec, type});
  }
  return result;
}

std::string NameOf(const Subject& subject) {
  return std::string(subject.spec->name) + "_" + ContractNameOf(subject.type);
}

const oracle::Oracle& OracleOf(const engine::Spec& spec) {
  static auto& oracles = *new std::map<const engine::Spec*, oracle::Oracle>;
  const auto found = oracles.find(&spec);
  if (found != oracles.end()) return found->second;
  auto oracle = oracle::Oracle::Make(spec);
  if (!oracle.ok()) {
    std::fprintf(stderr, "%s: %s\n", spec.name, oracle.status().ToString().c_str());
    std::abort();
  }
  return oracles.emplace(&spec, *std::move(oracle)).first->second;
}

std::vector<std::byte> Pack(DataType type, const std::vector<uint64_t>& bits) {
  const size_t size = SizeOf(type);
  std::vector<std::byte> data(bits.size() * size);
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&data[i * size], &bits[i], size);
  return data;
}

std::vector<uint64_t> Unpack(DataType type, const std::vector<std::byte>& data) {
  const size_t size = SizeOf(type);
  std::vector<uint64_t> bits(data.size() / size);
  for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bits[i], &data[i * size], size);
  return bits;
}

std::vector<uint64_t> RunEngine(const Operation& operation, const std::vector<uint64_t>& inputs,
                                const std::vector<uint64_t>& upstreams,
                                const std::vector<uint64_t>& biases) {
  const std::vector<std::byte> x = Pack(operation.input_type, inputs);
  const std::vector<std::byte> factors = Pack(operation.input_type, upstreams);
  const std::vector<std::byte> addends = Pack(operation.input_type, biases);
  std::vector<std::byte> y(inputs.size() * SizeOf(operation.output_type));
  engine::Run(operation,
              {.input = x.data(),
               .upstream = upstreams.empty() ? nullptr : factors.data(),
               .bias = biases.empty() ? nullptr : addends.data(),
               .output = y.data()},
              inputs.size());
  return Unpack(operation.output_type, y);
}

std::string Describe(const Operation& operation) {
  const engine::Spec& spec = *operation.function.spec;
  std::string result = spec.name;
  for (size_t i = 0; i < spec.parameters.size(); ++i) {
    result += absl::StrFormat("%s%s=%a", i == 0 ? "(" : ", ", spec.parameters[i].name,
                              operation.function.parameters[i]);
  }
  if (!spec.parameters.empty()) result += ")";
  if (operation.quantity == Quantity::kDerivative) result += "'";
  return result + " " + ContractNameOf(operation.input_type) + " -> " +
         ContractNameOf(operation.output_type);
}

void Check(const Operation& operation, const std::vector<uint64_t>& inputs,
           const std::vector<uint64_t>& upstreams) {
  const DataType in = operation.input_type;
  const DataType out = operation.output_type;
  const oracle::Oracle& oracle = OracleOf(*operation.function.spec);
  const auto upstream_at = [&](size_t i) {
    return upstreams.empty() ? std::nullopt : std::optional<double>(Decode(in, upstreams[i]));
  };
  const auto place = [&](size_t i) {
    std::string text = " at " + oracle::Describe(in, inputs[i]);
    if (!upstreams.empty()) text += " times " + oracle::Describe(in, upstreams[i]);
    return text;
  };
  std::vector<std::optional<uint64_t>> expected;
  for (size_t i = 0; i < inputs.size(); ++i) {
    expected.push_back(oracle.Round(out, WhatOf(operation), Decode(in, inputs[i]),
                                    operation.function.parameters, upstream_at(i)));
    if (!expected.back()) {
      ADD_FAILURE() << "the oracle cannot decide " << Describe(operation) << place(i);
    }
  }
  std::vector<uint64_t> first_results;
  ForEachTarget([&](const char* target) {
    ASSERT_STREQ(engine::SimdTarget(), target);
    const std::vector<uint64_t> results = RunEngine(operation, inputs, upstreams);
    if (first_results.empty()) first_results = results;
    if (out != DataType::kFloat64) {
      EXPECT_EQ(results, first_results)
          << "targets differ: " << target << ": " << Describe(operation);
    }
    int failures = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!expected[i] ||
          IsRight(operation, Decode(in, inputs[i]), upstream_at(i), results[i], *expected[i])) {
        continue;
      }
      if (++failures > kPrintedFailures) continue;
      ADD_FAILURE() << target << ": " << Describe(operation) << place(i) << " is "
                    << oracle::Describe(out, results[i]) << ", should be "
                    << oracle::Describe(out, *expected[i]);
    }
    if (failures > kPrintedFailures) {
      ADD_FAILURE() << target << ": " << Describe(operation) << ": " << failures << " of "
                    << inputs.size() << " results are wrong";
    }
  });
}

}  // namespace activation::accuracy
