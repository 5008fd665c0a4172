// Comparisons: what is refused, the figures' definitions, and known gaps between functions.
#include "server/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/unit/requests.h"

namespace activation::server {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

v1::CompareApproximationsResponse Compare(const v1::CompareApproximationsRequest& request) {
  const auto plan = MakeComparePlan("", request, Limits());
  EXPECT_TRUE(plan.ok()) << plan.status();
  Comparison comparison(*plan);
  while (!comparison.is_done()) comparison.Step();
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
      {"reference { name: 'relu' } candidates { name: 'nothing' }", absl::StatusCode::kNotFound,
       "comparison.candidates[0].name"},
      {"reference { name: 'step' } grid { to: 1 points: 2 }", kInvalid,
       "comparison.candidates is empty, and step has no approximations"},
      {"reference { name: 'gelu' }", kInvalid,
       "comparison.domain is required: give either grid or points"},
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
  for (int i = 0; i < 33; ++i) request.add_candidates()->set_name("relu");
  EXPECT_THAT(MakeComparePlan("", request, Limits()).status().ToString(),
              HasSubstr("candidates has more than 32 items"));
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
}

v1::ApproximationReport Figures(engine::DataType type, double hi, double lo, double candidate) {
  ErrorFigures figures(type);
  figures.Add(1, hi, lo, candidate);
  v1::ApproximationReport report;
  figures.Fill(report);
  return report;
}

struct Ulp {
  const char* what;
  engine::DataType type;
  double hi;
  double lo;
  double candidate;
  double expected;
};

TEST(ErrorFigures, MeasureUlpsByTheSpacingAtTheTruth) {
  using engine::DataType;
  const Ulp cases[] = {
      {"at 1, above", DataType::kFloat32, 1, 0, 1 + 0x1p-23, 1},
      {"at 1, below: half a step of the binade above", DataType::kFloat32, 1, 0, 1 - 0x1p-24, 0.5},
      {"a truth just below 1", DataType::kFloat32, 1, -0x1p-60, 1 - 0x1p-24, 1 - 0x1p-36},
      {"a truth just above -1", DataType::kFloat32, -1, 0x1p-60, -1 + 0x1p-24, 1 - 0x1p-36},
      {"in float64", DataType::kFloat64, 3, 0, 3 + 0x1p-51, 1},
      {"in float16", DataType::kFloat16, 3, 0, 3 + 0x1p-9, 1},
      {"in bfloat16", DataType::kBFloat16, 3, 0, 3 + 0x1p-6, 1},
      {"among float32's subnormals", DataType::kFloat32, 0x1p-140, 0, 0, 512},
      {"at 0", DataType::kFloat16, 0, 0, 0x1p-24, 1},
      {"at float64's least number", DataType::kFloat64, 0x1p-1074, 0, 0, 1},
  };
  for (const Ulp& ulp : cases) {
    const auto report = Figures(ulp.type, ulp.hi, ulp.lo, ulp.candidate);
    EXPECT_EQ(report.max_ulp_error().error(), ulp.expected) << ulp.what;
  }
}

TEST(ErrorFigures, SeeErrorsFarBelowFloat64sRounding) {
  const auto report = Figures(engine::DataType::kFloat64, 1, 0x1p-80, 1);
  EXPECT_EQ(report.max_absolute_error().error(), 0x1p-80);
  EXPECT_EQ(report.mean_absolute_error(), 0x1p-80);
  EXPECT_EQ(report.root_mean_square_error(), 0x1p-80);
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
    const auto report = Figures(engine::DataType::kFloat32, c.truth, 0, c.candidate);
    EXPECT_EQ(report.points(), 1);
    EXPECT_EQ(report.non_finite_mismatches(), c.mismatches) << c.truth << " " << c.candidate;
    EXPECT_FALSE(report.has_max_absolute_error());
    EXPECT_FALSE(report.has_max_relative_error());
    EXPECT_FALSE(report.has_max_ulp_error());
  }
}

TEST(ErrorFigures, KeepTheFirstOfEqualMaximaAndLeaveZerosOutOfTheRelativeOne) {
  ErrorFigures figures(engine::DataType::kFloat32);
  figures.Add(10, 0, 0, 5);
  figures.Add(11, 1, 0, 3);
  figures.Add(12, -1, 0, -3);
  v1::ApproximationReport report;
  figures.Fill(report);
  EXPECT_EQ(report.max_absolute_error().x(), 10);
  EXPECT_EQ(report.max_relative_error().x(), 11);
  EXPECT_EQ(report.max_relative_error().error(), 2);
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
