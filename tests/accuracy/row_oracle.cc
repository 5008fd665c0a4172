#include "tests/accuracy/row_oracle.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "proto/element_type.h"
#include "tests/support/format.h"
#include "tests/support/oracle.h"

namespace activation::accuracy {
namespace {

using oracle::Context;
using oracle::Number;
using oracle::Rational;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Without a split first, as it is faster.
constexpr Context kContexts[] = {
    {192, false}, {512, true}, {2'048, true}, {8'192, true}, {32'768, true}};

oracle::Dyadic FromDouble(double d) {
  oracle::Dyadic result;
  arf_set_d(result.get(), d);
  return result;
}

Rational ToRational(double d) {
  const Number number = oracle::FromDyadic(FromDouble(d), {0, true});
  return number.q;
}

}  // namespace

RowOracle::RowOracle(bool log, std::vector<double> x, std::vector<double> upstream)
    : log_(log),
      x_(std::move(x)),
      upstream_(std::move(upstream)),
      largest_(*std::ranges::max_element(x_)) {}

std::optional<double> RowOracle::OddCase(size_t i) const {
  const auto is_nan = [](double d) { return std::isnan(d); };
  if (std::ranges::any_of(x_, is_nan) || std::ranges::any_of(upstream_, is_nan)) return kNaN;
  if (std::isinf(largest_)) return kNaN;
  const bool alone = std::ranges::count_if(x_, [](double d) { return std::isfinite(d); }) == 1;
  const auto masked = [this](size_t k) { return x_[k] == -kInfinity; };
  // The signs of the Jacobian's entries, times infinite upstreams.
  if (std::ranges::any_of(upstream_, [](double d) { return std::isinf(d); })) {
    double sum = 0;
    for (size_t j = 0; j < x_.size(); ++j) {
      if (!std::isinf(upstream_[j])) continue;
      double entry;
      if (log_) {  // [i = j] - y_i
        entry = i == j ? (alone && !masked(i) ? 0 : 1) : (masked(i) ? 0 : -1);
      } else {  // y_i ([i = j] - y_j)
        entry = masked(i) || masked(j) || alone ? 0 : i == j ? 1 : -1;
      }
      sum += entry * upstream_[j];
    }
    return sum;
  }
  if (!masked(i)) return std::nullopt;
  if (!log_) return 0;
  if (upstream_.empty()) return -kInfinity;
  return std::nullopt;  // rounds upstream
}

const RowOracle::Level& RowOracle::LevelOf(size_t index) const {
  if (index < levels_.size()) return levels_[index];
  Level level;
  const Context c = level.context = kContexts[index];
  for (size_t i = 0; i < x_.size(); ++i) {
    Rational g;
    if (!upstream_.empty()) g = ToRational(upstream_[i]);
    fmpq_add(level.upstream.get(), level.upstream.get(), g.get());
    if (x_[i] == -kInfinity) continue;
    Group& group = level.groups[x_[i]];
    ++group.count;
    fmpq_add(group.upstream.get(), group.upstream.get(), g.get());
  }
  const Number largest = oracle::FromDyadic(FromDouble(largest_), c);
  level.sum = oracle::FromInt(0, c);
  for (auto& [x, group] : level.groups) {
    const Number place = oracle::Sub(oracle::FromDyadic(FromDouble(x), c), largest, c);
    group.power = oracle::Exp(place, c);
    level.sum =
        oracle::Add(level.sum, oracle::Mul(group.power, oracle::FromInt(group.count, c), c), c);
  }
  levels_.push_back(std::move(level));
  return levels_.back();
}

Number RowOracle::At(size_t i, const Level& level) const {
  const Context c = level.context;
  const Number x = oracle::FromDyadic(FromDouble(x_[i]), c);
  if (log_ && upstream_.empty()) {
    const Number place = oracle::Sub(x, oracle::FromDyadic(FromDouble(largest_), c), c);
    return oracle::Sub(place, oracle::Log(level.sum, c), c);
  }
  const bool masked = x_[i] == -kInfinity;
  const Number value =
      masked ? oracle::FromInt(0, c) : oracle::Div(level.groups.at(x_[i]).power, level.sum, c);
  if (upstream_.empty()) return value;
  const Rational g = ToRational(upstream_[i]);
  if (log_) {
    return oracle::Sub(oracle::FromRational(g, c),
                       oracle::Mul(value, oracle::FromRational(level.upstream, c), c), c);
  }
  // y_i sum y_j (g_i - g_j), with the differences summed over equal x.
  Number sum = oracle::FromInt(0, c);
  for (const auto& [place, group] : level.groups) {
    Rational weight;
    fmpq_mul_si(weight.get(), g.get(), group.count);
    fmpq_sub(weight.get(), weight.get(), group.upstream.get());
    sum = oracle::Add(sum, oracle::Mul(group.power, oracle::FromRational(weight, c), c), c);
  }
  return oracle::Mul(value, oracle::Div(sum, level.sum, c), c);
}

std::optional<uint64_t> RowOracle::Round(DataType type, size_t i) const {
  if (const auto odd = OddCase(i)) return oracle::Encode(type, *odd);
  for (size_t index = 0; index < std::size(kContexts); ++index) {
    const Level& level = LevelOf(index);
    const auto bits = oracle::RoundIfCertain(type, At(i, level), level.context);
    if (bits) return bits;
  }
  return std::nullopt;
}

}  // namespace activation::accuracy
