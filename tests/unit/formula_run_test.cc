// Formulas, operation by operation: the same bits as programs that are written out by hand.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/formula/kernel.h"

namespace activation::formula {
namespace {

using engine::Quantity;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename T>
std::vector<T> Compute(const FormulaSpec& spec, const std::vector<T>& x,
                       Quantity quantity = Quantity::kValue) {
  constexpr DataType kTypes[] = {DataType::kFloat16, DataType::kFloat32, DataType::kFloat64};
  const auto kernel = FormulaKernel::Make(spec, quantity);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  std::vector<T> y(x.size());
  // A type of two bytes is the arithmetic's.
  const DataType type = sizeof(T) == 2 ? spec.arithmetic : kTypes[sizeof(T) / 4];
  if (kernel.ok()) {
    kernel->Run(type, std::as_bytes(std::span(x)).data(),
                std::as_writable_bytes(std::span(y)).data(), x.size());
  }
  return y;
}

template <typename T>
void ExpectSameBits(T got, T wanted, double x) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  if (std::isnan(got) && std::isnan(wanted)) return;
  ASSERT_EQ(std::bit_cast<Bits>(got), std::bit_cast<Bits>(wanted)) << got << " at " << x;
}

// Bits at random: subnormals, infinities and NaNs are among them.
std::vector<float> RandomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = std::bit_cast<float>(static_cast<uint32_t>(random()));
  return values;
}

std::vector<float> FloatsAround0(size_t count) {
  std::mt19937 random(7);
  std::vector<float> values(count);
  for (float& value : values) value = 24 * (random() / 4294967296.0F) - 12;
  return values;
}

float Tanh(float x) { return static_cast<float>(std::tanh(static_cast<long double>(x))); }

