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
//
// Rows are taken in batches: several that fit a block, or a long one in blocks that are read three
// times: for the largest element, for the sums, for the results. Every result has an error bound
// (bounded.h); one that does not decide its rounding goes to HardRow.
#include "server/engine/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "server/engine/bounded.h"
#include "server/engine/coefficients.h"
#include "server/engine/fast_softmax.h"
#include "server/engine/hard_row.h"
#include "server/engine/packed.h"
#include "server/engine/precise_block.h"
#include "server/engine/row_kernels.h"
#include "server/engine/softmax_row.h"

namespace activation::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Relative errors of ExpBlock and Log1pBlock, doubled.
constexpr double kExpError = 0x1p-98;
constexpr double kLogError = 0x1p-97;

// A sum of n terms, made block by block, has had each term in at most this many additions, each
// with a relative error of 3 2^-106.
double SumError(size_t n) {
  const size_t additions = kBlock + n / kBlock + 2;
  return kExpError + static_cast<double>(additions) * 0x1p-104;
}

// A term of a sum that is smaller than this is taken as this: its sign is right, its size is not.
constexpr int kLeastScale = -740;

// A number that may have lost bits to underflow.
struct Scaled {
  double value;
  bool is_lossy;
};

// Works on batches of rows.
class Worker {
 public:
  // kBlock / length rows at a time, at least one, as given to Run.
  Worker(Softmax kind, const RowOperation& operation, size_t length)
      : log_(kind == Softmax::kLog),
        operation_(operation),
        length_(length),
        sum_error_(SumError(length)) {}

  size_t MostRows() const { return std::max<size_t>(kBlock / length_, 1); }

