// What softmax.cc keeps of a row: sums with a bound of their error, and what its elements and
// upstreams are like.
#ifndef ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_
#define ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_

#include <cmath>
#include <cstddef>
#include <limits>

#include "server/engine/bounded.h"

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
  void Add(const SignedSum& other) {
    total = total + other.total;
    size += other.size;
    vague_plus += other.vague_plus;
    vague_minus += other.vague_minus;
    lost += other.lost;
  }
  // Where all terms are vague and of one sign, and `tiny` says that they underflow in every result,
  // the interval has their sign and nothing else of them.
  Bounded ToBounded(double relative_error, int exponent, bool tiny = false) const {
    const double vague = vague_plus + vague_minus;
    const bool has_sign =
        tiny && vague == size && lost == 0 && (vague_plus == 0 || vague_minus == 0);
    return MakeBounded(total.hi, total.lo,
                       size * relative_error + (has_sign ? 0.75 : 2) * vague + lost, exponent);
  }
};

struct SoftmaxRow {
  // Of the elements.
  bool undefined = false;  // NaN or +infinity among them
  double largest = -std::numeric_limits<double>::infinity();
  double second = -std::numeric_limits<double>::infinity();  // the largest but for one
  size_t top = 0;
  size_t finite = 0;

  // Of upstream.
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

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SOFTMAX_ROW_H_
