#include "tests/support/taylor.h"

#include <cmath>
#include <utility>

#include "tests/support/series.h"

namespace activation::oracle {
namespace {

constexpr int kLargestExponent = -3;     // of the radius
constexpr int kSmallestExponent = -149;  // of the smallest float32
// The most for `order`, so that x^order stays within float64's normal numbers for every float32 x.
constexpr slong kMaxOrder = 4;
constexpr double kLargeSize = 0x1p300;
constexpr double kMaxRelativeError = 0x1p-48;

// Evaluates a formula in series.
class Expander {
 public:
  Expander(const Formula& formula, std::span<const double> parameters,
           const SeriesArithmetic& arithmetic)
      : nodes_(formula.nodes), parameters_(parameters), arithmetic_(arithmetic) {}

  std::optional<Series> At(int place) const {
    const Node& node = nodes_[place];
    switch (node.op) {
      case Op::kConstant:
        return Fixed(FromRational(node.value, {kSeriesBits, false}).r);
      case Op::kPi:
        return Fixed(Pi({kSeriesBits, false}).r);
      case Op::kVariable:
        return Variable(node.index);
      case Op::kChoose: {
        const std::optional<bool> condition = Condition(nodes_[node.child[0]]);
        if (!condition) return std::nullopt;
        return At(node.child[*condition ? 1 : 2]);
      }
      default:
        break;
    }
    std::optional<Series> a = At(node.child[0]);
    if (!a) return std::nullopt;
    switch (node.op) {
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide: {
        const std::optional<Series> b = At(node.child[1]);
        if (!b) return std::nullopt;
        return arithmetic_.Binary(node.op, *a, *b);
      }
      case Op::kNegate:
        arb_poly_neg(a->get(), a->get());
        return a;
      case Op::kAbs: {
        const std::optional<int> sign = arithmetic_.SignOf(*a);
        if (!sign) return std::nullopt;
        if (*sign < 0) arb_poly_neg(a->get(), a->get());
        return a;
      }
      case Op::kPower:
        return arithmetic_.Power(*a, node.index);
      default:
        return arithmetic_.Compose(node.op, *a);
    }
  }

 private:
  Series Variable(int index) const {
    if (index > 0) {
      Ball value;
      arb_set_d(value.get(), parameters_[index - 1]);
      return Fixed(value);
    }
    Series x;
    arb_poly_set_coeff_si(x.get(), 1, 1);
    return x;
  }

  std::optional<bool> Condition(const Node& node) const {
    const std::optional<Series> a = At(node.child[0]), b = At(node.child[1]);
    if (!a || !b) return std::nullopt;
    const std::optional<Series> difference = arithmetic_.Binary(Op::kSubtract, *a, *b);
    const std::optional<int> sign = arithmetic_.SignOf(*difference);
    if (!sign) return std::nullopt;
    switch (node.op) {
      case Op::kLess:
        return *sign < 0;
      case Op::kLessEqual:
        return *sign <= 0;
      case Op::kGreater:
        return *sign > 0;
      case Op::kGreaterEqual:
        return *sign >= 0;
      default:
        return *sign == 0;
    }
  }

  const std::vector<Node>& nodes_;
  std::span<const double> parameters_;
  const SeriesArithmetic& arithmetic_;
};

double UpperBound(const Ball& a) {
  Dyadic bound;
  arb_get_abs_ubound_arf(bound.get(), a.get(), kSeriesBits);
  return arf_get_d(bound.get(), ARF_RND_UP);
}

// For the sum c[0] + c[1] x + ... by Horner: each step's product and sum are rounded, so the k-th
// term has a relative error of at most (2 k + 2) 2^-53 with that of its coefficient; x^order adds
// another `order` roundings.
Expansion InFloat64(const SeriesArithmetic& arithmetic, const Series& series, int exponent) {
  Expansion y;
  const slong order = OrderOf(series);
  if (order > kMaxOrder) return y;
  const Ball leading = CoefficientOf(series, order);
  if (arb_contains_zero(leading.get())) return y;
  Ball error, power;
  arb_one(power.get());
  for (slong k = order; k <= kDegree; ++k) {
    const Ball c = CoefficientOf(series, k);
    const double middle = arf_get_d(arb_midref(c.get()), ARF_RND_NEAR);
    Ball difference, rounding;
    arb_set_d(difference.get(), middle);
    arb_sub(difference.get(), difference.get(), c.get(), kSeriesBits);
    arb_set_d(rounding.get(),
              std::fabs(middle) * static_cast<double>(2 * (k - order) + 2) * 0x1p-53);
    arb_abs(difference.get(), difference.get());
    arb_add(difference.get(), difference.get(), rounding.get(), kSeriesBits);
    arb_addmul(error.get(), difference.get(), power.get(), kSeriesBits);
    arb_mul_2exp_si(power.get(), power.get(), exponent);
    y.coefficients.push_back(middle);
  }
  const Ball sum = arithmetic.Sum(series, order);
  if (arb_contains_zero(sum.get())) return y;
  Ball smallest;
  arb_get_abs_lbound_arf(arb_midref(smallest.get()), sum.get(), kSeriesBits);
  arb_div(error.get(), error.get(), smallest.get(), kSeriesBits);
  // Doubled for the products of errors that are left out.
  y.relative_error = 2 * (UpperBound(error) + static_cast<double>(order) * 0x1p-53);
  // Nor may the leading coefficient bring underflow.
  const double size = std::fabs(y.coefficients[0]);
  if (!(y.relative_error <= kMaxRelativeError && size > 1 / kLargeSize && size < kLargeSize)) {
    return y;
  }
  y.radius = std::ldexp(1, exponent);
  y.order = static_cast<int>(order);
  y.leads_exactly =
      arb_is_exact(leading.get()) && arf_equal_d(arb_midref(leading.get()), y.coefficients[0]);
  Series tail = series;
  arb_poly_set_coeff_si(tail.get(), order, 0);
  const slong tail_order = OrderOf(tail);
  if (tail_order <= kDegree) {
    y.tail_sign = arithmetic.SignOf(tail).value_or(0);
    y.tail_order = static_cast<int>(tail_order);
    y.tail_bound = UpperBound(arithmetic.Sum(tail, tail_order));
  }
  return y;
}

Expansion Try(const Formula& formula, std::span<const double> parameters, int side, int exponent) {
  const SeriesArithmetic arithmetic(side, exponent);
  const auto series =
      Expander(formula, parameters, arithmetic).At(static_cast<int>(formula.nodes.size()) - 1);
  return series ? InFloat64(arithmetic, *series, exponent) : Expansion();
}

}  // namespace

Expansion ExpandAtZero(const Formula& formula, std::span<const double> parameters, int side) {
  Expansion best = Try(formula, parameters, side, kSmallestExponent);
  if (best.radius == 0) return best;
  int good = kSmallestExponent, bad = kLargestExponent + 1;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    Expansion expansion = Try(formula, parameters, side, middle);
    if (expansion.radius > 0) {
      best = std::move(expansion);
      good = middle;
    } else {
      bad = middle;
    }
  }
  return best;
}

}  // namespace activation::oracle