  void Run(const std::byte* input, const std::byte* upstream, std::byte* output, size_t rows) {
    input_ = input;
    upstream_ = upstream;
    output_ = output;
    count_ = rows * length_;
    loaded_ = kNothing;
    hard_row_.reset();
    rows_.assign(rows, SoftmaxRow());
    ForEachBlock([this](size_t first, size_t count) {
      Load(first, count);
      ForEachRun(first, count, [this](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) Scan(row, column + (i - begin), block_.x[i]);
        if (derivative()) {
          for (size_t i = begin; i < end; ++i) ScanUpstream(row, block_.x[i], upstreams_[i]);
        }
      });
    });
    for (size_t r = 0; r < rows; ++r) PrepareSums(r);
    ForEachBlock([this](size_t first, size_t count) {
      Load(first, count);
      LoadPowers(first, count, true);
      ForEachRun(first, count, [this](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
        AddUp(row, column, begin, end);
      });
    });
    for (size_t r = 0; r < rows; ++r) Divide(rows_[r]);
    if (log_ && !derivative()) TakeLogs(rows);
    ForEachBlock([this](size_t first, size_t count) {
      Load(first, count);
      if (!log_ || derivative()) LoadPowers(first, count, false);
      ForEachRun(first, count, [this](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) Keep(Result(row, column + (i - begin), i), i);
      });
      Store(first, count);
    });
  }

 private:
  static constexpr size_t kNothing = SIZE_MAX;

  bool derivative() const { return operation_.quantity == Quantity::kDerivative; }

  template <class Visit>
  void ForEachBlock(Visit visit) {
    for (size_t first = 0; first < count_; first += kBlock) {
      visit(first, std::min(kBlock, count_ - first));
    }
  }

  // visit(row, column of the first element, begin and end in the block) for each row in a block.
  template <class Visit>
  void ForEachRun(size_t first, size_t count, Visit visit) {
    for (size_t begin = 0; begin < count;) {
      const size_t row = (first + begin) / length_, column = (first + begin) % length_;
      const size_t end = std::min(count, begin + length_ - column);
      visit(rows_[row], column, begin, end);
      begin = end;
    }
  }

  void Load(size_t first, size_t count) {
    if (loaded_ == first) return;
    loaded_ = first;
    powers_loaded_ = false;
    const size_t offset = first * SizeOf(operation_.input_type);
    Decode(operation_.input_type, input_ + offset, count, block_.x);
    if (derivative()) Decode(operation_.input_type, upstream_ + offset, count, upstreams_);
  }

  // The differences' low parts are not numbers where the difference is -infinity.
  // For sums the powers of far elements are those of their distance to the second.
  void LoadPowers(size_t first, size_t count, bool for_sums) {
    if (powers_loaded_) return;
    powers_loaded_ = true;
    ForEachRun(first, count, [&](SoftmaxRow& row, size_t, size_t begin, size_t end) {
      const bool is_near = row.is_far && for_sums;
      const double largest = is_near ? row.second : row.largest;
      if (is_near) loaded_ = kNothing;
      for (size_t i = begin; i < end; ++i) {
        block_.lo[i] = TwoSum(block_.x[i], -largest, block_.hi[i]);
      }
    });
    ExpBlock(block_, count);
  }

  static void Scan(SoftmaxRow& row, size_t column, double x) {
    if (x > row.largest) {
      row.second = row.largest;
      row.largest = x;
      row.top = column;
    } else if (x > row.second) {
      row.second = x;
    }
    row.finite += std::isfinite(x) ? 1 : 0;
    row.undefined = row.undefined || !(x < kInfinity);
  }

  static void ScanUpstream(SoftmaxRow& row, double x, double g) {
    if (std::isfinite(g)) {
      row.largest_upstream = std::max(row.largest_upstream, std::abs(g));
      return;
    }
    row.upstream_undefined = row.upstream_undefined || std::isnan(g);
    row.plus_infinities += g > 0 ? 1 : 0;
    row.minus_infinities += g < 0 ? 1 : 0;
    row.infinity_at_masked = row.infinity_at_masked || x == -kInfinity;
  }

  void PrepareSums(size_t r) {
    SoftmaxRow& row = rows_[r];
    if (row.IsNaN()) return;
    if (row.finite > 1) {
      const double base = std::round((row.second - row.largest) * kLog2E.part[0]);
      row.base = static_cast<int>(std::max(base, kLeastExponent));
      row.is_far = base <= kLeastExponent;
    }
    if (!derivative()) return;
    if (row.largest_upstream > 0) row.upstream_exponent = std::ilogb(row.largest_upstream) + 1;
    const size_t index = r * length_ + row.top;
    Decode(operation_.input_type, upstream_ + index * SizeOf(operation_.input_type), 1,
           &row.top_upstream);
  }

  // g divided by the row's power of two.
  static Scaled ScaleUpstream(const SoftmaxRow& row, double g) {
    const double scaled = std::ldexp(g, -row.upstream_exponent);
    return {scaled, g != 0 && std::abs(scaled) < kLeastWhole};
  }

  // d_i, scaled.
  struct Difference {
    DoublePair value;
    bool is_lossy;
  };
  static Difference DifferenceOf(const SoftmaxRow& row, double g) {
    const Scaled own = ScaleUpstream(row, g), top = ScaleUpstream(row, row.top_upstream);
    Difference d;
    d.value.lo = TwoSum(own.value, -top.value, d.value.hi);
    d.is_lossy = g != row.top_upstream && (own.is_lossy || top.is_lossy);
    return d;
  }

  void AddUp(SoftmaxRow& row, size_t column, size_t begin, size_t end) {
    if (row.IsNaN()) return;
    const bool weighted = derivative() && !row.HasInfiniteUpstream();
    SignedSum powers, weights;
    for (size_t i = begin; i < end; ++i) {
      if (column + (i - begin) == row.top) continue;
      if (weighted && log_) {
        const Scaled g = ScaleUpstream(row, upstreams_[i]);
        weights.Add({g.value, 0}, false, g.is_lossy);
      }
      if (block_.x[i] == -kInfinity) continue;
      const int exponent = static_cast<int>(block_.exponent[i]) - (row.is_far ? 0 : row.base);
      const double scale = PowerOfTwo(std::max(exponent, kLeastScale));
      const DoublePair power = {block_.hi[i] * scale, block_.lo[i] * scale};
      powers.Add(power);
      if (weighted && !log_) {
        const bool vague = exponent < kLeastScale || block_.exponent[i] == kLeastExponent;
        const Difference d = DifferenceOf(row, upstreams_[i]);
        const DoublePair term = power * d.value;
        const bool has_underflown = d.value.hi != 0 && std::abs(term.hi) < kLeastWhole;
        weights.Add(term, vague, d.is_lossy || has_underflown);
      }
    }
    row.powers.Add(powers);
    row.weighted.Add(weights);
  }

  void Divide(SoftmaxRow& row) const {
    if (row.IsNaN()) return;
    const Bounded one = MakeBounded(1, 0, 0, 0);
    row.rest = row.powers.ToBounded(sum_error_, row.base);
    row.all = one + row.rest;
    if (!derivative() || row.HasInfiniteUpstream()) return;
    if (!log_) {
      // 2^-740 times an upstream of any type but FLOAT64.
      const bool tiny = row.upstream_exponent < 200;
      row.slope = row.weighted.ToBounded(sum_error_, row.base, tiny) / row.all;
      return;
    }
    const Bounded others = row.weighted.ToBounded(sum_error_, row.upstream_exponent);
    const Bounded own = MakeBounded(row.top_upstream, 0, 0, 0);
    row.slope = own + others;
    row.at_top = (row.rest * own + -others) / row.all;
  }

  // log(1 + rest): the rest itself where it is tiny; else k log 2 + log(1 + u).
  void TakeLogs(size_t rows) {
    constexpr int kTiny = -200;
    int twos[kBlock];
    for (size_t r = 0; r < rows; ++r) {
      const SoftmaxRow& row = rows_[r];
      twos[r] = 0;
      block_.hi[r] = block_.lo[r] = 0;
      if (row.IsNaN() || row.rest.exponent < kTiny) continue;
      if (row.rest.exponent <= 0) {  // rest < 1
        block_.hi[r] = Scale(row.rest.hi, row.rest.exponent);
        block_.lo[r] = Scale(row.rest.lo, row.rest.exponent);
      } else {
        twos[r] = row.all.exponent - 1;
        double sum;
        const double lo = TwoSum(2 * row.all.hi - 1, 2 * row.all.lo, sum);
        block_.hi[r] = sum;
        block_.lo[r] = lo;
      }
    }
    Log1pBlock(block_, rows);
    loaded_ = kNothing;
    for (size_t r = 0; r < rows; ++r) {
      SoftmaxRow& row = rows_[r];
      if (row.rest.exponent < kTiny) {
        row.log = row.rest;
        row.log.error += std::abs(row.rest.hi) * 0x1p-199;
        continue;
      }
      const Bounded log2 = MakeBounded(kLn2.part[0], kLn2.part[1], 0x1p-108, 0);
      // A relative error of rest is at most 1.5 times as large in the logarithm.
      const double error = block_.hi[r] * kLogError +
                           2 * sum_error_ * std::min(1.0, std::abs(block_.hi[r]) + twos[r]);
      row.log =
          MakeBounded(block_.hi[r], block_.lo[r], error, 0) + log2 * MakeBounded(twos[r], 0, 0, 0);
    }
  }

  // The sum of upstream[j] J[j][i] where some upstreams are infinite.
  Bounded InfiniteResult(const SoftmaxRow& row, size_t column, double x, double g) const {
    const bool masked = x == -kInfinity;
    const bool own = std::isinf(g);
    const bool others = row.plus_infinities + row.minus_infinities > (own ? 1u : 0u);
    // J[i][i] >= 0, and J[j][i] <= 0 elsewhere.
    const bool own_is_zero =
        log_ ? row.finite == 1 && column == row.top : row.finite == 1 || masked;
    const bool others_are_zero = masked;
    if (!log_ && row.infinity_at_masked) return {kNaN};
    if ((own && own_is_zero) || (others && others_are_zero)) return {kNaN};
    const bool plus = g == kInfinity || row.minus_infinities > (g == -kInfinity ? 1u : 0u);
    const bool minus = g == -kInfinity || row.plus_infinities > (g == kInfinity ? 1u : 0u);
    if (plus && minus) return {kNaN};
    if (!plus && !minus) return {kNaN};
    return {plus ? kInfinity : -kInfinity};
  }

  Bounded Result(const SoftmaxRow& row, size_t column, size_t i) const {
    if (row.IsNaN()) return {kNaN};
    const double x = block_.x[i];
    const double g = derivative() ? upstreams_[i] : 0;
    if (row.HasInfiniteUpstream()) return InfiniteResult(row, column, x, g);
    if (x == -kInfinity) {
      if (!log_) return {};
      return derivative() ? MakeBounded(g, 0, 0, 0) : Bounded{-kInfinity};
    }
    if (log_ && !derivative()) {
      double t;
      const double t_rest = TwoSum(x, -row.largest, t);
      if (!std::isfinite(t)) return {t};
      return MakeBounded(t, t_rest, 0, 0) + -row.log;
    }
    const Bounded power = MakeBounded(block_.hi[i], block_.lo[i], block_.hi[i] * kExpError,
                                      static_cast<int>(block_.exponent[i]));
    const Bounded value = power / row.all;
    if (!derivative()) return value;
    if (!log_) {
      const Difference d = DifferenceOf(row, g);
      const Bounded difference = MakeBounded(d.value.hi, d.value.lo, d.is_lossy ? 2 * kLost : 0, 0);
      Bounded result = value * (difference + -row.slope);
      result.exponent += row.upstream_exponent;
      return result;
    }
    return column == row.top ? row.at_top : MakeBounded(g, 0, 0, 0) + -(value * row.slope);
  }

  // Whether the number's rounding to the output's type is decided (for FLOAT64: to 1 ULP).
  bool IsDecided(size_t i) {
    const double hi = results_.hi[i], lo = results_.lo[i], error = errors_[i];
    if (error == 0) return true;
    if (operation_.output_type == DataType::kFloat64) return error <= std::abs(hi) * 0x1p-55;
    if (std::abs(lo) > error) return true;
    for (size_t end = 0; end < 2; ++end) {
      const double to_end = error * (1 + 0x1p-20) * (end == 0 ? -1 : 1);
      const Bounded number =
          MakeBounded(hi, lo + to_end, 0.0, static_cast<int>(results_.exponent[i]));
      ends_.hi[end] = number.hi;
      ends_.lo[end] = number.lo;
      ends_.exponent[end] = number.exponent;
    }
    std::byte encoded[2 * sizeof(float)];
    Encode(operation_.output_type, ends_, 2, encoded);
    const size_t size = SizeOf(operation_.output_type);
    return std::memcmp(encoded, encoded + size, size) == 0;
  }

  void Keep(const Bounded& result, size_t i) {
    results_.hi[i] = result.hi + 0.0;  // never -0
    results_.lo[i] = result.lo;
    results_.exponent[i] = result.exponent;
    errors_[i] = result.error;
  }

  void Store(size_t first, size_t count) {
    const size_t size = SizeOf(operation_.output_type);
    Encode(operation_.output_type, results_, count, output_ + first * size);
    for (size_t i = 0; i < count; ++i) {
      if (IsDecided(i)) continue;
      HardRowOf((first + i) / length_)
          .Round(block_.x[i], derivative() ? upstreams_[i] : 0, operation_.output_type,
                 output_ + (first + i) * size);
    }
  }

  const HardRow& HardRowOf(size_t row) {
    if (hard_row_ && hard_row_index_ == row) return *hard_row_;
    hard_row_.emplace(log_, operation_.quantity);
    hard_row_index_ = row;
    const size_t size = SizeOf(operation_.input_type);
    double x[kBlock], g[kBlock] = {};
    for (size_t begin = 0; begin < length_; begin += kBlock) {
      const size_t count = std::min(kBlock, length_ - begin);
      const size_t offset = (row * length_ + begin) * size;
      Decode(operation_.input_type, input_ + offset, count, x);
      if (derivative()) Decode(operation_.input_type, upstream_ + offset, count, g);
      for (size_t i = 0; i < count; ++i) hard_row_->Add(x[i], g[i]);
    }
    hard_row_->Prepare();
    return *hard_row_;
  }

  const bool log_;
  const RowOperation& operation_;
  const size_t length_;
  const double sum_error_;

  // The batch.
  const std::byte* input_ = nullptr;
  const std::byte* upstream_ = nullptr;
  std::byte* output_ = nullptr;
  size_t count_ = 0;  // elements
  std::vector<SoftmaxRow> rows_;

  // The block that begins with element loaded_: elements in x, their powers in the rest.
  size_t loaded_ = kNothing;
  bool powers_loaded_ = false;
  PreciseBlock block_;
  double upstreams_[kBlock];
  PreciseBlock results_;
  double errors_[kBlock];
  PreciseBlock ends_;  // of an interval
  std::optional<HardRow> hard_row_;
  size_t hard_row_index_ = 0;
};

}  // namespace

