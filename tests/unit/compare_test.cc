// Comparisons: what is refused, the figures' definitions, and known gaps between functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "server/compare/comparison.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::atomic<bool> kNotCancelled = false;

void OneByOne(size_t count, absl::FunctionRef<void(size_t)> run) {
  for (size_t i = 0; i < count; ++i) run(i);
}

v1::CompareApproximationsResponse Compare(const v1::CompareApproximationsRequest& request) {
  const auto plan = MakeComparePlan("", request, Limits());
  EXPECT_TRUE(plan.ok()) << plan.status();
  Comparison comparison(*plan, 3);
  while (!comparison.is_done()) comparison.Step(3, kNotCancelled, OneByOne);
  return comparison.Report();
}

v1::CompareApproximationsResponse Compare(const char* text) {
  return Compare(Parse<v1::CompareApproximationsRequest>(text));
}

struct Refused {
  const char* request;
  absl::StatusCode code;
  const char* message;
};

TEST(MakeComparePlan, RefusesWithTheFieldAndWhatWouldBeRight) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const Refused cases[] = {
      {"", kInvalid, "comparison.reference is required"},
      {"reference { name: 'softmax' } grid { to: 1 points: 2 }", absl::StatusCode::kUnimplemented,
       "comparison.reference.name: softmax is a row function; only elementwise"},
      {"reference { name: 'gelu' } candidates { name: 'glu' } grid { to: 1 points: 2 }",
       absl::StatusCode::kUnimplemented, "comparison.candidates[0].name: glu is a row function"},
      {"reference { name: 'elu' parameter_tensors { key: 'alpha' value {} } }",
       absl::StatusCode::kUnimplemented,
       "comparison.reference.parameter_tensors[\"alpha\"]: a comparison takes parameters that are"},
      {"reference { name: 'elu' axis: 1 }", kInvalid, "comparison.reference.axis: elu is"},
      {"reference { name: 'gelo' }", absl::StatusCode::kNotFound,
       "comparison.reference.name: there is no activation \"gelo\". Near names: gelu"},
      {"reference { name: 'relu' } candidates { name: 'nothing' } grid { to: 1 points: 2 }",
       absl::StatusCode::kNotFound, "comparison.candidates[0].name"},
      {"reference { name: 'step' } grid { to: 1 points: 2 }", kInvalid,
       "comparison.candidates is empty, and step has no approximations"},
      {"reference { name: 'gelu' }", kInvalid,
       "comparison.domain is required: give one of grid, points, every_value and normal"},
      {"reference { name: 'gelu' } data_type: 9 grid { to: 1 points: 2 }", kInvalid,
       "comparison.data_type: there is no data type 9"},
      {"reference { name: 'gelu' } quantity: 5 grid { to: 1 points: 2 }", kInvalid,
       "comparison.quantity: there is no quantity 5"},
      {"reference { name: 'gelu' } grid { from: nan to: 1 points: 2 }", kInvalid,
       "comparison.grid.from is nan; it has to be finite"},
      {"reference { name: 'gelu' } grid { to: inf points: 2 }", kInvalid,
       "comparison.grid.to is inf"},
      {"reference { name: 'gelu' } grid { from: 2 to: 1 points: 2 }", kInvalid,
       "comparison.grid.to is 1, which is below from, 2"},
      {"reference { name: 'gelu' } grid { from: 0 to: 1 points: 1 }", kInvalid,
       "comparison.grid has 1 points; allowed are 2 to 100000000"},
      {"reference { name: 'gelu' } grid { from: 0 to: 1 points: 100000001 }", kInvalid,
       "comparison.grid has 100000001 points"},
      {"reference { name: 'gelu' } grid { points: 0 }", kInvalid, "allowed are 1 to"},
      {"reference { name: 'gelu' } points { data_type: DATA_TYPE_FLOAT64 }", kInvalid,
       "comparison.points has 0 points; allowed are 1 to"},
      {"reference { name: 'gelu' } points { float_values: 1 }", kInvalid,
       "comparison.points.data_type is FLOAT32, but comparison.data_type is FLOAT64"},
      {"reference { name: 'gelu' } every_value {}", kInvalid,
       "comparison.every_value has more than 100000000 FLOAT64 values"},
      {"reference { name: 'gelu' } data_type: DATA_TYPE_FLOAT32 every_value {}", kInvalid,
       "or call CompareApproximationsStream"},
      {"reference { name: 'gelu' } every_value { from: nan }", kInvalid,
       "comparison.every_value.from is NaN"},
      {"reference { name: 'gelu' } every_value { from: 1 to: 0 }", kInvalid,
       "comparison.every_value.to is 0, which is below from, 1"},
      {"reference { name: 'gelu' } data_type: DATA_TYPE_FLOAT16 every_value { from: 1.0001 to: "
       "1.0002 }",
       kInvalid, "comparison.every_value: there is no FLOAT16 value from `from` to `to`"},
      {"reference { name: 'gelu' } normal { mean: inf points: 1 }", kInvalid,
       "comparison.normal.mean is inf"},
      {"reference { name: 'gelu' } normal { standard_deviation: 0 points: 1 }", kInvalid,
       "comparison.normal.standard_deviation is 0; it has to be finite and above 0"},
      {"reference { name: 'gelu' } normal {}", kInvalid, "comparison.normal has 0 points"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } region_bounds: [1, 1]", kInvalid,
       "comparison.region_bounds[1] is 1; it has to be above the one before it, 1"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } region_bounds: inf", kInvalid,
       "comparison.region_bounds[0] is inf"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } curve_points: 10001", kInvalid,
       "comparison.curve_points is 10001; allowed are 0 to 10000"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } approximations {}", kInvalid,
       "comparison.approximations[0].form is required"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } approximations { outputs { "
       "data_type: DATA_TYPE_FLOAT64 double_values: 1 } }",
       kInvalid, "comparison.approximations[0].outputs has 1 elements, but there are 2 points"},
      {"reference { name: 'gelu' } grid { to: 1 points: 2 } approximations { outputs { "
       "float_values: [1, 2] } }",
       kInvalid, "comparison.approximations[0].outputs.data_type is FLOAT32"},
      {"reference { name: 'gelu' } points { data_type: DATA_TYPE_FLOAT64 data: '123' }", kInvalid,
       "comparison.points.data has 3 bytes"},
  };
  for (const Refused& refused : cases) {
    const auto plan = MakeComparePlan(
        "comparison.", Parse<v1::CompareApproximationsRequest>(refused.request), Limits());
    EXPECT_EQ(plan.status().code(), refused.code) << refused.request;
    EXPECT_THAT(plan.status().ToString(), HasSubstr(refused.message));
  }
}

