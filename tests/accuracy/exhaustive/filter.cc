#include "tests/accuracy/exhaustive/filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace activation::accuracy {
namespace {

using oracle::Expansion;
using oracle::kLanes;
using oracle::Lanes;

// Consecutive inputs that are tried together.
constexpr size_t kRun = 1024;

constexpr uint32_t kQuietNan = 0x7fc00000;

std::span<const double> ParametersOf(const engine::Function& function) {
  return std::span(function.parameters).first(function.spec->parameters.size());
}

// Whether every number in [low, high] rounds to y. Where y is a zero, its sign must be that of all
// numbers there; either may stand for a result that is exactly 0 (see SignIsFree in ../checks.cc).
inline bool AllRoundTo(double low, double high, float y) {
  const bool sign_is_right = (std::bit_cast<uint32_t>(y) >> 31) != 0 ? high <= 0 : low >= 0;
  return (static_cast<float>(low) == y) & (static_cast<float>(high) == y) &
         (sign_is_right | (y != 0));
}

// Whether x, consecutive numbers, are all finite, of one sign, and not 0.
bool IsInterval(std::span<const float> x) {
  const float a = x.front(), b = x.back();
  return std::isfinite(a) && std::isfinite(b) && a != 0 && b != 0 &&
         std::signbit(a) == std::signbit(b);
}

void Expand(const Expansion& expansion, std::span<const float> x, Lanes& y) {
  // The last three operations below are rounded, too.
  const double error = expansion.relative_error + 4 * 0x1p-52;
  double sum[kLanes] = {};
  for (size_t k = expansion.coefficients.size(); k-- > 0;) {
    for (size_t i = 0; i < x.size(); ++i) {
      sum[i] = sum[i] * static_cast<double>(x[i]) + expansion.coefficients[k];
    }
  }
  for (int k = 0; k < expansion.order; ++k) {
    for (size_t i = 0; i < x.size(); ++i) sum[i] *= static_cast<double>(x[i]);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    y.high[i] = sum[i] + std::fabs(sum[i]) * error;
    y.negated_low[i] = std::fabs(sum[i]) * error - sum[i];
  }
}

// The rounded result where the leading term is exact and the others only decide what happens if
// that is the midpoint between two floats.
std::optional<float> RoundByLeadingTerm(const Expansion& expansion, float x) {
  if (!expansion.leads_exactly) return std::nullopt;
  double leading = expansion.coefficients[0];
  for (int k = 0; k < expansion.order; ++k) {
    const double product = leading * x;
    if (std::fma(leading, x, -product) != 0) return std::nullopt;
    leading = product;
  }
  const float nearest = static_cast<float>(leading);
  if (expansion.tail_bound == 0) return nearest;
  const double tail = expansion.tail_bound * std::pow(std::fabs(x), expansion.tail_order);
  // No float and no midpoint lies between neighbouring doubles, whose distance is at least 2^-53.
  if (expansion.tail_sign == 0 || !(tail < 0x1p-55 * std::fabs(leading))) return std::nullopt;
  if (nearest == leading) return nearest;
  const float infinity = std::numeric_limits<float>::infinity();
  const float other = std::nextafter(nearest, nearest < leading ? infinity : -infinity);
  const bool is_tie = leading - nearest == other - leading;
  const bool tail_leads_away = (expansion.tail_sign > 0) == (other > nearest);
  return is_tie && tail_leads_away ? other : nearest;
}

}  // namespace

absl::StatusOr<Filter> Filter::Make(const engine::Function& function, engine::Quantity quantity) {
  const engine::Spec& spec = *function.spec;
  std::vector<std::string> names = {"x"};
  for (const engine::Parameter& parameter : spec.parameters) names.push_back(parameter.name);
  auto formula =
      oracle::Parse(quantity == engine::Quantity::kValue ? spec.formula : spec.derivative, names);
  if (!formula.ok()) return formula.status();
  Filter filter(*std::move(formula));
  filter.SetParameters(function);
  return filter;
}

Filter::Filter(oracle::Formula formula) : formula_(std::move(formula)), evaluator_(formula_, {}) {}

void Filter::SetParameters(const engine::Function& function) {
  evaluator_.SetParameters(ParametersOf(function));
  expansions_[0] = oracle::ExpandAtZero(formula_, ParametersOf(function), 1);
  expansions_[1] = oracle::ExpandAtZero(formula_, ParametersOf(function), -1);
}

const Expansion* Filter::ExpansionFor(std::span<const float> x) const {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (*low > 0 && *high <= expansions_[0].radius) return &expansions_[0];
  if (*high < 0 && *low >= -expansions_[1].radius) return &expansions_[1];
  return nullptr;
}

