// The figures' definitions, on points made by hand.
#include "server/compare/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "proto/element_type.h"

namespace activation::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Point {
  double x;
  double hi;
  double lo;
  double candidate;
};

struct All {
  ErrorFigures figures;
  ErrorSums sums;
  ErrorDistribution distribution;
};

void Compare(DataType type, const std::vector<Point>& points, All& all) {
  std::vector<double> x, hi, lo, candidate;
  for (const Point& point : points) {
    x.push_back(point.x);
    hi.push_back(point.hi);
    lo.push_back(point.lo);
    candidate.push_back(point.candidate);
  }
  std::vector<double> error(points.size());
  std::vector<double> ulp(points.size());
  const ComparedArrays arrays = {.type = type,
                                 .first_index = 0,
                                 .x = x.data(),
                                 .hi = hi.data(),
                                 .lo = type == DataType::kFloat64 ? lo.data() : nullptr,
                                 .rounded = hi.data(),
                                 .candidate = candidate.data(),
                                 .error = error.data(),
                                 .ulp = ulp.data()};
  ComputeErrors(arrays, points.size());
  AddPoints(arrays, 0, points.size(), all.figures, all.sums);
  AddPoints(arrays, 0, points.size(), all.distribution);
}

struct Ulp {
  const char* what;
  DataType type;
  double hi;
  double lo;
  double candidate;
  double expected;
};

TEST(ErrorFigures, MeasureUlpsByTheSpacingAtTheTruth) {
  const Ulp cases[] = {
      {"at 1, above", DataType::kFloat32, 1, 0, 1 + 0x1p-23, 1},
      {"at 1, below: half a step of the binade above", DataType::kFloat32, 1, 0, 1 - 0x1p-24, 0.5},
      {"a truth just below 1", DataType::kFloat64, 1, -0x1p-60, 1 - 0x1p-53, 1 - 0x1p-7},
      {"a truth just above -1", DataType::kFloat64, -1, 0x1p-60, -1 + 0x1p-53, 1 - 0x1p-7},
      {"in float64", DataType::kFloat64, 3, 0, 3 + 0x1p-51, 1},
      {"in float16", DataType::kFloat16, 3, 0, 3 + 0x1p-9, 1},
      {"in bfloat16", DataType::kBFloat16, 3, 0, 3 + 0x1p-6, 1},
      {"among float32's subnormals", DataType::kFloat32, 0x1p-140, 0, 0, 512},
      {"a truth beyond float32's range", DataType::kFloat32, 0x1p1023, 0, 0, 0x1p23},
      {"at 0", DataType::kFloat16, 0, 0, 0x1p-24, 1},
      {"at float64's least number", DataType::kFloat64, 0x1p-1074, 0, 0, 1},
  };
  for (const Ulp& ulp : cases) {
    All all;
    Compare(ulp.type, {{1, ulp.hi, ulp.lo, ulp.candidate}}, all);
    EXPECT_EQ(all.figures.ulp.error, ulp.expected) << ulp.what;
  }
}

TEST(ErrorFigures, SeeErrorsFarBelowFloat64sRounding) {
  All all;
  Compare(DataType::kFloat64, {{1, 1, 0x1p-80, 1}}, all);
  EXPECT_EQ(all.figures.absolute.error, 0x1p-80);
  EXPECT_EQ(all.sums.absolute_errors.Total(), 0x1p-80);
  EXPECT_EQ(all.sums.signed_errors.Total(), -0x1p-80);
  EXPECT_EQ(all.sums.squares.Total(), 0x1p-160);
}

TEST(ErrorFigures, AddSquaresThatFloat64HasNoRoomFor) {
  for (const double error : {0x1p-600, 0x1p600}) {
    All all;
    Compare(DataType::kFloat64, std::vector<Point>(20, {1, 0, 0, error}), all);
    EXPECT_EQ(all.sums.squares.Total(), 20 * static_cast<long double>(error) * error);
  }
}

