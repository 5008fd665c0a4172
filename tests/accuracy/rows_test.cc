// The row functions against oracles in ball arithmetic, bit by bit, on every instruction set; and
// that a row's results depend on nothing but the row.
#include "server/engine/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/hard_row.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/row_oracle.h"
#include "tests/accuracy/samples.h"
#include "tests/accuracy/targets.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;
using engine::RowOperation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Failures of one operation on one target that are printed.
constexpr int kPrintedFailures = 4;

using Random = std::mt19937_64;
// The numbers of a row.
using Values = std::vector<double>;

double Uniform(Random& random) { return std::ldexp(static_cast<double>(random() >> 11), -53); }

// d rounded to `type`.
double Fit(DataType type, double d) {
  if (!std::isfinite(d) || d == 0) return d;
  oracle::Dyadic exact;
  arf_set_d(exact.get(), d);
  return oracle::Decode(type, oracle::Round(type, exact));
}

std::vector<uint64_t> ToBits(DataType type, const Values& values) {
  std::vector<uint64_t> bits;
  for (const double value : values) bits.push_back(oracle::Encode(type, Fit(type, value)));
  return bits;
}

Values FromBits(DataType type, const std::vector<uint64_t>& bits) {
  Values values;
  for (const uint64_t b : bits) values.push_back(oracle::Decode(type, b));
  return values;
}

std::vector<uint64_t> RunAll(const RowOperation& operation, const std::vector<uint64_t>& x,
                             const std::vector<uint64_t>& upstream, size_t length) {
  const bool derivative = operation.quantity == Quantity::kDerivative;
  const size_t outputs = operation.spec->halves && !derivative ? x.size() / 2 : x.size();
  const auto input = Pack(operation.input_type, x);
  const auto factors = Pack(operation.input_type, upstream);
  std::vector<std::byte> output(outputs * SizeOf(operation.output_type));
  engine::RunRows(operation, input.data(), derivative ? factors.data() : nullptr, output.data(),
                  x.size() / length, length);
  return Unpack(operation.output_type, output);
}

std::string Describe(const RowOperation& operation, size_t length) {
  return std::string(operation.spec->name) +
         (operation.quantity == Quantity::kDerivative ? "' " : " ") +
         ContractNameOf(operation.input_type) + " -> " + ContractNameOf(operation.output_type) +
         ", length " + std::to_string(length);
}

// FLOAT64 may be off by 1 ULP.
bool IsRight(DataType type, uint64_t got, uint64_t expected) {
  if (got == expected) return true;
  return type == DataType::kFloat64 && std::max(got, expected) - std::min(got, expected) == 1;
}

// On every target: against the oracle's bits, and row by row as all at once.
void Compare(const RowOperation& operation, const std::vector<uint64_t>& x,
             const std::vector<uint64_t>& upstream, size_t length,
             const std::vector<std::optional<uint64_t>>& expected) {
  const DataType out = operation.output_type;
  for (const auto& bits : expected) {
    if (bits) continue;
    ADD_FAILURE() << "the oracle cannot decide " << Describe(operation, length);
    return;
  }
  const size_t rows = x.size() / length;
  const size_t g_length = upstream.size() / rows, y_length = expected.size() / rows;
  ForEachTarget([&](const char* target) {
    const std::vector<uint64_t> results = RunAll(operation, x, upstream, length);
    ASSERT_EQ(results.size(), expected.size());
    int failures = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (IsRight(out, results[i], *expected[i]) || ++failures > kPrintedFailures) continue;
      const size_t row = i / y_length;
      ADD_FAILURE() << target << ": " << Describe(operation, length) << ", row " << row
                    << ", element " << i % y_length << ", x "
                    << oracle::Describe(operation.input_type, x[row * length + i % y_length])
                    << " is " << oracle::Describe(out, results[i]) << ", should be "
                    << oracle::Describe(out, *expected[i]);
    }
    EXPECT_LE(failures, kPrintedFailures) << "in all";
    for (size_t row = 0; row < rows; ++row) {
      const auto at = [row](const std::vector<uint64_t>& all, size_t size) {
        return std::vector(all.begin() + static_cast<std::ptrdiff_t>(row * size),
                           all.begin() + static_cast<std::ptrdiff_t>((row + 1) * size));
      };
      ASSERT_EQ(RunAll(operation, at(x, length), at(upstream, g_length), length),
                at(results, y_length))
          << target << ": " << Describe(operation, length) << ", row " << row << " by itself";
    }
  });
}

