// The filter accepts what is right and nothing else.
#include "tests/accuracy/exhaustive/filter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/exhaustive/inputs.h"
#include "tests/accuracy/samples.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {
namespace {

using engine::Function;
using engine::Quantity;
using engine::Spec;

// Random ones for the function; odd subnormals; and neighbours of 0 of every size.
std::vector<float> InputsOf(const Function& function) {
  Generator generator(3);
  std::vector<float> x(600);
  RandomInputs(function, OracleOf(*function.spec).Kinks(function.parameters), generator, x);
  for (uint32_t bits = 1; bits < 400; bits += 2) {
    x.push_back(std::bit_cast<float>(bits * bits));
    x.push_back(-x.back());
  }
  for (const uint64_t bits : Binades(DataType::kFloat32, 1, 1)) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  SortByBits(x);
  return x;
}

class FilterOf : public testing::TestWithParam<const Spec*> {
 protected:
  static std::vector<float> RightResults(const Function& function, Quantity quantity,
                                         const std::vector<float>& x) {
    std::vector<float> y;
    for (const float each : x) {
      const auto bits =
          OracleOf(*function.spec)
              .Round(DataType::kFloat32,
                     quantity == Quantity::kValue ? oracle::kValue : oracle::kDerivative, each,
                     function.parameters);
      y.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits.value())));
    }
    return y;
  }

  static size_t CountUndecided(const Function& function, Quantity quantity,
                               const std::vector<float>& x, const std::vector<float>& y) {
    std::vector<size_t> undecided;
    Filter::Make(function, quantity)->Check(x, y, undecided);
    return undecided.size();
  }
};

TEST_P(FilterOf, AcceptsWhatIsRightAndNothingElse) {
  Generator generator(5);
  std::vector<Function> functions = {engine::WithDefaults(*GetParam())};
  for (int i = 0; i < 4 && !GetParam()->parameters.empty(); ++i) {
    functions.push_back(RandomParameters(*GetParam(), generator));
  }
  for (const Function& function : functions) {
    const std::vector<float> x = InputsOf(function);
    for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
      const std::vector<float> y = RightResults(function, quantity, x);
      const size_t undecided = CountUndecided(function, quantity, x, y);
      if (&function == &functions[0]) {
        EXPECT_LT(undecided, x.size() / 50);
      }
      for (const float direction : {-1.0f, 1.0f}) {
        std::vector<float> wrong;
        for (const float each : y) {
          // +0 and -0 are the same to nextafter; the neighbour of a NaN and of infinity is 0.
          const float next =
              std::nextafter(each, direction * std::numeric_limits<float>::infinity());
          wrong.push_back(next == each || std::isnan(each) ? 0.0f : next);
        }
        EXPECT_EQ(CountUndecided(function, quantity, x, wrong), x.size())
            << testing::PrintToString(function.parameters) << " quantity "
            << static_cast<int>(quantity) << " direction " << direction;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FilterOf, testing::ValuesIn(engine::Catalogue()),
                         [](const auto& info) { return std::string(info.param->name); });

// gelu(-50) = -0, since the exact value is below 0; gelu(x) = x/2 for tiny x, on either side of a
// tie.
TEST(Filter, KnowsZerosAndTies) {
  const Function gelu = engine::WithDefaults(*engine::Find("gelu"));
  auto filter = Filter::Make(gelu, Quantity::kValue);
  ASSERT_TRUE(filter.ok());
  const std::vector<float> x = {-50, -50, 0x1p-149f, 0x1p-149f, -0x1p-149f, -0x1p-149f};
  const std::vector<float> y = {-0.0f, 0, 0x1p-149f, 0, -0.0f, 0};
  std::vector<size_t> undecided;
  filter->Check(x, y, undecided);
  EXPECT_EQ(undecided, (std::vector<size_t>{1, 3, 5}));
}

}  // namespace
}  // namespace activation::accuracy