TEST(MakeComparePlan, RefusesMoreThanThirtyTwoCandidates) {
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name("gelu");
  request.mutable_grid()->set_points(1);
  for (int i = 0; i < 33; ++i) request.add_candidates()->set_name("relu");
  EXPECT_THAT(MakeComparePlan("", request, Limits()).status().ToString(),
              HasSubstr("candidates and approximations has more than 32 items"));
}

TEST(Comparison, FindsTheKnownGapsBetweenGeluAndItsApproximations) {
  const auto response = Compare(
      "reference { name: 'gelu' } candidates { name: 'gelu_tanh' } candidates { name: "
      "'gelu_sigmoid' }"
      "candidates { name: 'relu' } grid { from: -10 to: 10 points: 200001 }");
  ASSERT_EQ(response.reports_size(), 3);
  EXPECT_EQ(response.reports(0).points(), 200'001);
  EXPECT_NEAR(response.reports(0).max_absolute_error().error(), 4.73236e-4, 1e-9);
  EXPECT_NEAR(std::fabs(response.reports(0).max_absolute_error().x()), 2.69894, 1e-4);
  EXPECT_NEAR(response.reports(1).max_absolute_error().error(), 2.0335e-2, 1e-6);
  EXPECT_NEAR(std::fabs(response.reports(1).max_absolute_error().x()), 2.2704, 1e-4);
  EXPECT_NEAR(response.reports(2).max_absolute_error().error(), 0.16997, 1e-5);
  for (const v1::ApproximationReport& report : response.reports()) {
    EXPECT_EQ(report.non_finite_mismatches(), 0);
    EXPECT_LE(report.mean_absolute_error(), report.root_mean_square_error());
    EXPECT_LE(report.root_mean_square_error(), report.max_absolute_error().error());
  }
}

TEST(Comparison, FindsSoftplusLogTwoAboveReluAtZero) {
  const auto response = Compare(
      "reference { name: 'softplus' } candidates { name: 'relu' }"
      " grid { from: -4 to: 4 points: 801 }");
  EXPECT_DOUBLE_EQ(response.reports(0).max_absolute_error().error(), std::log(2.0));
  EXPECT_EQ(response.reports(0).max_absolute_error().x(), 0);
  EXPECT_EQ(response.reports(0).max_relative_error().error(), 1);
}

TEST(Comparison, SeesOnlyRoundingBetweenAFunctionAndItself) {
  for (const char* type : {"DATA_TYPE_FLOAT32", "DATA_TYPE_FLOAT16", "DATA_TYPE_BFLOAT16"}) {
    for (const char* quantity : {"QUANTITY_VALUE", "QUANTITY_DERIVATIVE"}) {
      const auto response = Compare(
          (std::string("reference { name: 'silu' } candidates { name: 'silu' } data_type: ") +
           type + " quantity: " + quantity + " grid { from: -20 to: 20 points: 10001 }")
              .c_str());
      const double error = response.reports(0).max_ulp_error().error();
      EXPECT_LE(error, 0.5) << type;
      EXPECT_GT(error, 0.4) << type;
    }
  }
}

TEST(Comparison, UsesTheReferencesOwnApproximationsByDefault) {
  const auto response = Compare("reference { name: 'gelu' } grid { from: -1 to: 1 points: 3 }");
  ASSERT_GT(response.reports_size(), 0);
  EXPECT_EQ(static_cast<size_t>(response.reports_size()),
            engine::Find("gelu")->approximations.size());
  EXPECT_EQ(response.reports(0).candidate().name(), engine::Find("gelu")->approximations[0]);
}

TEST(Comparison, ComparesAtGivenPointsOfTheirType) {
  const auto response = Compare(
      "reference { name: 'relu' } candidates { name: 'leaky_relu' parameters { key: "
      "'negative_slope'"
      " value: 0.5 } } data_type: DATA_TYPE_FLOAT16"
      " points { data_type: DATA_TYPE_FLOAT16 float_values: [1, -3, 2, 3] }");
  const v1::ApproximationReport& report = response.reports(0);
  EXPECT_EQ(report.points(), 4);
  EXPECT_EQ(report.max_absolute_error().error(), 1.5);
  EXPECT_EQ(report.max_absolute_error().x(), -3);
  EXPECT_EQ(report.max_absolute_error().reference(), 0);
  EXPECT_EQ(report.max_absolute_error().candidate(), -1.5);
  EXPECT_EQ(report.mean_absolute_error(), 0.375);
  EXPECT_EQ(report.root_mean_square_error(), 0.75);
  EXPECT_EQ(report.candidate().parameters().at("negative_slope"), 0.5);
}

TEST(Comparison, TakesASinglePointWhereTheGridHasNoExtent) {
  const auto response = Compare(
      "reference { name: 'gelu' } candidates { name: 'relu' } grid { from: 2 to: 2 points: 1 }");
  EXPECT_EQ(response.reports(0).points(), 1);
  EXPECT_EQ(response.reports(0).max_absolute_error().x(), 2);
}

TEST(Comparison, ReachesBothEndsOfTheWidestGrid) {
  // The identity for x > 0, so the largest error of a zero is at the end itself.
  const auto response = Compare(
      "reference { name: 'relu' } candidates { name: 'leaky_relu' } data_type: DATA_TYPE_FLOAT64"
      " grid { from: -1.7976931348623157e308 to: 1.7976931348623157e308 points: 5 }");
  EXPECT_EQ(response.reports(0).max_absolute_error().x(), -std::numeric_limits<double>::max());
  EXPECT_EQ(response.reports(0).non_finite_mismatches(), 0);
  EXPECT_TRUE(std::isfinite(response.reports(0).root_mean_square_error()));
  EXPECT_TRUE(std::isfinite(response.reports(0).mean_absolute_error()));
}

constexpr const char kEveryFloat16[] =
    "reference { name: 'gelu' } candidates { name: 'gelu' } candidates { name: 'relu' }"
    " data_type: DATA_TYPE_FLOAT16 every_value {} curve_points: 64";

TEST(Comparison, TakesEveryValueOfAType) {
  const auto response = Compare(kEveryFloat16);
  const v1::ApproximationReport& gelu = response.reports(0);
  EXPECT_EQ(gelu.points(), 65'536);
  // 2 x 1,023 are NaN, and gelu(inf) is infinite.
  EXPECT_EQ(gelu.finite_points(), 65'536 - 2'047);
  EXPECT_EQ(gelu.correctly_rounded(), 65'536);
  EXPECT_EQ(gelu.non_finite_mismatches(), 0);
  EXPECT_LE(gelu.max_ulp_error().error(), 0.5);
  EXPECT_EQ(gelu.flushed_to_zero().count(), 0);
  EXPECT_EQ(gelu.wrong_sign().count(), 0);
  EXPECT_TRUE(gelu.reversals().checked());
  EXPECT_EQ(gelu.reversals().count(), 0);
  const auto& quantiles = response.reports(1).absolute_error_quantiles();
  ASSERT_EQ(quantiles.size(), 6);
  EXPECT_EQ(quantiles[5].quantile(), 1);
  EXPECT_EQ(quantiles[5].absolute_error(), response.reports(1).max_absolute_error().error());
  for (int i = 1; i < quantiles.size(); ++i) {
    EXPECT_GE(quantiles[i].absolute_error(), quantiles[i - 1].absolute_error());
  }
  ASSERT_GE(gelu.ulp_histogram_size(), 1);
  EXPECT_EQ(gelu.ulp_histogram(gelu.ulp_histogram_size() - 1).upper_bound(), 0.5);
  EXPECT_EQ(gelu.ulp_histogram(gelu.ulp_histogram_size() - 1).share_within(), 1);

  const v1::ApproximationReport& relu = response.reports(1);
  int64_t points = 0;
  for (const v1::RegionReport& region : relu.regions()) points += region.points();
  EXPECT_EQ(points, 65'536 - 2'046);
  // relu rises nowhere on the left, where gelu falls and rises.
  EXPECT_EQ(relu.reversals().count(), 0);
  EXPECT_GT(relu.flushed_to_zero().count(), 0);
  EXPECT_LT(relu.flushed_to_zero().highest_x(), 0);
  EXPECT_EQ(relu.flushed_to_zero().highest_x(), -0x1p-23);
  EXPECT_NEAR(relu.max_absolute_error().error(), 0.16997, 1e-5);
  EXPECT_NEAR(std::fabs(relu.max_absolute_error().x()), 0.7517, 1e-3);
  ASSERT_TRUE(relu.max_absolute_error().has_mirror());
  EXPECT_EQ(relu.max_absolute_error().mirror().x(), -relu.max_absolute_error().x());
  EXPECT_EQ(relu.curve().x_size(), relu.curve().error_size());
  EXPECT_LE(relu.curve().x_size(), 64);
  EXPECT_THAT(relu.curve().x(), testing::Contains(relu.max_absolute_error().x()));
}

TEST(Comparison, GivesTheSameReportHoweverManyBlocksAreComparedAtOnce) {
  for (const char* text :
       {kEveryFloat16,
        "reference { name: 'tanh' } candidates { name: 'hardtanh' }"
        " data_type: DATA_TYPE_FLOAT32 normal { standard_deviation: 3 points: 70000 seed: 5 }",
        "reference { name: 'mish' } candidates { name: 'silu' } grid { from: -9 to: 7 points: "
        "50001 }"
        " region_bounds: [-3, 1.5]"}) {
    const auto request = Parse<v1::CompareApproximationsRequest>(text);
    const auto plan = MakeComparePlan("", request, Limits());
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::string first;
    for (const int width : {1, 2, 5}) {
      Comparison comparison(*plan, width);
      // Backwards, as threads may come to it.
      while (!comparison.is_done()) {
        comparison.Step(width, kNotCancelled,
                        [](size_t count, absl::FunctionRef<void(size_t)> run) {
                          for (size_t i = count; i-- > 0;) run(i);
                        });
      }
      auto report = comparison.Report();
      for (v1::ApproximationReport& each : *report.mutable_reports()) {
        each.clear_nanoseconds_per_point();
      }
      const std::string bytes = report.ShortDebugString();
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << width;
    }
  }
}

TEST(Comparison, CountsErrorsBeyondFloat64sRangeAsItsLargestNumber) {
  const auto response = Compare(
      "reference { name: 'identity' } approximations { formula { expression: '-x' } }"
      " points { data_type: DATA_TYPE_FLOAT64 double_values: [1.7e308, 1] }");
  const v1::ApproximationReport& report = response.reports(0);
  EXPECT_EQ(report.finite_points(), 2);
  EXPECT_EQ(report.max_absolute_error().error(), std::numeric_limits<double>::max());
  EXPECT_DOUBLE_EQ(report.mean_absolute_error(), std::numeric_limits<double>::max() / 2);
  EXPECT_TRUE(std::isfinite(report.root_mean_square_error()));
  EXPECT_EQ(report.wrong_sign().count(), 2);
}

TEST(Comparison, AddsRegionsUpToTheWhole) {
  const auto response = Compare(
      "reference { name: 'gelu' } candidates { name: 'gelu_sigmoid' } data_type: DATA_TYPE_FLOAT32"
      " grid { from: -4 to: 4 points: 8001 } region_bounds: [-2, 2]");
  const v1::ApproximationReport& report = response.reports(0);
  ASSERT_EQ(report.regions_size(), 3);
  EXPECT_EQ(report.regions(0).from(), -kInfinity);
  EXPECT_EQ(report.regions(1).from(), -2);
  EXPECT_EQ(report.regions(1).to(), 2);
  EXPECT_EQ(report.regions(2).to(), kInfinity);
  int64_t points = 0;
  double squares = 0;
  double worst = 0;
  for (const v1::RegionReport& region : report.regions()) {
    points += region.points();
    squares += std::pow(region.root_mean_square_error(), 2) * static_cast<double>(region.points());
    worst = std::max(worst, region.max_absolute_error().error());
  }
  EXPECT_EQ(points, 8'001);
  EXPECT_EQ(worst, report.max_absolute_error().error());
  EXPECT_NEAR(std::sqrt(squares / 8'001), report.root_mean_square_error(), 1e-12);
}

TEST(Comparison, TakesOutputsThatWereComputedElsewhere) {
  // The last one is 0 where the truth is not, the third infinite, the second NaN.
  const auto response = Compare(
      "reference { name: 'gelu' } data_type: DATA_TYPE_FLOAT32"
      " points { data_type: DATA_TYPE_FLOAT32 float_values: [-6, -5, 1, 2] }"
      " approximations { label: 'mine' outputs { data_type: DATA_TYPE_FLOAT32"
      " float_values: [0, nan, inf, -1] } }");
  const v1::ApproximationReport& report = response.reports(0);
  EXPECT_EQ(report.label(), "mine");
  EXPECT_FALSE(report.has_candidate());
  EXPECT_EQ(report.finite_points(), 2);
  EXPECT_EQ(report.non_finite_mismatches(), 2);
  EXPECT_EQ(report.flushed_to_zero().count(), 1);
  EXPECT_EQ(report.flushed_to_zero().highest_x(), -6);
  EXPECT_EQ(report.unexpected_nan().count(), 1);
  EXPECT_EQ(report.unexpected_nan().lowest_x(), -5);
  EXPECT_EQ(report.overflowed().count(), 1);
  EXPECT_EQ(report.overflowed().lowest_x(), 1);
  EXPECT_EQ(report.wrong_sign().count(), 1);
  EXPECT_EQ(report.wrong_sign().lowest_x(), 2);
  EXPECT_EQ(report.nanoseconds_per_point(), 0);
  // gelu(2) is 1.9545, so the candidate falls where it rises.
  EXPECT_EQ(report.reversals().count(), 1);
  EXPECT_EQ(report.reversals().first_x(), 1);
}

}  // namespace
}  // namespace activation::server
