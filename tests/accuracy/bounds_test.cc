// What correct rounding rests on: every kernel's result, before it is rounded, is within the error
// bound of its number type. Each activation, value and derivative, on every instruction set, as
// Lanes, QuickPairs and DoubleDouble, against the oracle's enclosures.
//
// Each test prints the largest error that it has seen, and where:
//   build/release/bin/bounds_test --gtest_filter='*gelu_*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/engine/kernels.h"
#include "server/engine/kernels_float64.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/error_of.h"
#include "tests/accuracy/samples.h"
#include "tests/accuracy/targets.h"
#include "tests/accuracy/unrounded.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Function;

// A ball must be smaller than this part of the bound.
constexpr double kBallPart = 0x1p-20;
constexpr slong kBallBits = 24;
// Results that a test with default parameters must have checked, of each row on each target.
constexpr size_t kLeastChecked = 300;
constexpr int kPrintedFailures = 4;

// Where a kernel, or a function that it uses, goes from one branch to another, for some or for all
// number types; mostly of x itself, as parameters are 1.
constexpr double kSwitches[] = {
    0x1p-54, 0x1p-35, 0x1p-18, 0x1p-17, 0.0216, 0.03125, 0.0346, 0.3466, 0.5,    0.6931, 1,     3,
    14,      21,      26.6,    36,      36.47,  37,      60,     64,     88,     100,    103.9, 200,
    220,     300,     665,     708,     740,    1000,    2000,   4000,   0x1p20, 0x1p36};

struct BoundsSubject {
  const engine::Spec* spec;
  NumberType type;
};

std::string NameOf(const BoundsSubject& subject) {
  return std::string(subject.spec->name) + "_" + NameOf(subject.type);
}
void PrintTo(const BoundsSubject& subject, std::ostream* out) { *out << NameOf(subject); }

std::vector<BoundsSubject> AllSubjects() {
  std::vector<BoundsSubject> result;
  for (const engine::Spec* spec : engine::Catalogue()) {
    for (const auto type :
         {NumberType::kLanes, NumberType::kQuickPairs, NumberType::kDoubleDouble}) {
      result.push_back({spec, type});
    }
  }
  return result;
}

// Whether such arguments get as far as the kernel's result; the engine knows others by themselves.
bool TakesArgument(NumberType type, double x) {
  if (!std::isfinite(x)) return false;
  if (type == NumberType::kQuickPairs) return std::abs(x) >= 0x1p-440;
  return type == NumberType::kLanes || x == 0 || std::abs(x) >= 0x1p-900;
}

// Whether the engine computes this result again by another number type, whatever its error. The
// conditions are those of kernels_float64.cc and kernels_precise.cc; of Lanes, what is not a
// number.
bool IsHandedOn(NumberType type, const Unrounded& y) {
  if (std::isnan(y.hi)) return true;
  if (type == NumberType::kLanes) return std::isfinite(y.hi) && !std::isfinite(y.magnitude);
  if (!std::isfinite(y.hi) || !std::isfinite(y.lo) || !std::isfinite(y.magnitude)) return true;
  if (type == NumberType::kQuickPairs) return std::abs(y.hi) < 0x1p-440;
  return std::abs(y.hi) < 0x1p-900 || std::abs(y.hi) < 0x1p-35 * y.magnitude;
}

// Whether both are so small, or both so large, that they count as 0 or infinity. A derivative may
// be multiplied with any number of the format; a value is not.
bool AreOutOfRange(NumberType type, int row, const Unrounded& y, const oracle::Ball& exact) {
  if (type == NumberType::kQuickPairs || std::isnan(y.hi)) return false;
  const ElementType& format =
      TraitsOf(type == NumberType::kLanes ? DataType::kFloat32 : DataType::kFloat64);
  const bool is_factor = row == engine::kDerivativeRow;
  const slong low =
      oracle::LowestSubnormal(format) - 1 - (is_factor ? format.greatest_exponent + 1 : 0);
  const slong high =
      format.greatest_exponent + 1 - (is_factor ? oracle::LowestSubnormal(format) : 0);
  const bool is_sign_right =
      std::signbit(y.hi) ? !arb_is_positive(exact.get()) : !arb_is_negative(exact.get());
  oracle::Dyadic size, least, most;
  arf_set_d(size.get(), y.hi);
  arf_mul_2exp_si(size.get(), size.get(), static_cast<slong>(y.exponent));
  arb_get_abs_lbound_arf(least.get(), exact.get(), 64);
  arb_get_abs_ubound_arf(most.get(), exact.get(), 64);
  return is_sign_right &&
         ((arf_cmpabs_2exp_si(size.get(), low) < 0 && arf_cmpabs_2exp_si(most.get(), low) < 0) ||
          (arf_cmpabs_2exp_si(size.get(), high) > 0 && arf_cmpabs_2exp_si(least.get(), high) > 0));
}

