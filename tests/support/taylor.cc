#include "tests/support/taylor.h"

#include <arb_hypgeom.h>
#include <arb_poly.h>

#include <cmath>

namespace activation::oracle {
namespace {

// Degree of the last coefficient, the one that takes in the rest.
constexpr slong kDegree = 12;
constexpr slong kBits = 128;
constexpr int kLargestExponent = -3;     // of the radius
constexpr int kSmallestExponent = -149;  // of the smallest float32
// Of x^order, so that it stays within float64's normal numbers for every float32 x.
constexpr slong kMaxOrder = 4;
constexpr double kLargeSize = 0x1p300;
constexpr double kMaxRelativeError = 0x1p-48;

namespace internal {
void Init(arb_poly_t x) { arb_poly_init(x); }
void Clear(arb_poly_t x) { arb_poly_clear(x); }
void Set(arb_poly_t x, const arb_poly_t y) { arb_poly_set(x, y); }
void Swap(arb_poly_t x, arb_poly_t y) { arb_poly_swap(x, y); }
}  // namespace internal
using Series = Owned<arb_poly_t, internal::Init, internal::Clear, internal::Set, internal::Swap>;

Ball CoefficientOf(const Series& a, slong k) {
  Ball y;
  arb_poly_get_coeff_arb(y.get(), a.get(), k);
  return y;
}

bool IsZero(const Ball& a) { return arb_is_zero(a.get()); }

// The degree of the first coefficient that is not exactly 0; kDegree + 1 if there is none.
slong OrderOf(const Series& a) {
  slong k = 0;
  while (k <= kDegree && IsZero(CoefficientOf(a, k))) ++k;
  return k;
}

Series Fixed(const Ball& value) {
  Series y;
  arb_poly_set_coeff_arb(y.get(), 0, value.get());
  return y;
}

// Evaluates a formula in expansions that hold for x in one interval. "None" is an expansion that
// does not exist or could not be found there.
class Expander {
 public:
  Expander(const Formula& formula, std::span<const double> parameters, int side, int exponent)
      : nodes_(formula.nodes), parameters_(parameters) {
    // [0, 2^exponent] or its mirror image.
    arb_set_si(domain_.get(), side);
    arb_mul_2exp_si(domain_.get(), domain_.get(), exponent);
    Ball zero;
    arb_union(domain_.get(), domain_.get(), zero.get(), kBits);
    side_ = side;
  }

  std::optional<Series> At(int place) const {
    const Node& node = nodes_[place];
    switch (node.op) {
      case Op::kConstant:
        return Fixed(FromRational(node.value, {kBits, false}).r);
      case Op::kPi:
        return Fixed(Pi({kBits, false}).r);
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
        return Binary(node.op, *a, *b);
      }
      case Op::kNegate:
        arb_poly_neg(a->get(), a->get());
        return a;
      case Op::kAbs: {
        const std::optional<int> sign = SignOf(*a);
        if (!sign) return std::nullopt;
        if (*sign < 0) arb_poly_neg(a->get(), a->get());
        return a;
      }
      case Op::kPower:
        return Power(*a, node.index);
      default:
        return Compose(node.op, *a);
    }
  }

  // sum over k >= first of c_k x^(k - first), for any x of the domain.
  Ball Sum(const Series& a, slong first) const {
    Ball y;
    for (slong k = kDegree; k >= first; --k) {
      arb_mul(y.get(), y.get(), domain_.get(), kBits);
      arb_add(y.get(), y.get(), CoefficientOf(a, k).get(), kBits);
    }
    return y;
  }

