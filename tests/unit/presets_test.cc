// Presets: each is as near to what it approximates as was published, and what is refused.
#include "server/compare/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/table.h"
#include "server/formula/kernel.h"
#include "server/rpc/describe.h"
#include "tests/unit/requests.h"

namespace activation::server {
namespace {

using testing::StartsWith;

constexpr int kPoints = 24'001;

engine::Function Reference(const std::string& name) { return *engine::FindFunction(name); }

double Truth(const engine::Function& function, double x) {
  double y = 0;
  engine::Run(
      {.function = function,
       .quantity = engine::Quantity::kValue,
       .input_type = DataType::kFloat64,
       .output_type = DataType::kFloat64},
      {.input = reinterpret_cast<const std::byte*>(&x), .output = reinterpret_cast<std::byte*>(&y)},
      1);
  return y;
}

v1::Approximation Expand(const std::string& preset, const engine::Function& reference) {
  const auto expanded = ExpandPreset("preset", Parse<v1::Preset>(preset), reference);
  EXPECT_TRUE(expanded.ok()) << expanded.status();
  return *expanded;
}

template <typename Kernel>
std::function<double(double)> ValuesOf(const absl::StatusOr<Kernel>& kernel) {
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return [kernel = *kernel](double x) {
    double y = 0;
    kernel.Run(DataType::kFloat64, reinterpret_cast<const std::byte*>(&x),
               reinterpret_cast<std::byte*>(&y), 1);
    return y;
  };
}

absl::StatusOr<formula::FormulaKernel> MakeFormula(
    const v1::Formula& text, DataType arithmetic = DataType::kFloat64,
    engine::Quantity quantity = engine::Quantity::kValue) {
  return formula::FormulaKernel::Make(
      {.expression = text.expression(),
       .parameters = {text.parameters().begin(), text.parameters().end()},
       .arithmetic = arithmetic},
      quantity);
}

std::function<double(double)> ValuesOf(const v1::Approximation& approximation) {
  if (approximation.has_formula()) return ValuesOf(MakeFormula(approximation.formula()));
  return ValuesOf(MakeTable("preset", approximation.table(), engine::Quantity::kValue));
}

double LargestError(const std::string& preset, const std::string& name, double from, double to) {
  const engine::Function reference = Reference(name);
  const auto value = ValuesOf(Expand(preset, reference));
  double largest = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double x = from + (to - from) * i / (kPoints - 1);
    largest = std::max(largest, std::fabs(value(x) - Truth(reference, x)));
  }
  return largest;
}

TEST(Presets, GeluByErfHasThePublishedBoundOfErf) {
  const struct {
    const char* preset;
    double bound;
  } cases[] = {{"name: 'gelu_erf_7_1_25'", 2.5e-5},
               {"name: 'gelu_erf_7_1_26'", 1.5e-7},
               {"name: 'gelu_erf_7_1_27'", 5e-4},
               {"name: 'gelu_erf_7_1_28'", 3e-7}};
  const engine::Function gelu = Reference("gelu");
  for (const auto& known : cases) {
    const auto value = ValuesOf(Expand(known.preset, gelu));
    double largest = 0;
    for (double x = -8; x <= 8; x += 0.001) {
      const double erf_error = 2 * std::fabs((value(x) - Truth(gelu, x)) / x);
      if (x != 0) largest = std::max(largest, erf_error);
    }
    EXPECT_LE(largest, known.bound) << known.preset;
    // The bounds are tight; what is far below isn't this formula.
    EXPECT_GE(largest, known.bound / 1.25) << known.preset;
  }
}

TEST(Presets, ErrorsAreThePublishedOnes) {
  const struct {
    const char* preset;
    const char* reference;
    double error;
  } cases[] = {
      // Kim et al., table 1: 0.018, 0.068 and 0.020.
      {"name: 'gelu_ibert'", "gelu", 1.81519e-2},
      {"name: 'gelu_hard'", "gelu", 6.8705e-2},
      {"name: 'gelu_by_sigmoid'", "gelu", 2.0335e-2},
      {"name: 'gelu_by_tanh'", "gelu", 4.73236e-4},
      {"name: 'gelu_relu'", "gelu", 0.16997},
      {"name: 'softplus_relu'", "softplus", std::log(2)},
      {"name: 'silu_hard'", "silu", 0.142278},
      {"name: 'sigmoid_hard'", "sigmoid", 6.9182e-2},
      {"name: 'sigmoid_hard_linear'", "sigmoid", 7.5858e-2},
      // Amin et al.: 1.89 %.
      {"name: 'sigmoid_plan'", "sigmoid", 1.894e-2},
      {"name: 'tanh_hard'", "tanh", 1 - std::tanh(1)},
      {"name: 'tanh_rational_13_6'", "tanh", 2.602e-7},
      {"name: 'tanh_pade_3_2'", "tanh", 1.9048e-2},
      {"name: 'tanh_pade_5_4'", "tanh", 1.359e-3},
      {"name: 'tanh_pade_7_6'", "tanh", 9.6065e-5},
      {"name: 'piecewise_linear'", "gelu", 7.5488e-2},
      {"name: 'piecewise_linear' parameters { key: 'segments' value: 64 }", "gelu", 6.1212e-3},
      {"name: 'piecewise_linear' parameters { key: 'segments' value: 256 }", "gelu", 3.8915e-4},
  };
  for (const auto& known : cases) {
    EXPECT_NEAR(LargestError(known.preset, known.reference, -12, 12), known.error,
                known.error / 500)
        << known.preset;
  }
}

TEST(Presets, MayBeComparedWithOtherReferencesAsTheCataloguesOwnForms) {
  EXPECT_LT(LargestError("name: 'silu_hard'", "hard_swish", -10, 10), 2e-15);
  EXPECT_LT(LargestError("name: 'sigmoid_hard'", "hard_sigmoid", -10, 10), 1e-15);
  EXPECT_LT(LargestError("name: 'sigmoid_hard_linear'", "hard_sigmoid_linear", -10, 10), 1e-15);
  EXPECT_LT(LargestError("name: 'tanh_hard'", "hardtanh", -10, 10), 1e-15);
  EXPECT_LT(LargestError("name: 'gelu_by_sigmoid'", "gelu_sigmoid", -10, 10), 1e-14);
  EXPECT_LT(LargestError("name: 'gelu_by_tanh'", "gelu_tanh", -10, 10), 1e-10);
  EXPECT_EQ(LargestError("name: 'gelu_relu'", "relu", -10, 10), 0);
}

TEST(Presets, FormulasWorkInNarrowArithmeticAndHaveDerivatives) {
  const v1::ListActivationsResponse list = ListActivations();
  for (const v1::PresetInfo& info : list.presets()) {
    if (info.formula().empty()) continue;
    const engine::Function reference = Reference(info.reference());
    const v1::Formula formula = Expand("name: '" + info.name() + "'", reference).formula();
    // Not float16, which some constants are beyond.
    for (const auto type : {DataType::kFloat32, DataType::kBFloat16}) {
      const auto narrow = ValuesOf(MakeFormula(formula, type));
      EXPECT_NEAR(narrow(0.75), Truth(reference, 0.75), 0.4) << info.name();
    }
    const auto value = ValuesOf(MakeFormula(formula));
    const auto slope =
        ValuesOf(MakeFormula(formula, DataType::kFloat64, engine::Quantity::kDerivative));
    EXPECT_NEAR(slope(0.75), (value(0.75 + 1e-5) - value(0.75 - 1e-5)) / 2e-5, 1e-8) << info.name();
  }
}

TEST(Presets, QuotientsReach1AtTheirBound) {
  for (const char* name : {"tanh_pade_3_2", "tanh_pade_5_4", "tanh_pade_7_6"}) {
    const auto value = ValuesOf(Expand(std::string("name: '") + name + "'", Reference("tanh")));
    EXPECT_NEAR(value(100), 1, 1e-15) << name;
    EXPECT_NEAR(value(-100), -1, 1e-15) << name;
  }
}

TEST(Presets, PiecewiseQuadraticMeetsTheReferenceThreeTimesASegment) {
  const engine::Function silu = Reference("silu");
  const auto value = ValuesOf(Expand("name: 'piecewise_quadratic'", silu));
  for (double x = -8; x <= 8; x += 0.5) EXPECT_NEAR(value(x), Truth(silu, x), 1e-14) << x;
}

TEST(Presets, PiecewiseQuadraticIsOfThirdOrder) {
  const char* const preset = "name: 'piecewise_quadratic' parameters { key: 'segments' value: ";
  const double coarse = LargestError(std::string(preset) + "64 }", "gelu", -8, 8);
  const double fine = LargestError(std::string(preset) + "128 }", "gelu", -8, 8);
  // |f'''| <= 1.1 or so, over 9 sqrt(3), times the cube of half a segment.
  EXPECT_LT(coarse, 1.2 / (9 * std::sqrt(3)) * std::pow(0.125, 3));
  EXPECT_NEAR(coarse / fine, 8, 0.5);
}

TEST(Presets, TablesGoOnStraightBeyondTheirBounds) {
  for (const char* name : {"piecewise_linear", "piecewise_quadratic"}) {
    const auto value = ValuesOf(Expand(std::string("name: '") + name + "'", Reference("gelu")));
    EXPECT_NEAR(value(1e6), 1e6, 1) << name;
    EXPECT_NEAR(value(-1e6), 0, 1) << name;
    // No corner at the bound.
    EXPECT_NEAR(value(8.01) - value(8), value(8) - value(7.99), 1e-5) << name;
  }
}

TEST(Presets, TablesAreOfTheReferenceWithItsParameters) {
  engine::Function elu = Reference("elu");
  elu.parameters[0] = 3;
  const auto value = ValuesOf(Expand("name: 'piecewise_linear'", elu));
  EXPECT_EQ(value(-2), Truth(elu, -2));
  const v1::Approximation wide = Expand(
      "name: 'piecewise_linear' parameters { key: 'from' value: -1 } "
      "parameters { key: 'to' value: 2 } parameters { key: 'segments' value: 3 }",
      elu);
  EXPECT_THAT(wide.table().knots(), testing::ElementsAre(-1, 0, 1, 2));
}

TEST(Presets, FixedPointIsNearTheTableInFloat64) {
  const auto exact = ValuesOf(Expand("name: 'piecewise_linear'", Reference("gelu")));
  const v1::Approximation table = Expand("name: 'fixed_point_piecewise_linear'", Reference("gelu"));
  EXPECT_EQ(table.table().fixed_point().integer_bits(), 4);
  EXPECT_EQ(table.table().fixed_point().fraction_bits(), 11);
  const auto fixed = ValuesOf(table);
  double largest = 0;
  for (double x = -8; x <= 8; x += 1.0 / 2048) {
    largest = std::max(largest, std::fabs(fixed(x) - exact(x)));
  }
  EXPECT_GT(largest, 0.5 / 2048);
  EXPECT_LT(largest, 2.0 / 2048);
}

TEST(Presets, ParametersReplaceTheDefaults) {
  const auto value = ValuesOf(
      Expand("name: 'gelu_by_sigmoid' parameters { key: 'scale' value: 1 }", Reference("gelu")));
  EXPECT_NEAR(value(1.5), Truth(Reference("silu"), 1.5), 1e-15);
}

TEST(Presets, RefusesWithTheFieldAndWhatWouldBeRight) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const struct {
    const char* preset;
    absl::StatusCode code;
    const char* message;
    const char* reference = "gelu";
  } cases[] = {
      {"", kInvalid, "p.name is required"},
      {"name: 'gelu_ibret'", absl::StatusCode::kNotFound,
       "p.name: there is no preset \"gelu_ibret\". Near names: gelu_ibert"},
      {"name: 'tanh_hard' parameters { key: 'a' }", kInvalid,
       "p.parameters[\"a\"]: tanh_hard has no parameters"},
      {"name: 'gelu_ibert' parameters { key: 'c' }", kInvalid,
       "p.parameters[\"c\"]: gelu_ibert has no such parameter; it has a, b"},
      {"name: 'gelu_ibert' parameters { key: 'b' value: 1 }", kInvalid,
       "p.parameters[\"b\"] is 1; allowed is a finite number from"},
      {"name: 'gelu_ibert' parameters { key: 'a' value: nan }", kInvalid,
       "p.parameters[\"a\"] is nan; allowed is"},
      {"name: 'piecewise_linear' parameters { key: 'segments' value: 0 }", kInvalid,
       "p.parameters[\"segments\"] is 0; allowed is a finite number from 1 to 4096"},
      {"name: 'piecewise_quadratic' parameters { key: 'segments' value: 4097 }", kInvalid,
       "p.parameters[\"segments\"] is 4097; allowed is"},
      {"name: 'piecewise_linear' parameters { key: 'segments' value: 1.5 }", kInvalid,
       "p.parameters[\"segments\"] is 1.5; it has to be a whole number"},
      {"name: 'fixed_point_piecewise_linear' parameters { key: 'fraction_bits' value: 1.5 }",
       kInvalid, "p.parameters[\"fraction_bits\"] is 1.5; it has to be a whole number"},
      {"name: 'piecewise_linear' parameters { key: 'from' value: 8 }", kInvalid,
       "p.parameters[\"from\"] is 8; it has to be below to, which is 8"},
      {"name: 'piecewise_linear'", kInvalid,
       "p: leaky_relu has no finite value at -8, where this preset needs one", "leaky_relu"},
  };
  for (const auto& wrong : cases) {
    engine::Function reference = Reference(wrong.reference);
    if (std::string(wrong.reference) == "leaky_relu") reference.parameters[0] = 1e308;
    const auto expanded = ExpandPreset("p", Parse<v1::Preset>(wrong.preset), reference);
    EXPECT_EQ(expanded.status().code(), wrong.code) << wrong.preset;
    EXPECT_THAT(std::string(expanded.status().message()), StartsWith(wrong.message));
  }
}

TEST(ListPresets, TellsWhatEachIsAndEachExpands) {
  const v1::ListActivationsResponse list = ListActivations();
  EXPECT_GE(list.presets_size(), 20);
  for (const v1::PresetInfo& info : list.presets()) {
    SCOPED_TRACE(info.name());
    const std::string reference = info.reference().empty() ? "mish" : info.reference();
    const auto function = engine::FindFunction(reference);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->spec->name, reference);
    EXPECT_THAT(info.description(), testing::EndsWith("."));
    EXPECT_FALSE(info.source().empty());
    EXPECT_LE(info.formula().size(), 1000u);
    const v1::Approximation expanded = Expand("name: '" + info.name() + "'", *function);
    EXPECT_EQ(expanded.label(), info.name());
    EXPECT_EQ(expanded.has_table(), info.formula().empty());
    EXPECT_EQ(expanded.formula().expression(), info.formula());
    for (const v1::ParameterInfo& parameter : info.parameters()) {
      EXPECT_LE(parameter.minimum(), parameter.default_value());
      EXPECT_GE(parameter.maximum(), parameter.default_value());
      EXPECT_FALSE(parameter.description().empty());
    }
    ValuesOf(expanded)(0.5);
  }
}

}  // namespace
}  // namespace activation::server
