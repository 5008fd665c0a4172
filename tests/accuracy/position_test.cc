// A result depends on nothing but its input: not on the place in the array, the array's length, its
// alignment, or its neighbours. And RunPrecise against the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "proto/element_type.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/samples.h"
#include "tests/accuracy/targets.h"
#include "tests/support/format.h"

namespace activation::accuracy {
namespace {

using engine::Operation;
using engine::Quantity;

constexpr size_t kMaxLength = 257;
constexpr auto kCanary = std::byte{0xa5};

class Position : public testing::TestWithParam<Subject> {
 protected:
  // Numbers of all sizes, in a mixed order, each with its own result one at a time.
  static std::vector<uint64_t> Inputs(DataType type) {
    const std::vector<uint64_t> all = Binades(type, 1, 3);
    std::vector<uint64_t> result;
    for (size_t i = 0; i < kMaxLength; ++i) result.push_back(all[i * 7'919 % all.size()]);
    return result;
  }

  static void CheckAllLengths(const Operation& operation, bool with_upstream) {
    const DataType type = operation.input_type;
    const size_t size = SizeOf(type);
    const std::vector<uint64_t> inputs = Inputs(type);
    const std::vector<uint64_t> upstreams =
        with_upstream ? Upstreams(type, inputs.size()) : std::vector<uint64_t>();
    std::vector<uint64_t> alone;
    for (size_t i = 0; i < inputs.size(); ++i) {
      alone.push_back(RunEngine(operation, {inputs[i]},
                                with_upstream ? std::vector{upstreams[i]} : upstreams)[0]);
    }
    const std::vector<std::byte> expected = Pack(type, alone);
    const std::vector<std::byte> x = Pack(type, inputs);
    const std::vector<std::byte> factors = Pack(type, upstreams);
    for (size_t length = 0; length <= kMaxLength; ++length) {
      // Any alignment, and the end of the inputs, so that places differ from length to length.
      const size_t offset = length % 67;
      const size_t start = (kMaxLength - length) * size;
      const size_t bytes = length * size;
      std::vector<std::byte> in(offset + bytes), up(offset + 1 + bytes);
      std::vector<std::byte> out(offset + 2 + bytes + 64, kCanary);
      if (length > 0) {
        std::memcpy(in.data() + offset, x.data() + start, bytes);
        if (with_upstream) std::memcpy(up.data() + offset + 1, factors.data() + start, bytes);
      }
      engine::Run(operation,
                  {.input = in.data() + offset,
                   .upstream = with_upstream ? up.data() + offset + 1 : nullptr,
                   .output = out.data() + offset + 2},
                  length);
      const auto result = out.begin() + static_cast<std::ptrdiff_t>(offset + 2);
      ASSERT_TRUE(
          std::equal(expected.begin() + static_cast<std::ptrdiff_t>(start), expected.end(), result))
          << Describe(operation) << " differs at length " << length;
      for (size_t i = 0; i < out.size(); ++i) {
        if (i >= offset + 2 && i < offset + 2 + bytes) continue;
        ASSERT_EQ(out[i], kCanary) << Describe(operation) << " wrote outside, length " << length;
      }
    }
  }
};

TEST_P(Position, DoesNotMatter) {
  const engine::Function function = engine::WithDefaults(*GetParam().spec);
  const DataType type = GetParam().type;
  ForEachTarget([&](const char* target) {
    SCOPED_TRACE(target);
    for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
      const Operation operation = {function, quantity, type, type};
      CheckAllLengths(operation, false);
      if (quantity == Quantity::kDerivative) CheckAllLengths(operation, true);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Position, testing::ValuesIn(Subjects(kDataTypes)),
                         [](const auto& info) { return NameOf(info.param); });

class Precise : public testing::TestWithParam<Subject> {};

TEST_P(Precise, IsWithinItsBound) {
  const engine::Function function = engine::WithDefaults(*GetParam().spec);
  std::vector<double> x;
  for (const uint64_t bits : Binades(DataType::kFloat64, 8, 1)) {
    const double d = oracle::Decode(DataType::kFloat64, bits);
    if (std::isfinite(d)) x.push_back(d);
  }
  for (int i = -2'000; i <= 2'000; ++i) x.push_back(i / 97.0);
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    const int what = quantity == Quantity::kValue ? oracle::kValue : oracle::kDerivative;
    std::vector<oracle::Ball> truth;
    truth.reserve(x.size());
    for (const double d : x) {
      truth.push_back(OracleOf(*function.spec).Enclose(what, d, function.parameters, 1, 200));
    }
    ForEachTarget([&](const char* target) {
      std::vector<double> hi(x.size()), lo(x.size());
      engine::RunPrecise(function, quantity, x.data(), hi.data(), lo.data(), x.size());
      int failures = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        // Where the low part would be subnormal, or the high part is not a number, only FLOAT64's
        // bound is left.
        if (std::fabs(hi[i]) < 0x1p-900 || !std::isfinite(hi[i])) {
          if (oracle::UlpError(hi[i], truth[i]) <= 1) continue;
          const bool overflows =
              std::isinf(arf_get_d(arb_midref(truth[i].get()), ARF_RND_NEAR)) && std::isinf(hi[i]);
          if (overflows && arb_is_negative(truth[i].get()) == std::signbit(hi[i])) continue;
        } else {
          oracle::Ball error, sum;
          arb_set_d(sum.get(), hi[i]);
          arb_set_d(error.get(), lo[i]);
          arb_add(sum.get(), sum.get(), error.get(), 4'096);
          arb_sub(error.get(), sum.get(), truth[i].get(), 4'096);
          arb_abs(error.get(), error.get());
          arb_abs(sum.get(), truth[i].get());
          arb_mul_2exp_si(sum.get(), sum.get(), -90);
          if (arb_le(error.get(), sum.get())) continue;
        }
        if (++failures > 4) continue;
        ADD_FAILURE() << target << ": RunPrecise of "
                      << Describe({function, quantity, DataType::kFloat64, DataType::kFloat64})
                      << " at " << std::hexfloat << x[i] << " is " << hi[i] << " + " << lo[i]
                      << ", should be " << arf_get_d(arb_midref(truth[i].get()), ARF_RND_NEAR);
      }
      EXPECT_LE(failures, 4) << "in all";
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Precise,
                         testing::ValuesIn(Subjects(std::array{DataType::kFloat64})),
                         [](const auto& info) { return std::string(info.param.spec->name); });

}  // namespace
}  // namespace activation::accuracy