class Bounds : public testing::TestWithParam<BoundsSubject> {
 protected:
  // Holds the results of a row against the bound; the number of those per target that were checked.
  size_t Check(const Function& function, int row, const Arguments& arguments) {
    const engine::Spec* const spec = GetParam().spec;
    const NumberType type = GetParam().type;
    const double bound = ErrorBound(type);
    const int what = row == engine::kValueRow ? oracle::kValue : oracle::kDerivative;
    std::vector<oracle::Ball> exact;
    for (size_t i = 0; i < arguments.x.size(); ++i) {
      exact.push_back(OracleOf(*spec).EncloseSum(what, arguments.x[i], arguments.x_lo[i],
                                                 function.parameters, 1,
                                                 kBallBits - std::ilogb(bound)));
    }
    size_t least_checked = arguments.x.size();
    int failures = 0;
    ForEachTarget([&](const char* target) {
      const auto results =
          Compute(type, engine::IndexOf(*spec), row, function.parameters, arguments);
      size_t checked = 0;
      for (size_t i = 0; i < results.size(); ++i) {
        const Unrounded& y = results[i];
        const double error = RelativeError(y, exact[i]);
        if (error != 0) {
          if (IsHandedOn(type, y)) continue;
          if (AreOutOfRange(type, row, y, exact[i])) continue;
        }
        ++checked;
        largest_[row].Note(error, target, arguments.x[i], arguments.x_lo[i]);
        if (error <= bound && RelativeRadius(y, exact[i]) <= bound * kBallPart) continue;
        if (++failures > kPrintedFailures) continue;
        ADD_FAILURE() << absl::StrFormat(
            "%s at %a %+a on %s: %a %+a, of magnitude %a, is off by %s; the bound is %s, the ball "
            "%s",
            Name(function, row), arguments.x[i], arguments.x_lo[i], target, y.hi, y.lo, y.magnitude,
            PowerOfTwo(error), PowerOfTwo(bound), PowerOfTwo(RelativeRadius(y, exact[i])));
      }
      least_checked = std::min(least_checked, checked);
    });
    EXPECT_LE(failures, kPrintedFailures) << "and so on, of " << arguments.x.size();
    return least_checked;
  }

  // As "gelu_sigma(sigma=0.5)'".
  static std::string Name(const Function& function, int row) {
    const std::string text = Describe({.function = function});
    return text.substr(0, text.find(' ', text.find(')') + 1)) +
           (row == engine::kValueRow ? "" : "'");
  }

  void Print(const std::string& of) const {
    for (const int row : {engine::kValueRow, engine::kDerivativeRow}) {
      std::printf("%-12s %s%s: %s\n", NameOf(GetParam().type), GetParam().spec->name,
                  row == engine::kValueRow ? "" : "'", (largest_[row].ToString() + of).c_str());
    }
  }

  // Adds x, and for DoubleDouble often a low part; or for Lanes the exact sum of two float32.
  void Add(double x, Arguments& arguments) {
    if (GetParam().type == NumberType::kLanes) x = static_cast<float>(x);
    if (!TakesArgument(GetParam().type, x)) return;
    arguments.Add(x);
    if (x == 0 || generator_() % 2 != 0) return;
    const double part = std::uniform_real_distribution(-0.5, 0.5)(generator_);
    if (GetParam().type == NumberType::kLanes) {
      const double sum = x * (1 + std::ldexp(std::round(part * 0x1p24), -48));
      arguments.Add(sum);
    } else if (GetParam().type == NumberType::kDoubleDouble) {
      const double ulp = std::nextafter(x, 2 * x) - x;
      if (std::isfinite(ulp)) arguments.Add(x, part * ulp);
    }
  }

