// Formulas in FLOAT16 and BFLOAT16: against exact integers, for every x.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/formula/arithmetic.h"
#include "server/formula/kernel.h"

namespace activation::formula {
namespace {

using Exact = __int128;

struct Format {
  DataType type;

  double decode(uint64_t bits) const { return ToDouble(type, bits); }
  uint16_t encode(double value) const { return static_cast<uint16_t>(ToBits(type, value)); }
};
constexpr Format kFloat16 = {DataType::kFloat16};
constexpr Format kBFloat16 = {DataType::kBFloat16};
constexpr Format kFormats[] = {kFloat16, kBFloat16};

// Infinity counts as the number that would come next.
double ValueOf(const Format& format, uint16_t bits) {
  const double value = format.decode(bits);
  return std::isinf(value) ? std::copysign(0x1p16, value) : value;
}

// Units of 2^-64: exact for the products and sums below.
Exact ToExact(double value) {
  constexpr int kScale = 64;
  int exponent = 0;
  const auto significand = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int shift = exponent - 53 + kScale;
  if (shift >= 0) return static_cast<Exact>(significand) << shift;
  EXPECT_EQ(significand % (int64_t{1} << std::min(-shift, 62)), 0) << value;
  return significand >> std::min(-shift, 62);
}

// The number of the format next to `exact`, found by its distance to three candidates.
uint16_t Nearest(const Format& format, Exact exact) {
  const uint16_t guess = format.encode(std::ldexp(static_cast<double>(exact), -64));
  uint16_t best = guess;
  Exact best_distance = -1;
  for (const int step : {-1, 0, 1}) {
    const auto candidate = static_cast<uint16_t>(guess + step);
    if (step < 0 && (guess & 0x7fff) == 0) continue;
    if (std::isnan(format.decode(candidate))) continue;
    const Exact difference = ToExact(ValueOf(format, candidate)) - exact;
    const Exact distance = difference < 0 ? -difference : difference;
    const bool is_even_tie = distance == best_distance && (candidate & 1) == 0;
    if (best_distance >= 0 && distance >= best_distance && !is_even_tie) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::vector<uint16_t> EveryValue() {
  std::vector<uint16_t> values(65'536);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i);
  return values;
}

std::vector<uint16_t> Compute(const FormulaSpec& spec, const std::vector<uint16_t>& x) {
  const auto kernel = FormulaKernel::Make(spec, engine::Quantity::kValue);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  std::vector<uint16_t> y(x.size());
  kernel->Run(spec.arithmetic, std::as_bytes(std::span(x)).data(),
              std::as_writable_bytes(std::span(y)).data(), x.size());
  return y;
}

// Where the exact result fits the integers and is not 0, whose sign they lack.
bool IsComparable(double x) { return std::abs(x) < 0x1p13 && std::abs(x) > 0x1p-20; }

TEST(FormulaNarrow, RoundsSumsAndProductsOnce) {
  const double operands[] = {1, -1, 0.1, 1.0009765625, 3, -7.5, 0.0078125, 1e-4, 333, -1.9921875};
  const std::vector<uint16_t> every = EveryValue();
  for (const Format& format : kFormats) {
    for (const double operand : operands) {
      const double a = format.decode(format.encode(operand));
      FormulaSpec spec = {.expression = "x+a", .parameters = {{"a", a}}, .arithmetic = format.type};
      const auto sums = Compute(spec, every);
      spec.expression = "a*x";
      const auto products = Compute(spec, every);
      for (const uint16_t bits : every) {
        const double x = format.decode(bits);
        if (!IsComparable(x)) continue;
        const Exact sum = ToExact(x) + ToExact(a);
        if (sum != 0) {
          ASSERT_EQ(sums[bits], Nearest(format, sum)) << x << " + " << a;
        }
        ASSERT_EQ(products[bits], Nearest(format, ToExact(x * a))) << x << " * " << a;
      }
    }
  }
}

TEST(FormulaNarrow, RoundsFusedProductsOnce) {
  const double factors[] = {1.0009765625, 0.1, -7.53, 255, 1.9921875, -0.0123};
  const double addends[] = {1, -1, 4096, 0.00012, -3.14159, 1e-3};
  const std::vector<uint16_t> every = EveryValue();
  int rounded_twice = 0;
  for (const Format& format : kFormats) {
    for (const double factor : factors) {
      for (const double addend : addends) {
        const double a = format.decode(format.encode(factor));
        const double b = format.decode(format.encode(addend));
        const auto fused = Compute({.expression = "a*x+b",
                                    .parameters = {{"a", a}, {"b", b}},
                                    .arithmetic = format.type,
                                    .is_fused = true},
                                   every);
        for (const uint16_t bits : every) {
          const double x = format.decode(bits);
          if (!IsComparable(x)) continue;
          const Exact exact = ToExact(a * x) + ToExact(b);
          if (exact == 0) continue;
          ASSERT_EQ(fused[bits], Nearest(format, exact)) << a << " * " << x << " + " << b;
          rounded_twice += fused[bits] != format.encode(static_cast<float>(a * x + b));
        }
      }
    }
  }
  // The test has cases that a sum in float gets wrong.
  EXPECT_GT(rounded_twice, 0);
}

// Sums that lie beside the middle between two numbers by less than float64 can say.
TEST(FormulaNarrow, RoundsFusedProductsBesideTheMiddle) {
  const double tiny = 0x1p-120;
  const auto run = [](double addend, double tiny_factor) {
    return kBFloat16.decode(Compute({.expression = "x*a+b",
                                     .parameters = {{"a", tiny_factor}, {"b", addend}},
                                     .arithmetic = DataType::kBFloat16,
                                     .is_fused = true},
                                    {kBFloat16.encode(1)})[0]);
  };
  EXPECT_EQ(run(1, 0x1p-8), 1);
  // The addend is a number of the format, so only the product can be the middle.
  const auto middle = [](double addend) {
    return kBFloat16.decode(Compute({.expression = "x*1.0078125+b",
                                     .parameters = {{"b", addend}},
                                     .arithmetic = DataType::kBFloat16,
                                     .is_fused = true},
                                    {kBFloat16.encode(1.5)})[0]);
  };
  // 1.5 * 1.0078125 = 1.51171875, between 1.5078125 and 1.515625.
  EXPECT_EQ(middle(0), 1.515625);
  EXPECT_EQ(middle(tiny), 1.515625);
  EXPECT_EQ(middle(-tiny), 1.5078125);
}

TEST(FormulaNarrow, RoundsAsTheCodecDoes) {
  const std::vector<uint16_t> every = EveryValue();
  for (const Format& format : kFormats) {
    for (const uint16_t bits : every) {
      const double x = format.decode(bits);
      const double next = format.decode(static_cast<uint16_t>(bits + 1));
      for (const double between : {x, x + (next - x) / 4, x + (next - x) / 2,
                                   std::nextafter(x + (next - x) / 2, next), x * (1 + 0x1p-9)}) {
        ASSERT_EQ(format.encode(RoundTo(format.type, between)), format.encode(between)) << between;
      }
    }
  }
}

TEST(FormulaNarrow, DividesAndTakesRootsAndCallsFunctions) {
  const std::vector<uint16_t> every = EveryValue();
  for (const Format& format : kFormats) {
    const auto quotients = Compute({.expression = "1/x", .arithmetic = format.type}, every);
    const auto roots = Compute({.expression = "sqrt(x)", .arithmetic = format.type}, every);
    const auto powers = Compute({.expression = "exp(x)", .arithmetic = format.type}, every);
    for (const uint16_t bits : every) {
      const long double x = format.decode(bits);
      const auto once = [&](long double exact) {
        const auto nearest = static_cast<double>(exact);
        if (!std::isfinite(nearest)) return format.encode(nearest);
        return format.encode(MakeOdd(nearest, (exact > nearest) - (exact < nearest)));
      };
      ASSERT_EQ(quotients[bits], once(1 / x)) << static_cast<double>(x);
      ASSERT_EQ(roots[bits], once(std::sqrt(x))) << static_cast<double>(x);
      ASSERT_EQ(powers[bits], once(std::exp(x))) << static_cast<double>(x);
    }
  }
}

}  // namespace
}  // namespace activation::formula
