#include "tests/support/oracle.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "proto/element_type.h"
#include "tests/support/format.h"

namespace activation::oracle {
namespace {

// What first tries are made with: enough for most roundings to the type, and cheap.
Context FirstContext(DataType type) { return {TraitsOf(type).precision + 40, false}; }

constexpr slong kFirstSplitBits = 128;

// Far enough out for every function to have reached its limit within what doubles tell apart,
// whatever its parameters, which are doubles: 2^2200 * 2^-1074 is still beyond them.
constexpr slong kLimitExponent = 2200;
constexpr slong kLimitBits = 8192;
// How many powers of two the limit of an oscillating function is looked at.
constexpr slong kLimitProbes = 64;

Dyadic FromDouble(double d) {
  Dyadic y;
  arf_set_d(y.get(), d);
  return y;
}

Dyadic Sum(double x, double bias) {
  Dyadic sum;
  arf_add(sum.get(), FromDouble(x).get(), FromDouble(bias).get(), ARF_PREC_EXACT, ARF_RND_NEAR);
  return sum;
}

absl::Status Annotate(const absl::Status& status, const std::string& text) {
  return absl::InvalidArgumentError("\"" + text + "\": " + std::string{status.message()});
}

}  // namespace

std::optional<uint64_t> RoundIfCertain(DataType type, const Number& x, Context c) {
  const Ball total = Total(x, c);
  if (!arb_is_finite(total.get())) return std::nullopt;
  Dyadic low, high;
  arb_get_interval_arf(low.get(), high.get(), total.get(), c.bits + 64);
  const uint64_t low_bits = oracle::Round(type, low);
  const uint64_t high_bits = oracle::Round(type, high);
  if (low_bits == high_bits) return low_bits;
  if (!c.split) return std::nullopt;
  // Rounding is monotone. So where q with a tail of r's sign rounds as the far end of the ball
  // does, everything between does too.
  if (arb_is_zero(x.r.get())) return RoundWithTail(type, x.q, 0);
  if (arb_is_positive(x.r.get()) && RoundWithTail(type, x.q, 1) == high_bits) return high_bits;
  if (arb_is_negative(x.r.get()) && RoundWithTail(type, x.q, -1) == low_bits) return low_bits;
  return std::nullopt;
}

absl::StatusOr<Oracle> Oracle::Make(const engine::Spec& spec) {
  Oracle oracle(spec);
  std::vector<std::string> names = {"x"};
  for (const engine::Parameter& parameter : spec.parameters) names.push_back(parameter.name);
  absl::StatusOr<Formula> formula = Parse(spec.formula, names);
  if (!formula.ok()) return Annotate(formula.status(), spec.formula);
  oracle.formula_ = *std::move(formula);
  for (const Node& node : oracle.formula_.nodes) {
    oracle.oscillates_ |= node.op == Op::kSin || node.op == Op::kCos;
  }
  for (const engine::Kink& kink : spec.kinks) {
    absl::StatusOr<Formula> at = Parse(kink.at, names);
    if (!at.ok()) return Annotate(at.status(), kink.at);
    absl::StatusOr<Formula> derivative = Parse(kink.derivative, names);
    if (!derivative.ok()) return Annotate(derivative.status(), kink.derivative);
    oracle.kinks_.push_back({*std::move(at), *std::move(derivative)});
  }
  return oracle;
}

std::vector<Number> Oracle::Variables(const Dyadic& x, std::span<const double> parameters,
                                      Context c) const {
  std::vector<Number> variables = {FromDyadic(x, c)};
  for (size_t i = 0; i < spec_->parameters.size(); ++i) {
    variables.push_back(FromDyadic(FromDouble(parameters[i]), c));
  }
  return variables;
}

std::vector<double> Oracle::Kinks(std::span<const double> parameters) const {
  const Context c{kFirstSplitBits, false};
  const std::vector<Number> variables = Variables(Dyadic(), parameters, c);
  std::vector<double> result;
  for (const ParsedKink& kink : kinks_) {
    const Number at = Evaluate(kink.at, variables, kNoDerivative, c).value;
    result.push_back(arf_get_d(arb_midref(Total(at, c).get()), ARF_RND_NEAR));
  }
  return result;
}

Number Oracle::At(int what, const Dyadic& x, std::span<const double> parameters,
                  std::optional<double> upstream, Context c) const {
  const std::vector<Number> variables = Variables(x, parameters, c);
  Number result;
  bool at_kink = false;
  if (what == kDerivative) {
    for (const ParsedKink& kink : kinks_) {
      const Number at = Evaluate(kink.at, variables, kNoDerivative, c).value;
      const std::optional<int> order = Compare(variables[0], at, c);
      if (!order) return Unknown();
      if (*order != 0) continue;
      at_kink = true;
      result = Evaluate(kink.derivative, variables, kNoDerivative, c).value;
    }
  }
  if (!at_kink) {
    Dual y = Evaluate(formula_, variables, what, c);
    result = std::move(what == kValue ? y.value : y.derivative);
  }
  return upstream ? Mul(result, FromDyadic(FromDouble(*upstream), c), c) : result;
}

std::optional<uint64_t> Oracle::RoundFinite(DataType type, int what, const Dyadic& x,
                                            std::span<const double> parameters,
                                            std::optional<double> upstream) const {
  const Context first = FirstContext(type);
  std::optional<uint64_t> bits =
      RoundIfCertain(type, At(what, x, parameters, upstream, first), first);
  for (Context c{kFirstSplitBits, true}; !bits && c.bits <= kMaxBits; c.bits *= 2) {
    bits = RoundIfCertain(type, At(what, x, parameters, upstream, c), c);
  }
  return bits;
}

std::optional<uint64_t> Oracle::RoundFarOut(DataType type, int what, int sign, slong exponent,
                                            std::span<const double> parameters,
                                            std::optional<double> upstream) const {
  Dyadic x;
  arf_set_si_2exp_si(x.get(), sign, exponent);
  const Context c{kLimitBits, true};
  Number y = At(what, x, parameters, upstream, c);
  // r that is nothing beside q goes to 0.
  Ball rest;
  arb_abs(rest.get(), y.r.get());
  arb_mul_2exp_si(rest.get(), rest.get(), kLimitExponent / 2);
  Ball main;
  arb_set_fmpq(main.get(), y.q.get(), c.bits);
  arb_abs(main.get(), main.get());
  if (arb_lt(rest.get(), main.get())) arb_zero(y.r.get());
  return RoundIfCertain(type, y, c);
}

std::optional<uint64_t> Oracle::RoundLimit(DataType type, int what, int sign,
                                           std::span<const double> parameters,
                                           std::optional<double> upstream) const {
  const auto at = [&](slong exponent) {
    return RoundFarOut(type, what, sign, exponent, parameters, upstream);
  };
  const std::optional<uint64_t> bits = at(kLimitExponent);
  if (!oscillates_ || !bits) return bits;
  for (slong i = 1; i < kLimitProbes; ++i) {
    const std::optional<uint64_t> other = at(kLimitExponent + i);
    if (!other) return std::nullopt;
    if (*other == *bits) continue;
    // Approached from both sides: only 0 can be the limit then, and it is +0.
    const bool zeros = Decode(type, *bits) == 0 && Decode(type, *other) == 0;
    return zeros ? std::optional<uint64_t>(0) : std::nullopt;
  }
  return bits;
}

bool Oracle::IsExactlyZero(int what, double x, std::span<const double> parameters,
                           std::optional<double> upstream) const {
  return IsExactZero(At(what, FromDouble(x), parameters, upstream, {kFirstSplitBits, true}));
}

std::optional<uint64_t> Oracle::Round(DataType type, int what, double x,
                                      std::span<const double> parameters,
                                      std::optional<double> upstream) const {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x) || std::isnan(upstream.value_or(0))) return Encode(type, kNan);
  if (upstream && (*upstream == 0 || std::isinf(*upstream))) {
    // Only the sign of f'(x) matters, and whether it is 0; FLOAT64's rounding must not turn it into
    // 0.
    const std::optional<uint64_t> slope =
        std::isinf(x)
            ? Round(DataType::kFloat64, what, x, parameters)
            : RoundFinite(DataType::kFloat64, what, FromDouble(x), parameters, std::nullopt);
    if (!slope) return std::nullopt;
    double factor = Decode(DataType::kFloat64, *slope);
    if (std::isfinite(x) && !IsExactlyZero(what, x, parameters, std::nullopt)) {
      factor = std::copysign(1.0, factor);
    }
    return Encode(type, factor * *upstream);
  }
  if (std::isinf(x)) {
    const int sign = x > 0 ? 1 : -1;
    if (!upstream) return RoundLimit(type, what, sign, parameters, std::nullopt);
    // The limit of f' comes first, then the product: a limit 0 times upstream is IEEE 754's zero.
    const std::optional<uint64_t> slope =
        RoundLimit(DataType::kFloat64, what, sign, parameters, std::nullopt);
    if (!slope) return std::nullopt;
    const double factor = Decode(DataType::kFloat64, *slope);
    if (factor == 0) return Encode(type, factor * *upstream);
    return RoundLimit(type, what, sign, parameters, upstream);
  }
  const std::optional<uint64_t> bits = RoundFinite(type, what, FromDouble(x), parameters, upstream);
  if (!bits || (*bits << (64 - TraitsOf(type).bits + 1)) != 0) return bits;
  // A zero: a rounded one has its sign; an exact one has the sign of its convention.
  if (!IsExactlyZero(what, x, parameters, upstream)) return bits;
  bool negative = false;
  if (what == kValue) negative = x == 0 && std::signbit(x) && !spec_->positive_zero;
  if (upstream) negative = std::signbit(*upstream);
  return Encode(type, negative ? -0.0 : 0.0);
}

