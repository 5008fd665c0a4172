// Tables: values by hand, ends, fixed point against a plain model, and what is refused.
#include "server/compare/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "tests/unit/fixed_point_model.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

using engine::Quantity;
using testing::ElementsAre;
using testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kTent = "knots: [-1, 0, 2] values: [1, 3, 2]";
constexpr const char* kCurved =
    "knots: [0, 1, 3] pieces { coefficients: [1, 2, 3] } pieces { coefficients: [6, 0, -1, 0] }";

TableKernel Make(const v1::Table& table, Quantity quantity = Quantity::kValue) {
  auto kernel = MakeTable("table", table, quantity);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return *std::move(kernel);
}

std::vector<double> At(const TableKernel& kernel, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  kernel.Run(DataType::kFloat64, std::as_bytes(std::span(x)).data(),
             std::as_writable_bytes(std::span(y)).data(), x.size());
  return y;
}

std::vector<double> At(const std::string& table, const std::vector<double>& x,
                       Quantity quantity = Quantity::kValue) {
  return At(Make(Parse<v1::Table>(table), quantity), x);
}

TEST(Table, InterpolatesLinearlyAndGoesOn) {
  EXPECT_THAT(At(kTent, {-1, -0.5, 0, 1, 2}), ElementsAre(1, 2, 3, 2.5, 2));
  EXPECT_THAT(At(kTent, {-2, 4}), ElementsAre(-1, 1));
  EXPECT_THAT(At(kTent, {-kInfinity, kInfinity}), ElementsAre(-kInfinity, -kInfinity));
}

TEST(Table, HoldsTheOuterValues) {
  const std::string table = std::string(kTent) + " outside: OUTSIDE_HOLD";
  EXPECT_THAT(At(table, {-kInfinity, -2, -1, -0.5, 2, 4, kInfinity}),
              ElementsAre(1, 1, 1, 2, 2, 2, 2));
}

TEST(Table, IsExactAtKnots) {
  v1::Table table;
  for (int i = 0; i < 200; ++i) {
    table.add_knots(std::sin(i * 0.007));
    table.add_values(std::exp(std::cos(i * 3.0) * 30));
  }
  const std::vector<double> knots(table.knots().begin(), table.knots().end());
  const std::vector<double> values(table.values().begin(), table.values().end());
  EXPECT_EQ(At(Make(table), knots), values);
  table.set_outside(v1::Table::OUTSIDE_HOLD);
  EXPECT_EQ(At(Make(table), knots), values);
}

TEST(Table, RoundsEachOperationInTheStatedOrder) {
  const double slope = (0.7 - 0.3) / (0.9 - 0.1);
  const double step = (0.55 - 0.1) * slope;
  EXPECT_THAT(At("knots: [0.1, 0.9] values: [0.3, 0.7]", {0.55}), ElementsAre(0.3 + step));
}

TEST(Table, EvaluatesPolynomialsFromTheirKnot) {
  EXPECT_THAT(At(kCurved, {0, 0.5, 1, 2, 3}), ElementsAre(1, 2.75, 6, 5, 2));
  EXPECT_THAT(At(kCurved, {-1, 4}), ElementsAre(2, -3));
  EXPECT_THAT(At(kCurved, {-kInfinity, kInfinity}), ElementsAre(kInfinity, -kInfinity));
}

TEST(Table, HoldsPolynomialsAtTheOuterKnots) {
  const std::string table = std::string(kCurved) + " outside: OUTSIDE_HOLD";
  EXPECT_THAT(At(table, {-kInfinity, -1, 0, 2.5, 3, 4, kInfinity}),
              ElementsAre(1, 1, 1, 3.75, 2, 2, 2));
}

TEST(Table, GivesTheLimitOfConstantPiecesAtInfinity) {
  const char* table =
      "knots: [0, 1, 2] pieces { coefficients: [7, 0] } pieces { coefficients: [8, 0, 0] }";
  EXPECT_THAT(At(table, {-kInfinity, kInfinity}), ElementsAre(7, 8));
  EXPECT_THAT(At("knots: [0, 1] values: [5, 5]", {-kInfinity, kInfinity}), ElementsAre(5, 5));
}

TEST(Table, DerivativesAreThoseOfThePieceOnTheRight) {
  constexpr auto kDerivative = Quantity::kDerivative;
  EXPECT_THAT(At(kTent, {-2, -1, -0.5, 0, 2, 3, kInfinity}, kDerivative),
              ElementsAre(2, 2, 2, -0.5, -0.5, -0.5, -0.5));
  EXPECT_THAT(At(kCurved, {-1, 0, 0.5, 1, 2, 3, 4}, kDerivative),
              ElementsAre(-4, 2, 5, 0, -2, -4, -6));
  EXPECT_THAT(
      At(std::string(kCurved) + " outside: OUTSIDE_HOLD", {-1, 0, 2, 3, kInfinity}, kDerivative),
      ElementsAre(0, 2, -2, 0, 0));
  EXPECT_THAT(At(std::string(kTent) + " outside: OUTSIDE_HOLD", {-2, -1, 1, 2}, kDerivative),
              ElementsAre(0, 2, -0.5, 0));
  EXPECT_THAT(At("knots: [0, 1] pieces { coefficients: 4 }", {0.5}, kDerivative), ElementsAre(0));
}

