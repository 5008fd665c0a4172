// Every function and operation that kernels are made of, by itself, on every instruction set:
// within the error that its comment claims. Each test prints the largest error that it has seen,
// and where; the comments have their figures from it:
//   build/release/bin/bounds_test --gtest_filter='*Functions*' | grep seen
#include "tests/accuracy/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/accuracy/error_of.h"
#include "tests/accuracy/targets.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {
namespace {

constexpr slong kBallBits = 160;
constexpr double kLargestBall = 0x1p-130;
constexpr int kSeconds = 4;
constexpr int kArguments = 4'000;  // for each second operand
constexpr size_t kLeastChecked = 500;
constexpr int kPrintedFailures = 4;
// Results below this are 0 for every purpose (Lanes), or are computed by another number type.
constexpr double kLeastResult[] = {0x1p-280, 0x1p-440, 0x1p-1000};
// The size of the low part of an argument, relative to the high one (quick_pairs-inl.h,
// double_double-inl.h).
constexpr double kLowPart[] = {0, 0x1p-48, 0x1p-53};

struct FunctionSubject {
  size_t place;
  NumberType type;
};

const Function& FunctionOf(const FunctionSubject& subject) { return Functions()[subject.place]; }
double ErrorBits(const FunctionSubject& subject) {
  return FunctionOf(subject).error_bits[static_cast<int>(subject.type)];
}
std::string NameOf(const FunctionSubject& subject) {
  return std::string(FunctionOf(subject).name) + "_" + NameOf(subject.type);
}
void PrintTo(const FunctionSubject& subject, std::ostream* out) { *out << NameOf(subject); }

std::vector<FunctionSubject> AllFunctions() {
  std::vector<FunctionSubject> result;
  for (size_t place = 0; place < Functions().size(); ++place) {
    for (const auto type :
         {NumberType::kLanes, NumberType::kQuickPairs, NumberType::kDoubleDouble}) {
      if (ErrorBits({place, type}) != 0) result.push_back({place, type});
    }
  }
  return result;
}

class ClaimedErrors : public testing::TestWithParam<FunctionSubject> {
 protected:
  // Half of the numbers spread over the range, half over its binades, both ends among them.
  Arguments MakeArguments() {
    const Function& function = FunctionOf(GetParam());
    Arguments arguments;
    for (const double end : {function.low, function.high}) arguments.Add(end);
    const double least = std::max(function.low, 0x1p-60);
    std::uniform_real_distribution even(function.low, function.high);
    std::uniform_real_distribution binades(std::log2(least), std::log2(Largest()));
    std::uniform_real_distribution part(-1.0, 1.0);
    while (arguments.x.size() < kArguments) {
      double x = even(generator_);
      if (generator_() % 2 == 0) {
        x = std::copysign(std::exp2(binades(generator_)), x);
        if (x < function.low || x > function.high) continue;
      }
      const double rest = x * part(generator_) * kLowPart[static_cast<int>(GetParam().type)];
      const bool has_rest = generator_() % 4 != 0 && x + rest == x;
      arguments.Add(x, has_rest || GetParam().type == NumberType::kQuickPairs ? rest : 0);
    }
    return arguments;
  }

  double Largest() const {
    return std::max(std::abs(FunctionOf(GetParam()).low), std::abs(FunctionOf(GetParam()).high));
  }

  engine::Pair MakeSecond() {
    const double y = std::uniform_real_distribution(1.0, 2.0)(generator_);
    const std::string_view formula = FunctionOf(GetParam()).formula;
    const double part = std::uniform_real_distribution(-0.5, 0.5)(generator_);
    return {y, formula.find('z') == formula.npos ? 0 : part * 0x1p-53};
  }

  std::mt19937_64 generator_{1'729};
};

TEST_P(ClaimedErrors, HoldOnEveryTarget) {
  constexpr engine::Parameter kOperands[] = {{"y", "", 0, 0, 0}, {"z", "", 0, 0, 0}};
  const Function& function = FunctionOf(GetParam());
  const NumberType type = GetParam().type;
  const engine::Spec spec = {.name = function.name,
                             .description = "",
                             .formula = function.formula,
                             .derivative = "0",
                             .parameters = kOperands};
  const auto oracle = oracle::Oracle::Make(spec);
  ASSERT_TRUE(oracle.ok()) << oracle.status();
  const double claimed = std::exp2(ErrorBits(GetParam()));
  LargestError largest;
  int failures = 0;
  for (int i = 0; i < kSeconds; ++i) {
    const engine::Pair second = MakeSecond();
    const double operands[] = {second.hi, second.lo};
    const Arguments arguments = MakeArguments();
    std::vector<oracle::Ball> exact;
    for (size_t k = 0; k < arguments.x.size(); ++k) {
      exact.push_back(oracle->EncloseSum(oracle::kValue, arguments.x[k], arguments.x_lo[k],
                                         operands, 1, kBallBits));
    }
    ForEachTarget([&](const char* target) {
      const auto results = Compute(type, GetParam().place, second, arguments);
      for (size_t k = 0; k < results.size(); ++k) {
        const Unrounded& y = results[k];
        if (std::abs(y.hi) < kLeastResult[static_cast<int>(type)] && y.hi != 0) continue;
        const double error = RelativeError(y, exact[k]);
        largest.Note(error, target, arguments.x[k], arguments.x_lo[k]);
        if (error <= claimed && RelativeRadius(y, exact[k]) <= kLargestBall) continue;
        if (++failures > kPrintedFailures) continue;
        ADD_FAILURE() << absl::StrFormat("at %a %+a, y = %a %+a, on %s: %a %+a is off by %s",
                                         arguments.x[k], arguments.x_lo[k], second.hi, second.lo,
                                         target, y.hi, y.lo, PowerOfTwo(error));
      }
    });
  }
  EXPECT_LE(failures, kPrintedFailures) << "and so on";
  EXPECT_GE(largest.count(), kLeastChecked);
  std::printf("%-12s %s: within %s; seen: %s\n", NameOf(type), function.name,
              PowerOfTwo(claimed).c_str(), largest.ToString().c_str());
}

INSTANTIATE_TEST_SUITE_P(Functions, ClaimedErrors, testing::ValuesIn(AllFunctions()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