void RunSoftmax(Softmax kind, const RowOperation& operation, const std::byte* input,
                const std::byte* upstream, std::byte* output, size_t rows, size_t length) {
  Worker worker(kind, operation, length);
  const size_t in_stride = length * SizeOf(operation.input_type);
  const size_t out_stride = length * SizeOf(operation.output_type);
  const auto run_precisely = [&](size_t row, size_t count) {
    worker.Run(input + row * in_stride, upstream == nullptr ? nullptr : upstream + row * in_stride,
               output + row * out_stride, count);
  };
  const auto run_fast = [&](size_t row) {
    const std::byte* const x = input + row * in_stride;
    std::byte* const y = output + row * out_stride;
    return operation.quantity == Quantity::kValue
               ? RunFastSoftmax(kind, operation, x, y, length)
               : RunFastSoftmaxSlope(kind, operation, x, upstream + row * in_stride, y, length);
  };
  const bool has_fast_path = length > 1 && operation.output_type != DataType::kFloat64;
  for (size_t row = 0; has_fast_path && row < rows; ++row) {
    if (!run_fast(row)) run_precisely(row, 1);
  }
  for (size_t row = 0; !has_fast_path && row < rows; row += worker.MostRows()) {
    run_precisely(row, std::min(worker.MostRows(), rows - row));
  }
}

}  // namespace activation::engine