TEST(Table, NaNGivesThePlainNaN) {
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    const double y = At(kTent, {-kNaN}, quantity)[0];
    EXPECT_EQ(std::bit_cast<uint64_t>(y), 0x7ff8000000000000u);
  }
}

template <typename T>
std::vector<T> RunAs(DataType type, const TableKernel& kernel, std::vector<T> x) {
  kernel.Run(type, std::as_bytes(std::span(x)).data(), std::as_writable_bytes(std::span(x)).data(),
             x.size());
  return x;
}

TEST(Table, RoundsToTheTypeOnceAndInPlace) {
  const TableKernel third = Make(Parse<v1::Table>("knots: [0, 3] values: [0, 1]"));
  EXPECT_THAT(RunAs<float>(DataType::kFloat32, third, std::vector<float>(1000, 1)),
              testing::Each(1.0F / 3));
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16}) {
    const auto one = static_cast<uint16_t>(ToBits(type, 1));
    EXPECT_THAT(RunAs<uint16_t>(type, third, {one}), ElementsAre(ToBits(type, 1.0 / 3)));
  }
}

// Linear pieces of values, or else polynomials, evaluated as v1::Table says in the model's numbers.
double InModel(const v1::Table& table, double at) {
  const FixedPointModel model(table.fixed_point());
  const int last = table.knots_size() - 1;
  const double x = model.Result(at);
  int piece = 0;
  while (piece < last && x >= model.Constant(table.knots(piece + 1))) ++piece;
  const bool is_below = x < model.Constant(table.knots(0));
  const auto evaluate = [&](int i, double t) {
    double result = 0;
    const auto& coefficients = table.pieces(i).coefficients();
    for (int k = coefficients.size() - 1; k >= 0; --k) {
      const double product = model.Result(result * t);
      result = model.Result(model.Constant(coefficients[k]) + product);
    }
    return result;
  };
  const bool holds = table.outside() == v1::Table::OUTSIDE_HOLD;
  const auto knot = [&](int i) { return model.Constant(table.knots(i)); };
  if (table.values().empty()) {
    const int i = std::min(piece, last - 1);
    if (holds && is_below) return evaluate(0, 0);
    return evaluate(i, model.Result((holds && piece == last ? knot(last) : x) - knot(i)));
  }
  const auto value = [&](int i) { return model.Constant(table.values(i)); };
  if (holds && (is_below || piece == last)) return value(piece);
  const int i = std::min(piece, last - 1);
  const double slope = model.Constant((value(i + 1) - value(i)) / (knot(i + 1) - knot(i)));
  return model.Result(value(piece) + model.Result(model.Result(x - knot(piece)) * slope));
}

TEST(Table, FixedPointIsThatOfAPlainModelForEveryNumber) {
  const char* const tables[] = {
      "knots: [-3.1, -1.3, 0, 0.6, 2.2] values: [-0.04, -0.17, 0.01, 1.4, 3.7]",
      "knots: [-4, 4] values: [-9, 9]",
      "knots: [-2, 0.3, 1.9] pieces { coefficients: [0.5, -1.3, 0.7] } pieces { coefficients: 9 }",
      "knots: [-1, 2] pieces { coefficients: [0.5, -1.3, 0.7, 0.11] }",
  };
  std::vector<double> x;
  for (int i = -512; i < 512; ++i) x.push_back(i / 64.0);
  for (const char* text : tables) {
    for (int rule = 0; rule < 16; ++rule) {
      v1::Table table = Parse<v1::Table>(text);
      table.set_outside(rule & 1 ? v1::Table::OUTSIDE_HOLD : v1::Table::OUTSIDE_UNSPECIFIED);
      table.mutable_fixed_point()->set_integer_bits(2);
      table.mutable_fixed_point()->set_fraction_bits(5);
      table.mutable_fixed_point()->set_overflow(rule & 2 ? v1::FixedPoint::OVERFLOW_WRAP
                                                         : v1::FixedPoint::OVERFLOW_UNSPECIFIED);
      table.mutable_fixed_point()->set_rounding(static_cast<v1::FixedPoint::Rounding>(rule / 4));
      const std::vector<double> y = At(Make(table), x);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y[i], InModel(table, x[i])) << "x " << x[i] << "\n" << table.DebugString();
      }
    }
  }
}

TEST(Table, FixedPointSaturatesOrWraps) {
  // In quarters from -4 to 3.75: the value 6 is 3.75, so the slope is 1/4.
  const std::string table =
      "knots: [0, 1] values: [3.5, 6] fixed_point { integer_bits: 2 fraction_bits: 2 ";
  EXPECT_THAT(At(table + "}", {0, 1, kNaN, kInfinity, -kInfinity}),
              ElementsAre(3.5, 3.75, 3.5, 3.75, 2.5));
  // 3.75 + 2.75/4 = 3.75 + 0.75 (rounded) is 8 too much; 4 is -4.
  EXPECT_THAT(At(table + "overflow: OVERFLOW_WRAP }", {3.75, 4}), ElementsAre(-3.5, 2.5));
}

