// Polynomial pieces between bounds, over any arithmetic.
//
// An arithmetic has a Number and operations that round as it does, as those of Float64.
#ifndef ACTIVATION_SERVER_COMPARE_PIECEWISE_H_
#define ACTIVATION_SERVER_COMPARE_PIECEWISE_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace activation::server {

// Needs a source without contraction of products and sums (-ffp-contract=off).
struct Float64 {
  using Number = double;
  static double QuantizeConstant(double value) { return value; }
  static double Slope(double begin, double end, double from, double to) {
    return (to - from) / (end - begin);
  }
  static double Add(double a, double b) { return a + b; }
  static double Subtract(double a, double b) { return a - b; }
  static double Multiply(double a, double b) { return a * b; }
};

// Horner's scheme; `coefficients` in ascending order, at least one.
template <typename Arithmetic>
typename Arithmetic::Number Evaluate(const Arithmetic& arithmetic,
                                     std::span<const typename Arithmetic::Number> coefficients,
                                     typename Arithmetic::Number t) {
  size_t i = coefficients.size() - 1;
  typename Arithmetic::Number result = coefficients[i];
  while (i > 0) result = arithmetic.Add(coefficients[--i], arithmetic.Multiply(t, result));
  return result;
}

template <typename Arithmetic>
class Piecewise {
 public:
  using Number = typename Arithmetic::Number;

  // `bounds` ascend. One more piece than these is to be added: piece i is right from bounds[i - 1]
  // on, up to but not at bounds[i].
  Piecewise(Arithmetic arithmetic, std::vector<Number> bounds)
      : arithmetic_(std::move(arithmetic)), bounds_(std::move(bounds)) {}

  // Adds the next piece: a polynomial in x - origin, `coefficients` in ascending order, at least
  // one.
  void Append(Number origin, std::span<const Number> coefficients) {
    // Without leading zeros, Horner's scheme at infinity gives the limit and not 0 * infinity.
    while (coefficients.size() > 1 && coefficients.back() == 0) {
      coefficients = coefficients.first(coefficients.size() - 1);
    }
    coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
    pieces_.push_back({origin, static_cast<uint32_t>(coefficients_.size())});
  }

  // x isn't NaN.
  Number At(Number x) const {
    const auto above = std::upper_bound(bounds_.begin(), bounds_.end(), x);
    const size_t index = static_cast<size_t>(above - bounds_.begin());
    const size_t begin = index == 0 ? 0 : pieces_[index - 1].end;
    return Evaluate<Arithmetic>(
        arithmetic_, {coefficients_.data() + begin, coefficients_.data() + pieces_[index].end},
        arithmetic_.Subtract(x, pieces_[index].origin));
  }

  // Each coefficient is rounded once.
  Piecewise Derivative() const requires std::floating_point<Number> {
    Piecewise derivative(arithmetic_, bounds_);
    size_t begin = 0;
    std::vector<Number> coefficients;
    for (const Piece& piece : pieces_) {
      coefficients.clear();
      for (size_t i = begin + 1; i < piece.end; ++i) {
        coefficients.push_back(static_cast<Number>(i - begin) * coefficients_[i]);
      }
      if (coefficients.empty()) coefficients.push_back(0);
      derivative.Append(piece.origin, coefficients);
      begin = piece.end;
    }
    return derivative;
  }

  const Arithmetic& arithmetic() const { return arithmetic_; }

 private:
  struct Piece {
    Number origin;
    // The end of its coefficients, which begin where those of the piece before it end.
    uint32_t end;
  };

  Arithmetic arithmetic_;
  std::vector<Number> bounds_;
  std::vector<Piece> pieces_;
  std::vector<Number> coefficients_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PIECEWISE_H_