  DataType ArgumentType() const {
    return GetParam().type == NumberType::kLanes ? DataType::kFloat32 : DataType::kFloat64;
  }

  void AddAll(const std::vector<uint64_t>& bits, Arguments& arguments) {
    for (const uint64_t x : bits) Add(oracle::Decode(ArgumentType(), x), arguments);
  }

  void AddNormals(double scale, int count, Arguments& arguments) {
    std::normal_distribution<double> normal(0, scale);
    for (int i = 0; i < count; ++i) Add(normal(generator_), arguments);
  }

  void AddSwitches(Arguments& arguments) {
    for (const double at : kSwitches) {
      for (const double x : {at, std::nextafter(at, 0.0), std::nextafter(at, 2 * at),
                             at * (1 - 0x1p-22), at * (1 + 0x1p-22), at * 0.97, at * 1.03}) {
        Add(x, arguments);
        Add(-x, arguments);
      }
    }
  }

  // One of the parameters' ranges, of the size of the defaults.
  Function RandomParameters() {
    Function function = engine::WithDefaults(*GetParam().spec);
    do {
      for (size_t i = 0; i < GetParam().spec->parameters.size(); ++i) {
        const engine::Parameter& parameter = GetParam().spec->parameters[i];
        const double factor = std::exp(std::normal_distribution<double>(0, 1.5)(generator_));
        function.parameters[i] =
            std::clamp(parameter.default_value * factor, parameter.minimum, parameter.maximum);
      }
    } while (engine::FindExcess(function));
    return function;
  }

  LargestError largest_[engine::kFirstParameterRow];
  std::mt19937_64 generator_{1'905};
};

TEST_P(Bounds, HoldBeforeRounding) {
  const Function function = engine::WithDefaults(*GetParam().spec);
  Arguments arguments;
  AddAll(Binades(ArgumentType(), ArgumentType() == DataType::kFloat32 ? 2 : 16, 2), arguments);
  AddAll(NearKinks(OracleOf(*GetParam().spec), function, ArgumentType()), arguments);
  AddSwitches(arguments);
  for (const double scale : {0.1, 1.0, 4.0, 16.0, 64.0, 512.0}) AddNormals(scale, 200, arguments);
  for (const int row : {engine::kValueRow, engine::kDerivativeRow}) {
    EXPECT_GE(Check(function, row, arguments), kLeastChecked) << Name(function, row);
  }
  Print("");
}

TEST_P(Bounds, HoldWithOtherParameters) {
  if (GetParam().spec->parameters.empty()) return;
  std::vector<Function> functions = OtherParameters(*GetParam().spec);
  for (int i = 0; i < 4; ++i) functions.push_back(RandomParameters());
  size_t checked = 0;
  for (const Function& function : functions) {
    if (GetParam().type == NumberType::kQuickPairs &&
        !std::ranges::all_of(function.parameters, engine::IsOrdinary)) {
      continue;
    }
    Arguments arguments;
    AddAll(Binades(ArgumentType(), ArgumentType() == DataType::kFloat32 ? 32 : 256, 1), arguments);
    AddAll(NearKinks(OracleOf(*GetParam().spec), function, ArgumentType()), arguments);
    for (const double parameter : function.parameters) {
      if (parameter == 0) continue;
      AddNormals(std::abs(parameter), 8, arguments);
      AddNormals(1 / std::abs(parameter), 8, arguments);
    }
    AddNormals(4, 16, arguments);
    for (const int row : {engine::kValueRow, engine::kDerivativeRow}) {
      checked += Check(function, row, arguments);
    }
  }
  EXPECT_GE(checked, kLeastChecked);
  Print(" with other parameters");
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Bounds, testing::ValuesIn(AllSubjects()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
