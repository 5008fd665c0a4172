// What precise_softmax.cc keeps of a row: sums with a bound of their error, and what its elements
// and upstreams are like.
//
// With m the largest element of a row, at `top`, t_i = x_i - m (exact as a pair), e_i = e^t_i, and
// sums over all j but top:
//   rest = sum e_j,             the sum of all is 1 + rest
//   softmax                     e_i / (1 + rest)
//   log_softmax                 t_i - log(1 + rest)
//   softmax'                    e_i / (1 + rest) (d_i - (sum e_j d_j) / (1 + rest)),
//                               d_i = g_i - g_top
//   log_softmax', at top        (rest g_top - sum g_j) / (1 + rest)
//                 elsewhere     g_i - e_i / (1 + rest) (g_top + sum g_j)
// so that nothing cancels for a dominant element, whose results hang on the rest alone.
#ifndef ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_
#define ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_

#include <cmath>
#include <cstddef>
#include <limits>

#include "server/engine/bounded.h"
#include "server/engine/double_pair.h"
#include "server/engine/softmax_operation.h"

namespace activation::engine {

// Terms that are smaller than kLeastWhole may have lost bits to underflow, at most kLost.
inline constexpr double kLeastWhole = 0x1p-900;
inline constexpr double kLost = 0x1p-1060;

// A sum of signed terms, for its error bound with that of their sizes.
struct SignedSum {
  DoublePair total;
  double size = 0;
  // Sizes of terms of which only the sign is known.
  double vague_plus = 0;
  double vague_minus = 0;
  double lost = 0;  // what terms have lost to underflow

  void Add(DoublePair term, bool is_vague = false, bool is_lossy = false) {
    total = total + term;
    size += std::abs(term.hi);
    if (is_vague) (term.hi > 0 ? vague_plus : vague_minus) += std::abs(term.hi);
    if (is_lossy) lost += 2 * kLost;
  }
  void Add(const SignedSum& other);
  // Where all terms are vague and of one sign, and `tiny` says that they underflow in every result,
  // the interval has their sign and nothing else of them.
  Bounded ToBounded(double relative_error, int exponent, bool tiny = false) const;
};

struct SoftmaxRow {
  // What its elements are like.
  bool undefined = false;  // NaN or +infinity among them
  double largest = -std::numeric_limits<double>::infinity();
  double second = -std::numeric_limits<double>::infinity();  // the largest but for one
  size_t top = 0;
  size_t finite = 0;

  // What its upstreams are like.
  bool upstream_undefined = false;
  size_t plus_infinities = 0;
  size_t minus_infinities = 0;
  bool infinity_at_masked = false;  // where the element is -infinity
  double largest_upstream = 0;
  double top_upstream = 0;
  int upstream_exponent = 0;  // upstreams are divided by 2^this, to at most 1

  // Sums but for the top, powers of e divided by 2^base.
  int base = 0;
  bool is_far = false;  // so far below that base, and their powers of e, are too large, but not 0
  SignedSum powers;
  SignedSum weighted;  // of e_j d_j, or of g_j for log_softmax

  Bounded rest, all, log;
  Bounded slope;   // (sum e_j d_j) / all; g_top + sum g_j for log_softmax
  Bounded at_top;  // the derivative of log_softmax there

  bool IsNaN() const { return undefined || finite == 0 || upstream_undefined; }
  bool HasInfiniteUpstream() const { return plus_infinities + minus_infinities > 0; }
};

// Takes notice of elements, the first of them at `column`; of upstreams g at elements x.
void Scan(const double* x, size_t column, size_t count, SoftmaxRow& row);
void ScanUpstreams(const double* x, const double* g, size_t count, SoftmaxRow& row);

// Chooses the powers of two by which powers of e and upstreams are divided, once all has been
// scanned.
void ChooseBase(SoftmaxRow& row);
void ChooseUpstreamExponent(SoftmaxRow& row);

// A number that may have lost bits to underflow.
struct Scaled {
  double value;
  bool is_lossy;
};
// g divided by the row's power of two.
Scaled ScaleUpstream(const SoftmaxRow& row, double g);

// d_i, scaled.
struct Difference {
  DoublePair value;
  bool is_lossy;
};
Difference DifferenceOf(const SoftmaxRow& row, double g);

// From the sums to what results are made of; sum_error is the relative error of sums.
void Divide(const SoftmaxOperation& operation, double sum_error, SoftmaxRow& row);

// The sum of upstream[j] J[j][i] where some upstreams are infinite, for the element x at `column`
// with upstream g.
Bounded InfiniteResult(const SoftmaxOperation& operation, const SoftmaxRow& row, size_t column,
                       double x, double g);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_