  // The sign of a(x) for all x of the domain but 0; 0 where a is 0.
  std::optional<int> SignOf(const Series& a) const {
    const slong order = OrderOf(a);
    if (order > kDegree) return 0;
    const Ball sum = Sum(a, order);
    if (arb_contains_zero(sum.get())) return std::nullopt;
    const int sign = arb_is_positive(sum.get()) ? 1 : -1;
    return side_ < 0 && order % 2 != 0 ? -sign : sign;
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
    const std::optional<Series> difference = Binary(Op::kSubtract, *a, *b);
    const std::optional<int> sign = SignOf(*difference);
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

  // Brings what is beyond kDegree into the last coefficient.
  void Fold(Series& a) const {
    for (slong k = arb_poly_degree(a.get()); k > kDegree; --k) {
      Ball top = CoefficientOf(a, k);
      arb_mul(top.get(), top.get(), domain_.get(), kBits);
      arb_add(top.get(), top.get(), CoefficientOf(a, k - 1).get(), kBits);
      arb_poly_set_coeff_arb(a.get(), k - 1, top.get());
      arb_poly_truncate(a.get(), k);
    }
  }

  Series Multiply(const Series& a, const Series& b) const {
    Series y;
    arb_poly_mul(y.get(), a.get(), b.get(), kBits);
    Fold(y);
    return y;
  }

  std::optional<Series> Power(const Series& a, int n) const {
    Series one;
    arb_poly_one(one.get());
    Series y = one;
    for (int i = 0; i < std::abs(n); ++i) y = Multiply(y, a);
    return n < 0 ? Divide(one, y) : y;
  }

  std::optional<Series> Binary(Op op, const Series& a, const Series& b) const {
    Series y;
    switch (op) {
      case Op::kAdd:
        arb_poly_add(y.get(), a.get(), b.get(), kBits);
        return y;
      case Op::kSubtract:
        arb_poly_sub(y.get(), a.get(), b.get(), kBits);
        return y;
      case Op::kMultiply:
        return Multiply(a, b);
      default:
        return Divide(a, b);
    }
  }

  std::optional<Series> Divide(Series a, Series b) const {
    // (x^k a) / (x^k b) = a / b.
    const slong order = OrderOf(b);
    if (OrderOf(a) < order || order > kDegree) return std::nullopt;
    arb_poly_shift_right(a.get(), a.get(), order);
    arb_poly_shift_right(b.get(), b.get(), order);
    if (arb_poly_degree(b.get()) == 0) {
      Series y;
      arb_poly_scalar_div(y.get(), a.get(), CoefficientOf(b, 0).get(), kBits);
      return y;
    }
    const std::optional<Series> inverse = Compose(Op::kDivide, b);
    if (!inverse) return std::nullopt;
    return Multiply(a, *inverse);
  }

  // The first `length` coefficients of f(t + x), as a series in x; kDivide stands for 1 / t.
  static Series SeriesOf(Op op, const Ball& t, slong length) {
    Series x, y, z;
    arb_poly_set_coeff_arb(x.get(), 0, t.get());
    arb_poly_set_coeff_si(x.get(), 1, 1);
    switch (op) {
      case Op::kDivide:
        arb_poly_inv_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kCos:
        arb_poly_cos_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kCosh:
        arb_poly_cosh_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kErf:
        arb_hypgeom_erf_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kErfc:
        arb_hypgeom_erfc_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kExp:
        arb_poly_exp_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kLog:
        arb_poly_log_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kSin:
        arb_poly_sin_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kSqrt:
        arb_poly_sqrt_series(y.get(), x.get(), length, kBits);
        break;
      case Op::kTanh:
        arb_poly_sinh_cosh_series(y.get(), z.get(), x.get(), length, kBits);
        arb_poly_div_series(y.get(), y.get(), z.get(), length, kBits);
        break;
      default:
        arb_poly_set_coeff_arb(y.get(), 0, Unknown().r.get());
        break;
    }
    return y;
  }

  // f(a), by f's own Taylor series at a(0) and Lagrange's remainder.
  std::optional<Series> Compose(Op op, const Series& a) const {
    const Ball at_zero = CoefficientOf(a, 0);
    const Series taylor = SeriesOf(op, at_zero, kDegree);
    Ball everywhere = Sum(a, 0);
    arb_union(everywhere.get(), everywhere.get(), at_zero.get(), kBits);
    const Series remainder = SeriesOf(op, everywhere, kDegree + 1);
    Series rest = a;
    arb_poly_set_coeff_si(rest.get(), 0, 0);
    Series y = Fixed(CoefficientOf(remainder, kDegree));
    for (slong k = kDegree - 1; k >= 0; --k) {
      y = Multiply(y, rest);
      Ball constant = CoefficientOf(taylor, k);
      arb_add(constant.get(), constant.get(), CoefficientOf(y, 0).get(), kBits);
      arb_poly_set_coeff_arb(y.get(), 0, constant.get());
    }
    for (slong k = 0; k <= kDegree; ++k) {
      if (!arb_is_finite(CoefficientOf(y, k).get())) return std::nullopt;
    }
    return y;
  }

  const std::vector<Node>& nodes_;
  std::span<const double> parameters_;
  Ball domain_;
  int side_ = 1;
};

double UpperBound(const Ball& a) {
  Dyadic bound;
  arb_get_abs_ubound_arf(bound.get(), a.get(), kBits);
  return arf_get_d(bound.get(), ARF_RND_UP);
}

// For the sum c[0] + c[1] x + ... by Horner: each step's product and sum are rounded, so the k-th
// term has a relative error of at most (2 k + 2) 2^-53 with that of its coefficient; x^order adds
// another `order` roundings.
Expansion InFloat64(const Expander& expander, const Series& series, int exponent) {
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
    arb_sub(difference.get(), difference.get(), c.get(), kBits);
    arb_set_d(rounding.get(),
              std::fabs(middle) * static_cast<double>(2 * (k - order) + 2) * 0x1p-53);
    arb_abs(difference.get(), difference.get());
    arb_add(difference.get(), difference.get(), rounding.get(), kBits);
    arb_addmul(error.get(), difference.get(), power.get(), kBits);
    arb_mul_2exp_si(power.get(), power.get(), exponent);
    y.coefficients.push_back(middle);
  }
  const Ball sum = expander.Sum(series, order);
  if (arb_contains_zero(sum.get())) return y;
  Ball smallest;
  arb_get_abs_lbound_arf(arb_midref(smallest.get()), sum.get(), kBits);
  arb_div(error.get(), error.get(), smallest.get(), kBits);
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
    y.tail_sign = expander.SignOf(tail).value_or(0);
    y.tail_order = static_cast<int>(tail_order);
    y.tail_bound = UpperBound(expander.Sum(tail, tail_order));
  }
  return y;
}

Expansion Try(const Formula& formula, std::span<const double> parameters, int side, int exponent) {
  const Expander expander(formula, parameters, side, exponent);
  const auto series = expander.At(static_cast<int>(formula.nodes.size()) - 1);
  return series ? InFloat64(expander, *series, exponent) : Expansion();
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