TEST(ErrorFigures, CountNonFiniteMismatchesAndNothingElseOfThem) {
  struct Case {
    double truth;
    double candidate;
    int64_t mismatches;
  };
  for (const Case& c :
       {Case{kNaN, kNaN, 0}, Case{kNaN, 1, 1}, Case{1, kNaN, 1}, Case{kInfinity, kInfinity, 0},
        Case{kInfinity, -kInfinity, 1}, Case{kInfinity, 1, 1}, Case{1, -kInfinity, 1},
        Case{kNaN, kInfinity, 1}, Case{kInfinity, kNaN, 1}}) {
    All all;
    Compare(DataType::kFloat32, {{1, c.truth, 0, c.candidate}}, all);
    EXPECT_EQ(all.figures.points, 1);
    EXPECT_EQ(all.figures.finite_points, 0);
    EXPECT_EQ(all.figures.mismatches, c.mismatches) << c.truth << " " << c.candidate;
    EXPECT_EQ(all.figures.correctly_rounded, 1 - c.mismatches) << c.truth << " " << c.candidate;
    EXPECT_FALSE(all.figures.absolute.IsSet());
    EXPECT_FALSE(all.figures.relative.IsSet());
    EXPECT_FALSE(all.figures.ulp.IsSet());
  }
}

TEST(ErrorFigures, KeepTheFirstOfEqualMaximaAndLeaveZerosOutOfTheRelativeOne) {
  All all;
  Compare(DataType::kFloat32, {{10, 0, 0, 5}, {11, 1, 0, 3}, {12, -1, 0, -3}}, all);
  EXPECT_EQ(all.figures.absolute.at.x, 10);
  EXPECT_EQ(all.figures.relative.at.x, 11);
  EXPECT_EQ(all.figures.relative.error, 2);
}

TEST(ErrorFigures, TellZerosOfDifferentSignApart) {
  All all;
  Compare(DataType::kFloat32, {{1, 0.0, 0, -0.0}, {2, -0.0, 0, -0.0}}, all);
  EXPECT_EQ(all.figures.correctly_rounded, 1);
  EXPECT_EQ(all.figures.absolute.error, 0);
}

TEST(ErrorDistribution, HasBucketsUpToTheirBounds) {
  ErrorDistribution distribution;
  // Bounds 0, 0.5, 1, 2, 4, 8.
  for (const double ulp : {0.0, 0x1p-1074, 0.5, 0.75, 1.0, 1.5, 2.0, 4.5}) {
    distribution.Note(ulp, ulp);
  }
  const int64_t expected[] = {1, 2, 2, 2, 0, 1};
  for (size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(distribution.InUlpBucket(i), expected[i]) << ErrorDistribution::UlpBound(i);
  }
  EXPECT_EQ(ErrorDistribution::UlpBound(1), 0.5);
  EXPECT_EQ(ErrorDistribution::UlpBound(5), 8);
}

TEST(ErrorDistribution, RoundsQuantilesUpByLessThanOnePercent) {
  ErrorDistribution distribution;
  for (int i = 1; i <= 1000; ++i) distribution.Note(i, 0);
  for (const int64_t errors : {1, 500, 900, 999, 1000}) {
    const double quantile = distribution.AbsoluteQuantile(errors);
    EXPECT_GE(quantile, static_cast<double>(errors));
    EXPECT_LT(quantile, static_cast<double>(errors) * 1.01);
  }
}

TEST(CompensatedSum, LosesNothingToALargeTermThatGoesAgain) {
  CompensatedSum sum;
  sum.Add(1e30L);
  for (int i = 0; i < 1'000; ++i) sum.Add(0x1p-40L);
  sum.Add(-1e30L);
  EXPECT_EQ(sum.Total(), 1'000 * 0x1p-40L);
}

}  // namespace
}  // namespace activation::server
