// Any bytes as a formula: it must be refused or run, in bounded time and memory.
//
// For longer than CI does, and on all cores:
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/bin/formula_fuzz -fork=2 -max_len=1010 -dict=tests/fuzz/formula.dict CORPUS
//     tests/fuzz/formula_corpus
//
// The first byte chooses arithmetic, quantity, fusing and how many parameters there are; the rest
// is the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "proto/element_type.h"
#include "server/formula/kernel.h"

namespace activation::formula {
namespace {

constexpr double kX[] = {
    -std::numeric_limits<double>::infinity(), -1e300, -5.5, -0.0, 0, 1e-310, 0.7,
    std::numeric_limits<double>::quiet_NaN(), 3,      1e5};
constexpr size_t kCount = sizeof(kX) / sizeof(kX[0]);

void Require(bool condition) {
  if (!condition) std::abort();
}

void RequireError(const absl::Status& status) {
  Require(status.code() == absl::StatusCode::kInvalidArgument);
  Require(!status.message().empty() && status.message().size() < 1'000);
  for (const char c : status.message()) Require(c >= ' ' && c <= '~');
}

bool IsSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void TestOne(const uint8_t* data, size_t size) {
  const uint8_t choice = *data;
  const FormulaSpec spec = {
      .expression = std::string(reinterpret_cast<const char*>(data + 1), size - 1),
      .parameters = (choice & 16) == 0
                        ? std::map<std::string, double>()
                        : std::map<std::string, double>{{"a", 0.1}, {"beta_2", -3e38}},
      .arithmetic = static_cast<DataType>(choice & 3),
      .is_fused = (choice & 4) != 0};
  const auto quantity = static_cast<engine::Quantity>(choice >> 3 & 1);
  const auto kernel = FormulaKernel::Make(spec, quantity);
  if (!kernel.ok()) return RequireError(kernel.status());
  double y[kCount];
  kernel->RunDoubles(kX, y, kCount);
  // Each result depends on its own x alone.
  for (size_t i = 0; i < kCount; ++i) {
    double alone = 0;
    kernel->RunDoubles(kX + i, &alone, 1);
    Require(IsSame(y[i], alone));
  }
}

}  // namespace
}  // namespace activation::formula

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) activation::formula::TestOne(data, size);
  return 0;
}
