// Points of comparisons: every value in order, and samples of the normal distribution.
#include "server/compare/domain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/normal_samples.h"
#include "server/engine/packed.h"

namespace activation::server {
namespace {

TEST(OrdinalOf, CountsValuesUpwardsFromNegativeNaNToNaN) {
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16}) {
    for (int64_t ordinal = -32'768; ordinal < 32'768; ++ordinal) {
      const uint64_t bits = BitsAt(type, ordinal);
      ASSERT_EQ(OrdinalOf(type, bits), ordinal);
      if (ordinal == -32'768) continue;
      const double before = ToDouble(type, BitsAt(type, ordinal - 1));
      const double value = ToDouble(type, bits);
      if (!std::isnan(before) && !std::isnan(value) && ordinal != 0) {
        ASSERT_LT(before, value) << ordinal;
      }
    }
  }
  EXPECT_EQ(OrdinalOf(DataType::kFloat64, ToBits(DataType::kFloat64, 0.0)), 0);
  EXPECT_EQ(OrdinalOf(DataType::kFloat64, ToBits(DataType::kFloat64, -0.0)), -1);
}

TEST(NormalQuantile, InvertsTheDistribution) {
  for (double p = 0x1p-53; p < 1; p = p * 1.001 + 1e-17) {
    const double x = NormalQuantile(p);
    // The density tells how far p moves with the last places of x.
    const double slack = 1e-15 + std::fabs(x) * 4e-16 * std::exp(-x * x / 2);
    EXPECT_NEAR(std::erfc(-x * M_SQRT1_2) / 2, p, slack + p * 1e-13) << p;
  }
  EXPECT_EQ(NormalQuantile(0.5), 0);
  EXPECT_EQ(NormalQuantile(0.25), -NormalQuantile(0.75));
}

TEST(NormalSample, HasTheMomentsOfTheDistribution) {
  constexpr int kSamples = 1 << 20;
  double sums[4] = {};
  for (uint64_t i = 0; i < kSamples; ++i) {
    const double z = NormalSample(7, i);
    ASSERT_LE(std::fabs(z), 8.3);
    for (int power = 0; power < 4; ++power) sums[power] += std::pow(z, power + 1);
  }
  // Five standard errors.
  EXPECT_NEAR(sums[0] / kSamples, 0, 5 * std::sqrt(1.0 / kSamples));
  EXPECT_NEAR(sums[1] / kSamples, 1, 5 * std::sqrt(2.0 / kSamples));
  EXPECT_NEAR(sums[2] / kSamples, 0, 5 * std::sqrt(15.0 / kSamples));
  EXPECT_NEAR(sums[3] / kSamples, 3, 5 * std::sqrt(96.0 / kSamples));
  EXPECT_NE(NormalSample(7, 0), NormalSample(8, 0));
}

// By Python's integers, and statistics.NormalDist().inv_cdf of the uniform number.
TEST(NormalSample, IsTheSameOnEveryMachine) {
  EXPECT_EQ(NormalSample(1, 0), 0x1.574cbe7a124e1p-3);
  EXPECT_EQ(NormalSample(1, 1), 0x1.529288194fbbdp-1);
  EXPECT_EQ(NormalSample(1, 99), -0x1.ff92b03e34cf2p-2);
}

TEST(Domain, MakesTheSamePointsInAnyStretches) {
  const Domain domain = {.type = DataType::kFloat32,
                         .count = 1000,
                         .source = NormalSamples{.mean = 1, .standard_deviation = 2, .seed = 3}};
  std::vector<std::byte> whole(4000);
  domain.Fill(0, 1000, whole.data());
  std::vector<std::byte> part(400);
  domain.Fill(300, 100, part.data());
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(engine::LoadAs<float>(part.data(), i), engine::LoadAs<float>(whole.data(), 300 + i));
  }
}

}  // namespace
}  // namespace activation::server