std::optional<uint64_t> Oracle::RoundSum(DataType type, int what, double x, double bias,
                                         std::span<const double> parameters,
                                         std::optional<double> upstream) const {
  const double sum = x + bias;
  if (!std::isfinite(sum)) return Round(type, what, sum, parameters, upstream);
  const Dyadic exact = Sum(x, bias);
  if (arf_cmp_d(exact.get(), sum) == 0) return Round(type, what, sum, parameters, upstream);
  return RoundFinite(type, what, exact, parameters, upstream);
}

Ball Oracle::Enclose(int what, double x, std::span<const double> parameters, double upstream,
                     slong bits) const {
  return EncloseSum(what, x, 0, parameters, upstream, bits);
}

Ball Oracle::EncloseSum(int what, double x, double bias, std::span<const double> parameters,
                        double upstream, slong bits) const {
  const Dyadic exact = Sum(x, bias);
  Ball total;
  for (Context c{bits + 32, true}; c.bits <= kMaxBits; c.bits *= 2) {
    total = Total(At(what, exact, parameters, upstream, c), c);
    if (arb_is_exact(total.get()) || arb_rel_accuracy_bits(total.get()) >= bits) break;
  }
  return total;
}

double UlpError(double y, const Ball& f) {
  if (!std::isfinite(y)) return std::numeric_limits<double>::infinity();
  constexpr slong kBits = 128;
  Ball error;
  arf_set_d(arb_midref(error.get()), y);
  arb_sub(error.get(), error.get(), f.get(), 4096);
  Dyadic bound, smallest;
  arb_get_abs_ubound_arf(bound.get(), error.get(), kBits);
  arb_get_abs_lbound_arf(smallest.get(), f.get(), kBits);
  const ElementType& format = TraitsOf(DataType::kFloat64);
  slong exponent = LowestSubnormal(format);
  if (arf_cmpabs_2exp_si(smallest.get(), LowestSubnormal(format) + format.precision) >= 0) {
    exponent = arf_abs_bound_lt_2exp_si(smallest.get()) - format.precision;
  }
  arf_mul_2exp_si(bound.get(), bound.get(), -exponent);
  return arf_get_d(bound.get(), ARF_RND_UP);
}

}  // namespace activation::oracle
