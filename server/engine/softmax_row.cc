#include "server/engine/softmax_row.h"

#include <algorithm>

#include "server/engine/coefficients.h"
#include "server/engine/row_kernels.h"

namespace activation::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void SignedSum::Add(const SignedSum& other) {
  total = total + other.total;
  size += other.size;
  vague_plus += other.vague_plus;
  vague_minus += other.vague_minus;
  lost += other.lost;
}

Bounded SignedSum::ToBounded(double relative_error, int exponent, bool tiny) const {
  const double vague = vague_plus + vague_minus;
  const bool has_sign = tiny && vague == size && lost == 0 && (vague_plus == 0 || vague_minus == 0);
  return MakeBounded(total.hi, total.lo,
                     size * relative_error + (has_sign ? 0.75 : 2) * vague + lost, exponent);
}

void Scan(const double* x, size_t column, size_t count, SoftmaxRow& row) {
  for (size_t i = 0; i < count; ++i) {
    if (x[i] > row.largest) {
      row.second = row.largest;
      row.largest = x[i];
      row.top = column + i;
    } else if (x[i] > row.second) {
      row.second = x[i];
    }
    row.finite += std::isfinite(x[i]) ? 1 : 0;
    row.undefined = row.undefined || !(x[i] < kInfinity);
  }
}

void ScanUpstreams(const double* x, const double* g, size_t count, SoftmaxRow& row) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(g[i])) {
      row.largest_upstream = std::max(row.largest_upstream, std::abs(g[i]));
      continue;
    }
    row.upstream_undefined = row.upstream_undefined || std::isnan(g[i]);
    row.plus_infinities += g[i] > 0 ? 1 : 0;
    row.minus_infinities += g[i] < 0 ? 1 : 0;
    row.infinity_at_masked = row.infinity_at_masked || x[i] == -kInfinity;
  }
}

void ChooseBase(SoftmaxRow& row) {
  if (row.finite <= 1) return;
  const double base = std::round((row.second - row.largest) * kLog2E.part[0]);
  row.base = static_cast<int>(std::max(base, kLeastExponent));
  row.is_far = base <= kLeastExponent;
}

void ChooseUpstreamExponent(SoftmaxRow& row) {
  if (row.largest_upstream > 0) row.upstream_exponent = std::ilogb(row.largest_upstream) + 1;
}

Scaled ScaleUpstream(const SoftmaxRow& row, double g) {
  const double scaled = std::ldexp(g, -row.upstream_exponent);
  return {scaled, g != 0 && std::abs(scaled) < kLeastWhole};
}

Difference DifferenceOf(const SoftmaxRow& row, double g) {
  const Scaled own = ScaleUpstream(row, g), top = ScaleUpstream(row, row.top_upstream);
  Difference d;
  d.value.lo = TwoSum(own.value, -top.value, d.value.hi);
  d.is_lossy = g != row.top_upstream && (own.is_lossy || top.is_lossy);
  return d;
}

void Divide(const SoftmaxOperation& operation, double sum_error, SoftmaxRow& row) {
  if (row.IsNaN()) return;
  const Bounded one = MakeBounded(1, 0, 0, 0);
  row.rest = row.powers.ToBounded(sum_error, row.base);
  row.all = one + row.rest;
  if (!operation.IsDerivative() || row.HasInfiniteUpstream()) return;
  if (!operation.is_log) {
    // 2^-740 times an upstream of any type but FLOAT64.
    const bool tiny = row.upstream_exponent < 200;
    row.slope = row.weighted.ToBounded(sum_error, row.base, tiny) / row.all;
    return;
  }
  const Bounded others = row.weighted.ToBounded(sum_error, row.upstream_exponent);
  const Bounded own = MakeBounded(row.top_upstream, 0, 0, 0);
  row.slope = own + others;
  row.at_top = (row.rest * own + -others) / row.all;
}

Bounded InfiniteResult(const SoftmaxOperation& operation, const SoftmaxRow& row, size_t column,
                       double x, double g) {
  const bool masked = x == -kInfinity;
  const bool own = std::isinf(g);
  const bool others = row.plus_infinities + row.minus_infinities > (own ? 1u : 0u);
  // J[i][i] >= 0, and J[j][i] <= 0 elsewhere.
  const bool own_is_zero =
      operation.is_log ? row.finite == 1 && column == row.top : row.finite == 1 || masked;
  const bool others_are_zero = masked;
  if (!operation.is_log && row.infinity_at_masked) return {kNaN};
  if ((own && own_is_zero) || (others && others_are_zero)) return {kNaN};
  const bool plus = g == kInfinity || row.minus_infinities > (g == -kInfinity ? 1u : 0u);
  const bool minus = g == -kInfinity || row.plus_infinities > (g == kInfinity ? 1u : 0u);
  if (plus && minus) return {kNaN};
  if (!plus && !minus) return {kNaN};
  return {plus ? kInfinity : -kInfinity};
}

}  // namespace activation::engine
