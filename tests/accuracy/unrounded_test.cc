// What Compute gives is what the engine's kernels round: where those don't hand a result on, they
// return it rounded, bit by bit. So bounds_test.cc speaks of the engine, not of a copy of it.
#include "tests/accuracy/unrounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "server/engine/kernels_fast.h"
#include "server/engine/kernels_float64.h"
#include "server/engine/kernels_precise.h"
#include "tests/accuracy/checks.h"
#include "tests/accuracy/targets.h"

namespace activation::accuracy {
namespace {

constexpr size_t kCount = engine::kBlock;
// Results of a kernel that must have been compared: delta_triangle is 0 at most of the inputs.
constexpr size_t kLeastCompared = kCount / 8;

template <class T>
std::vector<T> Inputs() {
  std::mt19937_64 generator(1'853);
  std::normal_distribution<double> normal(0, 3);
  std::vector<T> result(kCount);
  for (T& x : result) x = static_cast<T>(normal(generator));
  return result;
}

// What a refiner learns: the outputs that are handed on.
struct Noted {
  const std::byte* output = nullptr;
  std::set<size_t> places;
};

void NoteLanes(const void* context, const engine::Operands& operands, uint64_t lanes) {
  Noted& noted = *static_cast<Noted*>(const_cast<void*>(context));
  const size_t first = (operands.output - noted.output) / sizeof(float);
  for (size_t i = 0; i < engine::kMaxGroup; ++i) {
    if ((lanes >> i & 1) != 0) noted.places.insert(first + i);
  }
}

void NotePlaces(const void* context, const engine::Operands&, std::span<const size_t> places) {
  static_cast<Noted*>(const_cast<void*>(context))->places.insert(places.begin(), places.end());
}

// The results of a kernel, NaN where they are handed on.
template <class T, class Kernel, class Note>
std::vector<T> RunKernel(Kernel kernel, const engine::Function& function, const std::vector<T>& x,
                         Note note) {
  std::vector<T> y(kCount);
  Noted noted = {reinterpret_cast<const std::byte*>(y.data()), {}};
  kernel(function.parameters.data(),
         {.input = reinterpret_cast<const std::byte*>(x.data()),
          .output = reinterpret_cast<std::byte*>(y.data())},
         kCount, {note, &noted});
  for (const size_t place : noted.places) y[place] = std::numeric_limits<T>::quiet_NaN();
  return y;
}

class UnroundedResults : public testing::TestWithParam<NumberType> {
 protected:
  template <class T>
  static void Compare(const std::vector<T>& got, const std::vector<Unrounded>& unrounded,
                      const std::string& what) {
    size_t compared = 0;
    for (size_t i = 0; i < kCount; ++i) {
      if (std::isnan(got[i])) continue;
      ++compared;
      EXPECT_EQ(got[i], static_cast<T>(unrounded[i].hi + unrounded[i].lo)) << what;
    }
    EXPECT_GE(compared, kLeastCompared) << what;
  }
};

TEST_P(UnroundedResults, AreWhatTheKernelsRound) {
  const NumberType type = GetParam();
  const auto floats = Inputs<float>();
  const auto doubles = Inputs<double>();
  Arguments arguments;
  for (size_t i = 0; i < kCount; ++i) {
    arguments.Add(type == NumberType::kLanes ? floats[i] : doubles[i]);
  }
  ForEachTarget([&](const char* target) {
    for (const engine::Spec* spec : engine::Catalogue()) {
      const engine::Function function = engine::WithDefaults(*spec);
      const int place = engine::IndexOf(*spec);
      for (const int row : {engine::kValueRow, engine::kDerivativeRow}) {
        const std::string what =
            std::string(spec->name) + (row == engine::kValueRow ? "" : "'") + " on " + target;
        const auto unrounded = Compute(type, place, row, function.parameters, arguments);
        if (type == NumberType::kLanes) {
          Compare(RunKernel(engine::FastKernels()[place][row], function, floats, NoteLanes),
                  unrounded, what);
        } else if (type == NumberType::kQuickPairs) {
          Compare(RunKernel(engine::Float64Kernels()[place][row], function, doubles, NotePlaces),
                  unrounded, what);
        } else {
          engine::PreciseBlock block = {};
          std::copy(doubles.begin(), doubles.end(), block.x);
          engine::PreciseKernels()[place][row](function.parameters.data(), block, kCount);
          Compare(std::vector<double>(block.hi, block.hi + kCount), unrounded, what);
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(NumberTypes, UnroundedResults,
                         testing::Values(NumberType::kLanes, NumberType::kQuickPairs,
                                         NumberType::kDoubleDouble),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace activation::accuracy
