// Every activation of the catalogue, value and derivative, on every instruction set, against the
// oracle: all inputs of the 16-bit types, and every binade of the others.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/samples.h"

namespace activation::accuracy {
namespace {

using engine::Function;
using engine::Operation;
using engine::Quantity;

constexpr std::initializer_list<Quantity> kQuantities = {Quantity::kValue, Quantity::kDerivative};

class Accuracy : public testing::TestWithParam<Subject> {
 protected:
  static Operation Same(const Function& function, Quantity quantity) {
    return {function, quantity, GetParam().type, GetParam().type};
  }
};

class SixteenBitAccuracy : public Accuracy {};

TEST_P(SixteenBitAccuracy, IsCorrectlyRoundedAtEveryInput) {
  for (const Quantity quantity : kQuantities) {
    Check(Same(engine::WithDefaults(*GetParam().spec), quantity), Every16Bit(1));
  }
}

TEST_P(SixteenBitAccuracy, IsCorrectlyRoundedWithOtherParameters) {
  for (const Function& function : OtherParameters(*GetParam().spec)) {
    for (const Quantity quantity : kQuantities) Check(Same(function, quantity), Every16Bit(29));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SixteenBitAccuracy, testing::ValuesIn(Subjects(SmallTypes())),
                         [](const auto& info) { return NameOf(info.param); });

class WideAccuracy : public Accuracy {
 protected:
  static void CheckWithBreakpoints(const Operation& operation, std::vector<uint64_t> inputs) {
    const auto breakpoints = Breakpoints(OracleOf(*operation.function.spec), operation,
                                         Binades(operation.input_type, 8, 0));
    inputs.insert(inputs.end(), breakpoints.begin(), breakpoints.end());
    Check(operation, inputs);
  }
};

TEST_P(WideAccuracy, HoldsInEveryBinade) {
  const int random = GetParam().type == DataType::kFloat32 ? 8 : 1;
  for (const Quantity quantity : kQuantities) {
    CheckWithBreakpoints(Same(engine::WithDefaults(*GetParam().spec), quantity),
                         Binades(GetParam().type, 1, random));
  }
}

TEST_P(WideAccuracy, HoldsWithOtherParameters) {
  const int step = GetParam().type == DataType::kFloat32 ? 2 : 16;
  for (const Function& function : OtherParameters(*GetParam().spec)) {
    std::vector<uint64_t> inputs = NearKinks(OracleOf(*function.spec), function, GetParam().type);
    const std::vector<uint64_t> binades = Binades(GetParam().type, step, 1);
    inputs.insert(inputs.end(), binades.begin(), binades.end());
    for (const Quantity quantity : kQuantities) Check(Same(function, quantity), inputs);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, WideAccuracy, testing::ValuesIn(Subjects(LargeTypes())),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