// ---- softmax and log_softmax ----

struct Pattern {
  const char* name;
  std::function<double(Random&, DataType, size_t index)> element;
};

double Largest(DataType type) { return oracle::Decode(type, oracle::Encode(type, kInfinity) - 1); }
double Smallest(DataType type) { return oracle::Decode(type, 1); }

Pattern Scaled(double scale) {
  return {"scaled", [scale](Random& random, DataType, size_t) {
            return scale * (Uniform(random) + Uniform(random) + Uniform(random) - 1.5);
          }};
}

// Rows of elements.
std::vector<Pattern> Inputs() {
  std::vector<Pattern> patterns;
  for (const double scale : {1e-3, 1.0, 30.0, 1e3}) patterns.push_back(Scaled(scale));
  patterns.push_back({"huge", [](Random& random, DataType type, size_t) {
                        return (2 * Uniform(random) - 1) * Largest(type);
                      }});
  patterns.push_back({"subnormal", [](Random& random, DataType type, size_t) {
                        return Smallest(type) * static_cast<double>(random() % 64) - 0.0;
                      }});
  patterns.push_back({"equal", [](Random&, DataType, size_t) { return 0.7; }});
  patterns.push_back({"few", [](Random& random, DataType, size_t) {
                        return -7.0 * static_cast<double>(random() % 3);
                      }});
  // Differences that are midpoints of the shorter types, and powers from small to nothing.
  patterns.push_back({"dominated", [](Random& random, DataType, size_t index) {
                        return index == 1 ? 2'048.0 : 0.5 * static_cast<double>(random() % 64);
                      }});
  patterns.push_back({"one above", [](Random& random, DataType, size_t index) {
                        return index == 0 ? 0.0 : -80 - 30 * Uniform(random);
                      }});
  patterns.push_back({"masked", [](Random& random, DataType type, size_t index) {
                        return index > 0 && random() % 2 == 0
                                   ? -std::min(1e9,
                                               std::ldexp(1.5, TraitsOf(type).greatest_exponent))
                                   : 4 * Uniform(random);
                      }});
  patterns.push_back({"all but one masked", [](Random&, DataType type, size_t index) {
                        const double most = std::ldexp(1, TraitsOf(type).greatest_exponent);
                        return index == 0 ? 0.25 : -std::min(30'000.0, most);
                      }});
  patterns.push_back({"minus infinity", [](Random& random, DataType, size_t) {
                        return random() % 2 == 0 ? -kInfinity : 4 * Uniform(random);
                      }});
  return patterns;
}

std::vector<Pattern> OddInputs() {
  return {
      {"infinite", [](Random& random, DataType,
                      size_t) { return random() % 3 == 0 ? kInfinity : Uniform(random); }},
      {"not numbers",
       [](Random& random, DataType, size_t) { return random() % 3 == 0 ? kNaN : -kInfinity; }},
      {"nothing", [](Random&, DataType, size_t) { return -kInfinity; }},
      {"alone", [](Random&, DataType, size_t index) { return index == 0 ? -5.0 : -kInfinity; }},
      {"odd",
       [](Random& random, DataType, size_t) {
         const double all[] = {-kInfinity, 0.0, -0.0, 1.0, 1.0, 3.0};
         return all[random() % std::size(all)];
       }},
  };
}

std::vector<Pattern> Upstreams() {
  return {
      Scaled(1),
      {"one", [](Random&, DataType, size_t index) { return index == 0 ? 1.0 : 0.0; }},
      {"another", [](Random&, DataType, size_t index) { return index == 1 ? 1.0 : 0.0; }},
      {"equal", [](Random&, DataType, size_t) { return 3.0; }},
      {"small integers",
       [](Random& random, DataType, size_t) { return static_cast<double>(random() % 5) - 2; }},
      {"any size",
       [](Random& random, DataType type, size_t) {
         const ElementType& format = TraitsOf(type);
         const int exponents = format.greatest_exponent - oracle::LowestSubnormal(format);
         const auto exponent = static_cast<int>(random() % static_cast<uint64_t>(exponents));
         return std::ldexp(Uniform(random) - 0.5, exponent + oracle::LowestSubnormal(format));
       }},
      {"large and small",
       [](Random& random, DataType type, size_t index) {
         return index % 2 == 0 ? Largest(type) * Uniform(random)
                               : -Smallest(type) * static_cast<double>(random() % 4);
       }},
  };
}

std::vector<Pattern> OddUpstreams() {
  return {
      {"infinity", [](Random&, DataType, size_t index) { return index == 1 ? kInfinity : 2.0; }},
      {"infinities",
       [](Random& random, DataType, size_t) {
         return random() % 3 == 0 ? kInfinity : random() % 3 == 0 ? -kInfinity : 0.0;
       }},
      {"not a number", [](Random&, DataType, size_t index) { return index == 2 ? kNaN : 1.0; }},
      {"zeros", [](Random& random, DataType, size_t) { return random() % 2 == 0 ? 0.0 : -0.0; }},
  };
}

Values Make(const Pattern& pattern, Random& random, DataType type, size_t length) {
  Values values;
  for (size_t i = 0; i < length; ++i) values.push_back(pattern.element(random, type, i));
  return FromBits(type, ToBits(type, values));
}

struct RowSubject {
  const engine::RowSpec* spec;
  DataType type;
};
void PrintTo(const RowSubject& subject, std::ostream* out) {
  *out << subject.spec->name << "_" << ContractNameOf(subject.type);
}
std::string NameOf(const testing::TestParamInfo<RowSubject>& info) {
  return std::string(info.param.spec->name) + "_" + ContractNameOf(info.param.type);
}
std::vector<RowSubject> Subjects(bool halves) {
  std::vector<RowSubject> subjects;
  for (const engine::RowSpec* spec : engine::RowCatalogue()) {
    if (spec->halves != halves) continue;
    for (const DataType type : kDataTypes) subjects.push_back({spec, type});
  }
  return subjects;
}

class SoftmaxRows : public testing::TestWithParam<RowSubject> {
 protected:
  // Rows of all these patterns, to all types of output.
  static void Check(Quantity quantity, const std::vector<Pattern>& inputs,
                    const std::vector<Pattern>& upstreams, size_t length,
                    std::span<const DataType> output_types) {
    const auto& [spec, in] = GetParam();
    Random random(length);
    std::vector<uint64_t> all_x, all_g;
    std::vector<RowOracle> oracles;
    for (const Pattern& input : inputs) {
      for (const Pattern& upstream : upstreams) {
        const Values x = Make(input, random, in, length);
        Values g;
        if (quantity == Quantity::kDerivative) g = Make(upstream, random, in, length);
        for (const uint64_t bits : ToBits(in, x)) all_x.push_back(bits);
        for (const uint64_t bits : ToBits(in, g)) all_g.push_back(bits);
        oracles.emplace_back(spec->name == std::string("log_softmax"), x, g);
        if (quantity == Quantity::kValue) break;
      }
    }
    for (const DataType out : output_types) {
      std::vector<std::optional<uint64_t>> expected;
      for (const RowOracle& oracle : oracles) {
        for (size_t i = 0; i < length; ++i) expected.push_back(oracle.Round(out, i));
      }
      Compare({spec, quantity, in, out}, all_x, all_g, length, expected);
    }
  }
};

constexpr size_t kLengths[] = {1, 2, 3, 7, 64, 1'000, 4'097};

TEST_P(SoftmaxRows, ValuesAreCorrectlyRounded) {
  for (const size_t length : kLengths) {
    Check(Quantity::kValue, Inputs(), Upstreams(), length,
          length <= 64 ? kDataTypes : std::span(&GetParam().type, 1));
  }
}

TEST_P(SoftmaxRows, DerivativesAreCorrectlyRounded) {
  for (const size_t length : {1, 2, 3, 7}) {
    Check(Quantity::kDerivative, Inputs(), Upstreams(), length, kDataTypes);
  }
  Check(Quantity::kDerivative, Inputs(), {Upstreams()[0], Upstreams()[4]}, 64,
        std::span(&GetParam().type, 1));
  Check(Quantity::kDerivative, {Scaled(1), Scaled(30)}, {Scaled(1)}, 1'000,
        std::span(&GetParam().type, 1));
}

TEST_P(SoftmaxRows, OddCases) {
  for (const size_t length : {1, 2, 3, 5, 40}) {
    Check(Quantity::kValue, OddInputs(), Upstreams(), length, kDataTypes);
    std::vector<Pattern> upstreams = OddUpstreams();
    upstreams.push_back(Scaled(1));
    Check(Quantity::kDerivative, OddInputs(), upstreams, length, kDataTypes);
    Check(Quantity::kDerivative, {Scaled(1), Scaled(1e3)}, OddUpstreams(), length, kDataTypes);
  }
}

// Every difference of two elements, where a result comes near a midpoint.
TEST_P(SoftmaxRows, PairsAreCorrectlyRounded) {
  const auto& [spec, in] = GetParam();
  std::vector<uint64_t> x, g;
  std::vector<RowOracle> oracles;
  std::vector<uint64_t> samples = Binades(in, in == DataType::kFloat64 ? 16 : 2, 1);
  for (const uint64_t bits : samples) {
    const double d = oracle::Decode(in, bits);
    oracles.emplace_back(spec->name == std::string("log_softmax"), Values{d, 0.0}, Values());
    x.insert(x.end(), {bits, 0});
  }
  for (const DataType out : kDataTypes) {
    std::vector<std::optional<uint64_t>> expected;
    for (const RowOracle& oracle : oracles) {
      for (size_t i = 0; i < 2; ++i) expected.push_back(oracle.Round(out, i));
    }
    Compare({spec, Quantity::kValue, in, out}, x, g, 2, expected);
  }
}

// Longer than any block, with many equal elements so that the oracle is quick; the first few
// results.
TEST_P(SoftmaxRows, LongRowsAreCorrectlyRounded) {
  const auto& [spec, in] = GetParam();
  constexpr size_t kLength = 300'001, kCompared = 16;
  Random random(kLength);
  const Values few = Make(Scaled(3), random, in, 12);
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    Values x, g;
    for (size_t i = 0; i < kLength; ++i) x.push_back(few[random() % few.size()]);
    for (size_t i = 0; i < kLength && quantity == Quantity::kDerivative; ++i) {
      g.push_back(few[random() % few.size()]);
    }
    const RowOracle oracle(spec->name == std::string("log_softmax"), x, g);
    const auto results = RunAll({spec, quantity, in, in}, ToBits(in, x), ToBits(in, g), kLength);
    for (size_t i = 0; i < kCompared; ++i) {
      const auto expected = oracle.Round(in, i);
      ASSERT_TRUE(expected);
      EXPECT_TRUE(IsRight(in, results[i], *expected))
          << Describe({spec, quantity, in, in}, kLength) << ", element " << i << " is "
          << oracle::Describe(in, results[i]) << ", should be " << oracle::Describe(in, *expected);
    }
  }
}

