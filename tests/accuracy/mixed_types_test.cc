// Output types other than the input's: still one rounding of the exact value. The hard inputs are
// the midpoints of the narrower type, where the function comes near x, x/2, 1 or a constant: what
// decides there may be smaller than any precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/samples.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

class MixedTypes : public testing::TestWithParam<Subject> {};

// Midpoints of `narrow` as numbers of `wide`, both signs, over all binades of `narrow`; and twice
// them, of which a half is the midpoint.
std::vector<uint64_t> Midpoints(DataType wide, DataType narrow) {
  std::mt19937_64 generator(4'096);
  const ElementType& format = TraitsOf(narrow);
  std::vector<uint64_t> result;
  const auto fits = [&](double d) {
    return std::isfinite(d) &&
           std::fabs(d) >= std::ldexp(1, oracle::LowestSubnormal(TraitsOf(wide)));
  };
  for (int e = oracle::LowestSubnormal(format); e <= format.greatest_exponent; ++e) {
    const int fraction_bits = std::min(format.precision - 1, e - oracle::LowestSubnormal(format));
    for (int i = 0; i < 4; ++i) {
      const auto low = generator() % (uint64_t{1} << fraction_bits);
      const double significand = std::ldexp(2 * static_cast<double>(low) + 1, -fraction_bits - 1);
      const double middle = std::ldexp(1 + significand, e);
      for (double d : {middle, -middle, 2 * middle, -2 * middle}) {
        if (fits(d) && std::fabs(d) < std::ldexp(1, TraitsOf(wide).greatest_exponent)) {
          result.push_back(oracle::Encode(wide, d));
        }
      }
    }
  }
  // Half of the smallest number, which is a tie with 0.
  for (double d : {std::ldexp(1, oracle::LowestSubnormal(format) - 1),
                   std::ldexp(1, oracle::LowestSubnormal(format))}) {
    if (!fits(d)) continue;
    result.push_back(oracle::Encode(wide, d));
    result.push_back(oracle::Encode(wide, -d));
  }
  return result;
}

TEST_P(MixedTypes, AreRoundedOnceFromTheExactValue) {
  const auto& [spec, in] = GetParam();
  std::vector<engine::Function> functions = OtherParameters(*spec);
  functions.insert(functions.begin(), engine::WithDefaults(*spec));
  for (size_t i = 0; i < functions.size(); ++i) {
    for (const DataType out : kDataTypes) {
      if (out == in) continue;
      const int step = (in == DataType::kFloat64 ? 32 : 8) * (i == 0 ? 1 : 4);
      std::vector<uint64_t> inputs =
          SizeOf(in) == 2 ? Every16Bit(i == 0 ? 7 : 101) : Binades(in, step, 1);
      if (SizeOf(out) < SizeOf(in) && i < 8) {
        const std::vector<uint64_t> midpoints = Midpoints(in, out);
        inputs.insert(inputs.end(), midpoints.begin(), midpoints.end());
      }
      for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
        Check({functions[i], quantity, in, out}, inputs);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MixedTypes, testing::ValuesIn(Subjects(kDataTypes)),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