TEST(Table, RefusesWithTheFieldAndWhatWouldBeRight) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  const struct {
    const char* table;
    absl::StatusCode code;
    const char* message;
    Quantity quantity = Quantity::kValue;
  } cases[] = {
      {"", kInvalid, "table.knots has 0 items; allowed are 2 to 65536"},
      {"knots: 1 values: 1", kInvalid, "table.knots has 1 item; allowed are 2 to 65536"},
      {"knots: [0, inf]", kInvalid, "table.knots[1] is inf; it has to be finite"},
      {"knots: [nan, 0]", kInvalid, "table.knots[0] is nan; it has to be finite"},
      {"knots: [0, 1, 1]", kInvalid,
       "table.knots[2] is 1, but the knot before it is 1; knots have to ascend"},
      {"knots: [0, 1, 2, 1.5]", kInvalid, "table.knots[3] is 1.5, but the knot before it is 2"},
      {"knots: [0, 1]", kInvalid, "table has neither values nor pieces; give one of them"},
      {"knots: [0, 1] values: [1, 2] pieces {}", kInvalid,
       "table has values and pieces; give only one of them"},
      {"knots: [0, 1] values: [1, 2, 3]", kInvalid,
       "table.values has 3 items; it has to have 2, one for each knot"},
      {"knots: [0, 1] values: [1, nan]", kInvalid, "table.values[1] is nan; it has to be finite"},
      {"knots: [0, 1, 2] values: [0, -1e308, 1e308]", kInvalid,
       "table.values[2]: the slope from the value before it to this one is beyond float64"},
      {"knots: [0, 1e-300] values: [0, 1e10]", kInvalid, "table.values[1]: the slope"},
      {"knots: [0, 1, 2] pieces { coefficients: 1 }", kInvalid,
       "table.pieces has 1 item; it has to have 2, one less than knots"},
      {"knots: [0, 1] pieces {}", kInvalid,
       "table.pieces[0].coefficients has 0 items; allowed are 1 to 16"},
      {"knots: [0, 1] pieces { coefficients: [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0] }", kInvalid,
       "table.pieces[0].coefficients has 17 items; allowed are 1 to 16"},
      {"knots: [0, 1, 2] pieces { coefficients: 1 } pieces { coefficients: [1, -inf] }", kInvalid,
       "table.pieces[1].coefficients[1] is -inf; it has to be finite"},
      {"knots: [0, 1] pieces { coefficients: [0, 0, 1e308] }", kInvalid,
       "table.pieces[0].coefficients[2] is 1e+308; the derivative's coefficient",
       Quantity::kDerivative},
      {"knots: [0, 1] values: [1, 2] fixed_point { integer_bits: 40 }", kInvalid,
       "table.fixed_point.integer_bits is 40; allowed are 0 to 31"},
      {"knots: [0, 0.1, 0.2] values: [1, 2, 3] fixed_point { integer_bits: 2 fraction_bits: 2 }",
       kInvalid,
       "table.knots[1] is 0.1, which in fixed point is the same number as 0, the knot before it; "
       "numbers there are 0.25 apart, the highest is 3.75"},
      {"knots: [0, 4, 8] values: [1, 2, 3] fixed_point { integer_bits: 2 fraction_bits: 2 }",
       kInvalid, "table.knots[2] is 8, which in fixed point is the same number as 4"},
      {"knots: [0, 1] values: [1, 2] fixed_point { integer_bits: 2 }", kUnimplemented,
       "table.fixed_point: a table in fixed point has no derivative", Quantity::kDerivative},
  };
  for (const auto& wrong : cases) {
    const auto made = MakeTable("table", Parse<v1::Table>(wrong.table), wrong.quantity);
    EXPECT_EQ(made.status().code(), wrong.code) << wrong.table;
    EXPECT_THAT(std::string(made.status().message()), StartsWith(wrong.message));
  }
}

TEST(Table, RefusesMoreKnotsThanTheLimitAndAnUnknownOutside) {
  v1::Table table;
  for (int i = 0; i < 65'536; ++i) table.add_knots(i);
  *table.mutable_values() = table.knots();
  EXPECT_TRUE(MakeTable("table", table, Quantity::kValue).ok());
  table.set_outside(static_cast<v1::Table::Outside>(2));
  EXPECT_THAT(std::string(MakeTable("table", table, Quantity::kValue).status().message()),
              StartsWith("table.outside is 2, which has no meaning; use OUTSIDE_UNSPECIFIED or "
                         "OUTSIDE_HOLD"));
  table.add_knots(65'536);
  EXPECT_THAT(std::string(MakeTable("table", table, Quantity::kValue).status().message()),
              StartsWith("table.knots has 65537 items"));
}

}  // namespace
}  // namespace activation::server