const Lanes& Filter::Evaluate(std::span<const float> x) {
  for (size_t i = 0; i < kLanes; ++i) {
    const float usable = i < x.size() && std::isfinite(x[i]) ? x[i] : 1.0f;
    x_.high[i] = usable;
    x_.negated_low[i] = -usable;
  }
  return evaluator_.Evaluate(x_);
}

bool Filter::IsRightNextToZero(float x, float y) {
  const Expansion& expansion = expansions_[x < 0 ? 1 : 0];
  if (std::fabs(x) > expansion.radius) return false;
  Expand(expansion, {&x, 1}, near_zero_);
  if (AllRoundTo(-near_zero_.negated_low[0], near_zero_.high[0], y)) return true;
  const std::optional<float> right = RoundByLeadingTerm(expansion, x);
  return right && std::bit_cast<uint32_t>(*right) == std::bit_cast<uint32_t>(y);
}

void Filter::CheckBlock(std::span<const float> x, std::span<const float> y, size_t offset,
                        std::vector<size_t>& undecided) {
  const Expansion* expansion = ExpansionFor(x);
  if (expansion != nullptr) Expand(*expansion, x, near_zero_);
  const Lanes& results = expansion != nullptr ? near_zero_ : Evaluate(x);
  bool is_right[kLanes];
  for (size_t i = 0; i < x.size(); ++i) {
    is_right[i] = AllRoundTo(-results.negated_low[i], results.high[i], y[i]);
  }
  const size_t before = undecided.size();
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      is_right[i] = std::bit_cast<uint32_t>(y[i]) == kQuietNan;
    } else if (x[i] == 0 || std::isinf(x[i])) {
      is_right[i] = false;
    } else if (!is_right[i]) {
      is_right[i] = IsRightNextToZero(x[i], y[i]);
    }
    if (!is_right[i]) undecided.push_back(offset + i);
  }
  if (expansion == nullptr || undecided.size() == before) return;
  // What an expansion can't decide may be exact in the formula, as 1 - x is.
  const Lanes& exact = Evaluate(x);
  const auto is_decided = [&](size_t place) {
    const size_t i = place - offset;
    return AllRoundTo(-exact.negated_low[i], exact.high[i], y[i]);
  };
  undecided.erase(std::remove_if(undecided.begin() + static_cast<std::ptrdiff_t>(before),
                                 undecided.end(), is_decided),
                  undecided.end());
}

void Filter::Check(std::span<const float> x, std::span<const float> y,
                   std::vector<size_t>& undecided) {
  undecided.clear();
  for (size_t i = 0; i < x.size(); i += kLanes) {
    const size_t count = std::min(kLanes, x.size() - i);
    CheckBlock(x.subspan(i, count), y.subspan(i, count), i, undecided);
  }
}

void Filter::CheckConsecutive(std::span<const float> x, std::span<const float> y,
                              std::vector<size_t>& undecided) {
  undecided.clear();
  for (size_t start = 0; start < x.size(); start += kLanes * kRun) {
    const size_t end = std::min(x.size(), start + kLanes * kRun);
    const auto run_at = [&](std::span<const float> values, size_t i) {
      return values.subspan(i, std::min(kRun, end - i));
    };
    // An interval of inputs gives one of results.
    std::fill_n(x_.high, kLanes, 1.0);
    std::fill_n(x_.negated_low, kLanes, -1.0);
    for (size_t i = start, lane = 0; i < end; i += kRun, ++lane) {
      const auto run = run_at(x, i);
      if (!IsInterval(run)) continue;
      x_.high[lane] = std::max(run.front(), run.back());
      x_.negated_low[lane] = -std::min(run.front(), run.back());
    }
    const Lanes results = evaluator_.Evaluate(x_);
    for (size_t i = start, lane = 0; i < end; i += kRun, ++lane) {
      const auto run = run_at(x, i), values = run_at(y, i);
      const double low = -results.negated_low[lane], high = results.high[lane];
      const auto is_right = [&](float value) { return AllRoundTo(low, high, value); };
      if (IsInterval(run) && is_right(values[0]) &&
          std::all_of(values.begin(), values.end(), is_right)) {
        continue;
      }
      for (size_t j = 0; j < run.size(); j += kLanes) {
        const size_t count = std::min(kLanes, run.size() - j);
        CheckBlock(run.subspan(j, count), values.subspan(j, count), i + j, undecided);
      }
    }
  }
}

}  // namespace activation::accuracy