TEST(FormulaRun, RoundsEachStepToFloat32) {
  const std::vector<float> x = FloatsAround0(100'003);
  const auto y = Compute<float>({.expression = "0.5*x*(1+tanh(0.7978845608*(x+0.044715*x^3)))",
                                 .arithmetic = DataType::kFloat32},
                                x);
  for (size_t i = 0; i < x.size(); ++i) {
    const volatile float square = x[i] * x[i];
    const volatile float cube = square * x[i];
    const volatile float scaled = 0.044715F * cube;
    const volatile float inner = x[i] + scaled;
    const volatile float argument = 0.7978845608F * inner;
    const volatile float factor = 1 + Tanh(argument);
    const volatile float half = 0.5F * x[i];
    ExpectSameBits<float>(y[i], half * factor, x[i]);
  }
}

TEST(FormulaRun, FusesProductsThatAreAdded) {
  const std::vector<float> x = FloatsAround0(50'000);
  const auto run = [&](const char* expression) {
    return Compute<float>(
        {.expression = expression, .arithmetic = DataType::kFloat32, .is_fused = true}, x);
  };
  const auto right = run("x*0.1+x*x");
  const auto left = run("x*0.1+x");
  const auto subtracted = run("0.3-x*0.1");
  const auto from = run("x*0.1-0.3");
  const auto both = run("x*0.1-x*x");
  const auto power = run("x^2+0.1");
  const auto quotient = run("x/3+x");
  for (size_t i = 0; i < x.size(); ++i) {
    const float v = x[i];
    const volatile float rounded = v * 0.1F;
    const volatile float square = v * v;
    const volatile float third = v / 3;
    ExpectSameBits(right[i], std::fma(v, v, rounded), v);
    ExpectSameBits(left[i], std::fma(v, 0.1F, v), v);
    ExpectSameBits(subtracted[i], std::fma(-v, 0.1F, 0.3F), v);
    ExpectSameBits(from[i], std::fma(v, 0.1F, -0.3F), v);
    ExpectSameBits(both[i], std::fma(-v, v, rounded), v);
    ExpectSameBits(power[i], square + 0.1F, v);
    ExpectSameBits(quotient[i], third + v, v);
  }
}

TEST(FormulaRun, KeepsSubnormalsInfinitiesAndNaN) {
  const std::vector<float> x = RandomFloats(50'000, 1);
  const std::vector<float> parameters = RandomFloats(80, 2);
  for (size_t k = 0; k + 1 < parameters.size(); k += 2) {
    const float a = parameters[k];
    const float b = parameters[k + 1];
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    FormulaSpec spec = {.expression = "a*x+b",
                        .parameters = {{"a", a}, {"b", b}},
                        .arithmetic = DataType::kFloat32};
    const auto steps = Compute(spec, x);
    spec.is_fused = true;
    const auto fused = Compute(spec, x);
    spec.expression = "a/x-sqrt(b*x)";
    const auto others = Compute(spec, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const volatile float product = a * x[i];
      const volatile float quotient = a / x[i];
      const volatile float other = b * x[i];
      ExpectSameBits<float>(steps[i], product + b, x[i]);
      ExpectSameBits(fused[i], std::fma(a, x[i], b), x[i]);
      ExpectSameBits(others[i], quotient - std::sqrt(other), x[i]);
    }
  }
}

TEST(FormulaRun, FusesInFloat64) {
  const std::vector<double> x = {0.1, 1.0 / 3, 1e300, -7.7, 5e-324};
  const auto y = Compute<double>({.expression = "x*x-0.1*x", .is_fused = true}, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const volatile double square = x[i] * x[i];
    ExpectSameBits(y[i], std::fma(-0.1, x[i], square), x[i]);
  }
}

TEST(FormulaRun, RoundsFunctionsOnce) {
  struct Function {
    const char* expression;
    long double (*exact)(long double);
  };
  const Function functions[] = {
      {"exp(x)", std::exp},     {"expm1(x)", std::expm1}, {"log(x)", std::log},
      {"log1p(x)", std::log1p}, {"sin(x)", std::sin},     {"cos(x)", std::cos},
      {"tanh(x)", std::tanh},   {"cosh(x)", std::cosh},   {"erf(x)", std::erf},
      {"erfc(x)", std::erfc},   {"atan(x)", std::atan},
  };
  std::vector<float> x = RandomFloats(20'000, 3);
  const std::vector<float> around = FloatsAround0(20'000);
  x.insert(x.end(), around.begin(), around.end());
  for (const auto& [expression, exact] : functions) {
    const auto narrow =
        Compute<float>({.expression = expression, .arithmetic = DataType::kFloat32}, x);
    const auto wide = Compute<double>({.expression = expression}, {x.begin(), x.end()});
    for (size_t i = 0; i < x.size(); ++i) {
      ExpectSameBits(narrow[i], static_cast<float>(exact(x[i])), x[i]);
      ExpectSameBits(wide[i], static_cast<double>(exact(x[i])), x[i]);
    }
  }
}

// The erf form in float32 is 0 where 1 + erf cancels.
TEST(FormulaRun, ShowsWhereTheErfFormCancels) {
  std::vector<float> x;
  for (float v = -5.6F; v < -5.5F; v = std::nextafter(v, 0.0F)) x.push_back(v);
  const auto y = Compute<float>(
      {.expression = "0.5*x*(1+erf(x/sqrt(2)))", .arithmetic = DataType::kFloat32}, x);
  size_t last_zero = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (y[i] == 0) last_zero = i;
  }
  EXPECT_NEAR(x[last_zero], -5.54, 0.01);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i] == 0, i <= last_zero) << x[i];
  EXPECT_EQ(
      Compute<float>({.expression = "0.5*x*(1+erf(x/sqrt(2)))", .arithmetic = DataType::kFloat32},
                     {-7.0F, -100.0F})[1],
      0);
}

TEST(FormulaRun, RoundsConstantsOnceFromTheirDigits) {
  const auto constant = [](const std::string& digits, DataType type) {
    return Compute<double>({.expression = digits, .arithmetic = type}, {0.0})[0];
  };
  const std::string zeros(40, '0');
  // Just at, and just above or below, the middle between two numbers: the float64 is the middle.
  EXPECT_EQ(constant("1.00048828125", DataType::kFloat16), 1);
  EXPECT_EQ(constant("1.00048828125" + zeros + "1", DataType::kFloat16), 1 + 0x1p-10);
  EXPECT_EQ(constant("1.00146484375", DataType::kFloat16), 1 + 0x1p-9);
  EXPECT_EQ(constant("1.00146484374" + std::string(40, '9'), DataType::kFloat16), 1 + 0x1p-10);
  EXPECT_EQ(constant("0.0100390625" + zeros + "1e2", DataType::kBFloat16), 1 + 0x1p-7);
  EXPECT_EQ(constant("10039062500" + zeros + "e-50", DataType::kBFloat16), 1);
  EXPECT_EQ(constant("1.000000059604644775390625", DataType::kFloat32), 1);
  EXPECT_EQ(constant("1.0000000596046447753906250000001", DataType::kFloat32), 1 + 0x1p-23);
  EXPECT_EQ(constant("0.1", DataType::kFloat64), 0.1);
  EXPECT_EQ(constant("pi", DataType::kFloat16), 3.140625);
  EXPECT_EQ(constant("65519.99", DataType::kFloat16), 65504);
  EXPECT_EQ(constant("65520", DataType::kFloat16), kInfinity);
  EXPECT_EQ(constant("1e39", DataType::kFloat32), kInfinity);
  EXPECT_EQ(constant("1e-45", DataType::kFloat32), 0x1p-149);
  EXPECT_EQ(constant("1e-999999999999", DataType::kFloat32), 0);
}

TEST(FormulaRun, MaxMinAndComparisonMeetNaN) {
  const double nan = std::nan("");
  const std::vector<double> x = {-1, nan, 2};
  const auto same = [&](const char* expression, std::vector<double> wanted) {
    const auto y = Compute<double>({.expression = expression}, x);
    for (size_t i = 0; i < x.size(); ++i) ExpectSameBits(y[i], wanted[i], x[i]);
  };
  same("max(x, 0)", {0, nan, 2});
  same("max(0, x)", {0, nan, 2});
  same("min(x, 0)", {-1, nan, 0});
  same("min(0, x)", {-1, nan, 0});
  same("x > 0 ? 1 : 2", {2, 2, 1});
  same("x >= 0 ? 1 : 2", {2, 2, 1});
  same("x <= 0 ? 1 : 2", {1, 2, 2});
  same("x == x ? 1 : 2", {1, 2, 1});
  same("x^0", {1, 1, 1});
  same("x^-1", {-1, nan, 0.5});
  same("x > 0 ? log(x) : 7", {7, 7, std::log(2.0)});
}

TEST(FormulaRun, TakesOneTypeInAnotherArithmetic) {
  // x is rounded to the arithmetic, the result to the type.
  const FormulaSpec half = {.expression = "x+0", .arithmetic = DataType::kFloat16};
  EXPECT_EQ(Compute<float>(half, {1.0009F})[0], 1 + 0x1p-10);
  EXPECT_EQ(Compute<double>(half, {70'000.0})[0], kInfinity);
  const FormulaSpec wide = {.expression = "x/3", .arithmetic = DataType::kFloat64};
  EXPECT_EQ(Compute<float>(wide, {1})[0], 1.0F / 3);
  // At any position and alignment.
  std::vector<std::byte> bytes(4 * 1'001 + 1);
  const auto kernel = FormulaKernel::Make(wide, Quantity::kValue);
  kernel->Run(DataType::kFloat32, bytes.data() + 1, bytes.data() + 1, 0);
  std::vector<float> x(1'000, 2.0F);
  kernel->Run(DataType::kFloat32, std::as_bytes(std::span(x)).data(), bytes.data() + 1, 1'000);
  EXPECT_EQ(bytes.back(), std::byte{0});
  EXPECT_EQ(std::memcmp(bytes.data() + 1, bytes.data() + 1 + 4 * 999, 4), 0);
}

TEST(FormulaRun, GivesTheQuietNaN) {
  const auto y = Compute<float>({.expression = "0*x", .arithmetic = DataType::kFloat32},
                                {kInfinity, -std::nanf("1")});
  EXPECT_EQ(std::bit_cast<uint32_t>(y[0]), 0x7fc00000U);
  EXPECT_EQ(std::bit_cast<uint32_t>(y[1]), 0x7fc00000U);
}

}  // namespace
}  // namespace activation::formula