// The multiprecision path by itself, which other tests reach for few elements only.
TEST_P(SoftmaxRows, HardRowsAreCorrectlyRounded) {
  const auto& [spec, in] = GetParam();
  const bool log = spec->name == std::string("log_softmax");
  Random random(7);
  std::vector<Pattern> inputs = Inputs();
  // x - 2^24 is a midpoint of FLOAT32, and e^-2^24 decides.
  inputs.push_back({"midpoints", [](Random&, DataType, size_t index) {
                      return index == 0 ? 16'777'216.0 : -static_cast<double>(index);
                    }});
  for (const Pattern& input : inputs) {
    for (const Pattern& upstream : Upstreams()) {
      for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
        const Values x = Make(input, random, in, 5);
        Values g = Make(upstream, random, in, 5);
        if (quantity == Quantity::kValue) std::ranges::fill(g, 0.0);
        if (!std::isfinite(*std::ranges::max_element(x))) continue;
        const RowOracle oracle(log, x, quantity == Quantity::kValue ? Values() : g);
        engine::HardRow row(log, quantity);
        for (size_t i = 0; i < x.size(); ++i) row.Add(x[i], g[i]);
        row.Prepare();
        for (size_t i = 0; i < x.size(); ++i) {
          if (!std::isfinite(x[i])) continue;
          for (const DataType out : kDataTypes) {
            std::vector<std::byte> bytes(SizeOf(out));
            row.Round(x[i], g[i], out, bytes.data());
            const auto expected = oracle.Round(out, i);
            ASSERT_TRUE(expected);
            EXPECT_TRUE(IsRight(out, Unpack(out, bytes)[0], *expected))
                << input.name << ", upstream " << upstream.name << ", element " << i << " is "
                << oracle::Describe(out, Unpack(out, bytes)[0]) << ", should be "
                << oracle::Describe(out, *expected);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SoftmaxRows, testing::ValuesIn(Subjects(false)), NameOf);

// ---- Gated units ----

class GatedRows : public testing::TestWithParam<RowSubject> {
 protected:
  static const engine::Spec& Gate() {
    const std::string name = GetParam().spec->name;
    return *engine::Find(name == "glu"      ? "sigmoid"
                         : name == "geglu"  ? "gelu"
                         : name == "swiglu" ? "silu"
                                            : "relu");
  }

  // factor * f(b) or factor * f'(b).
  static std::optional<uint64_t> Product(DataType type, int what, double b, double factor) {
    const engine::Spec& gate = Gate();
    const auto parameters = engine::WithDefaults(gate).parameters;
    const oracle::Oracle& oracle = OracleOf(gate);
    if (std::isfinite(b) && oracle.IsExactlyZero(what, b, parameters, std::nullopt)) {
      const bool negative =
          what == oracle::kValue && b == 0 && std::signbit(b) && !gate.positive_zero;
      return oracle::Encode(type, (negative ? -0.0 : 0.0) * factor);
    }
    return oracle.Round(type, what, b, parameters, factor);
  }

  static void Check(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b,
                    const std::vector<uint64_t>& g, size_t half) {
    const auto& [spec, in] = GetParam();
    std::vector<uint64_t> x;
    for (size_t row = 0; row < a.size() / half; ++row) {
      for (const auto* part : {&a, &b}) {
        for (size_t i = 0; i < half; ++i) x.push_back((*part)[row * half + i]);
      }
    }
    for (const DataType out : kDataTypes) {
      std::vector<std::optional<uint64_t>> values, slopes;
      for (size_t i = 0; i < a.size(); ++i) {
        const double gate = oracle::Decode(in, b[i]);
        values.push_back(Product(out, oracle::kValue, gate, oracle::Decode(in, a[i])));
      }
      for (size_t row = 0; row < a.size() / half; ++row) {
        for (const bool second : {false, true}) {
          for (size_t i = row * half; i < (row + 1) * half; ++i) {
            double factor = oracle::Decode(in, g[i]);
            if (second) factor *= oracle::Decode(in, a[i]);
            slopes.push_back(Product(out, second ? oracle::kDerivative : oracle::kValue,
                                     oracle::Decode(in, b[i]), factor));
          }
        }
      }
      Compare({spec, Quantity::kValue, in, out}, x, {}, 2 * half, values);
      Compare({spec, Quantity::kDerivative, in, out}, x, g, 2 * half, slopes);
    }
  }
};

TEST_P(GatedRows, AreCorrectlyRounded) {
  const DataType in = GetParam().type;
  const int step = in == DataType::kFloat64 ? 64 : in == DataType::kFloat16 ? 2 : 8;
  Random random(2'017);
  std::vector<uint64_t> b = Binades(in, step, 2);
  while (b.size() % 60 != 0) b.push_back(random() % oracle::Encode(in, kInfinity));
  std::ranges::shuffle(b, random);
  std::vector<uint64_t> a = accuracy::Upstreams(in, b.size());
  std::ranges::shuffle(a, random);
  std::vector<uint64_t> g = accuracy::Upstreams(in, b.size());
  if (in == DataType::kFloat64) {
    // So that the test's g * a is exact.
    const double factors[] = {1, -1, 0, -0.0, kInfinity, kNaN};
    for (uint64_t& bits : g) bits = oracle::Encode(in, factors[random() % std::size(factors)]);
  }
  for (const size_t half : {1, 3, 60}) Check(a, b, g, half);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, GatedRows, testing::ValuesIn(Subjects(true)), NameOf);

TEST(RowCatalogue, FindsEveryName) {
  for (const engine::RowSpec* spec : engine::RowCatalogue()) {
    EXPECT_EQ(engine::FindRow(spec->name), spec);
    for (const char* alias : spec->aliases) EXPECT_EQ(engine::FindRow(alias), spec) << alias;
    // One name, one function, in both catalogues.
    EXPECT_EQ(engine::Find(spec->name), nullptr) << spec->name;
  }
  EXPECT_EQ(engine::FindRow("gelu"), nullptr);
}

}  // namespace
}  // namespace activation::accuracy
