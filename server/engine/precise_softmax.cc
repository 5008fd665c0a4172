// Rows are taken in batches: several that fit a block, or a long one in blocks that are read three
// times: for the largest element, for the sums, for the results. The formulas stand in
// softmax_row.h.
#include "server/engine/precise_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/engine/coefficients.h"
#include "server/engine/packed.h"
#include "server/engine/precise_block.h"
#include "server/engine/row_kernels.h"

namespace activation::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Above the relative errors of ExpBlock and Log1pBlock.
constexpr double kExpError = 0x1p-98;
constexpr double kLogError = 0x1p-94;

// A sum of n terms, made block by block, has had each term in at most this many additions, each
// with a relative error of 3 2^-106.
double SumError(size_t n) {
  const size_t additions = kBlock + n / kBlock + 2;
  return kExpError + static_cast<double>(additions) * 0x1p-104;
}

// A term of a sum that is smaller than this is taken as this: its sign is right, its size is not.
constexpr int kLeastScale = -740;

}  // namespace

PreciseSoftmax::PreciseSoftmax(const SoftmaxOperation& operation, size_t length)
    : operation_(operation), length_(length), sum_error_(SumError(length)) {}

size_t PreciseSoftmax::MostRows() const { return std::max<size_t>(kBlock / length_, 1); }

template <class Visit>
void PreciseSoftmax::ForEachBlock(Visit visit) {
  for (size_t first = 0; first < count_; first += kBlock) {
    visit(first, std::min(kBlock, count_ - first));
  }
}

// visit(row, column of the first element, begin and end in the block) for each row in a block.
template <class Visit>
void PreciseSoftmax::ForEachRun(size_t first, size_t count, Visit visit) {
  for (size_t begin = 0; begin < count;) {
    const size_t row = (first + begin) / length_, column = (first + begin) % length_;
    const size_t end = std::min(count, begin + length_ - column);
    visit(rows_[row], column, begin, end);
    begin = end;
  }
}

void PreciseSoftmax::Run(const std::byte* input, const std::byte* upstream, std::byte* output,
                         size_t rows) {
  input_ = input;
  upstream_ = upstream;
  output_ = output;
  count_ = rows * length_;
  loaded_ = kNothing;
  hard_row_.reset();
  rows_.assign(rows, SoftmaxRow());
  const bool is_derivative = operation_.IsDerivative();
  ForEachBlock([&](size_t first, size_t count) {
    Load(first, count);
    ForEachRun(first, count, [&](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
      Scan(block_.x + begin, column, end - begin, row);
      if (is_derivative) ScanUpstreams(block_.x + begin, upstreams_ + begin, end - begin, row);
    });
  });
  for (size_t r = 0; r < rows; ++r) PrepareSums(r);
  ForEachBlock([&](size_t first, size_t count) {
    Load(first, count);
    LoadPowers(first, count, true);
    ForEachRun(first, count, [this](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
      AddUp(row, column, begin, end);
    });
  });
  for (SoftmaxRow& row : rows_) Divide(operation_, sum_error_, row);
  if (operation_.is_log && !is_derivative) TakeLogs();
  ForEachBlock([&](size_t first, size_t count) {
    Load(first, count);
    if (!operation_.is_log || is_derivative) LoadPowers(first, count, false);
    ForEachRun(first, count, [this](SoftmaxRow& row, size_t column, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) results_.Set(i, Result(row, column + (i - begin), i));
    });
    Store(first, count);
  });
}

void PreciseSoftmax::Load(size_t first, size_t count) {
  if (loaded_ == first) return;
  loaded_ = first;
  powers_loaded_ = false;
  const size_t offset = first * SizeOf(operation_.input_type);
  Decode(operation_.input_type, input_ + offset, count, block_.x);
  if (!operation_.IsDerivative()) return;
  Decode(operation_.input_type, upstream_ + offset, count, upstreams_);
}

// The differences' low parts are not numbers where the difference is -infinity.
// For sums the powers of far elements are those of their distance to the second.
void PreciseSoftmax::LoadPowers(size_t first, size_t count, bool for_sums) {
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

void PreciseSoftmax::PrepareSums(size_t r) {
  SoftmaxRow& row = rows_[r];
  if (row.IsNaN()) return;
  ChooseBase(row);
  if (!operation_.IsDerivative()) return;
  ChooseUpstreamExponent(row);
  const size_t index = r * length_ + row.top;
  Decode(operation_.input_type, upstream_ + index * SizeOf(operation_.input_type), 1,
         &row.top_upstream);
}

void PreciseSoftmax::AddUp(SoftmaxRow& row, size_t column, size_t begin, size_t end) const {
  if (row.IsNaN()) return;
  const bool is_log = operation_.is_log;
  const bool weighted = operation_.IsDerivative() && !row.HasInfiniteUpstream();
  SignedSum powers, weights;
  for (size_t i = begin; i < end; ++i) {
    if (column + (i - begin) == row.top) continue;
    if (weighted && is_log) {
      const Scaled g = ScaleUpstream(row, upstreams_[i]);
      weights.Add({g.value, 0}, false, g.is_lossy);
    }
    if (block_.x[i] == -kInfinity) continue;
    const int exponent = static_cast<int>(block_.exponent[i]) - (row.is_far ? 0 : row.base);
    const double scale = PowerOfTwo(std::max(exponent, kLeastScale));
    const DoublePair power = {block_.hi[i] * scale, block_.lo[i] * scale};
    powers.Add(power);
    if (weighted && !is_log) {
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

// log(1 + rest): the rest itself where it is tiny; else k log 2 + log(1 + u).
void PreciseSoftmax::TakeLogs() {
  constexpr int kTiny = -200;
  int twos[kBlock];
  PreciseBlock logs;  // of u, one for each row
  for (size_t r = 0; r < rows_.size(); ++r) {
    const SoftmaxRow& row = rows_[r];
    twos[r] = 0;
    logs.hi[r] = logs.lo[r] = 0;
    if (row.IsNaN() || row.rest.exponent < kTiny) continue;
    if (row.rest.exponent <= 0) {  // rest < 1
      logs.hi[r] = Scale(row.rest.hi, row.rest.exponent);
      logs.lo[r] = Scale(row.rest.lo, row.rest.exponent);
    } else {
      twos[r] = row.all.exponent - 1;
      logs.lo[r] = TwoSum(2 * row.all.hi - 1, 2 * row.all.lo, logs.hi[r]);
    }
  }
  Log1pBlock(logs, rows_.size());
  for (size_t r = 0; r < rows_.size(); ++r) {
    SoftmaxRow& row = rows_[r];
    if (row.rest.exponent < kTiny) {
      row.log = row.rest;
      row.log.error += std::abs(row.rest.hi) * 0x1p-199;
      continue;
    }
    const Bounded log2 = MakeBounded(kLn2.part[0], kLn2.part[1], 0x1p-108, 0);
    // A relative error of rest is at most 1.5 times as large in the logarithm.
    const double error =
        logs.hi[r] * kLogError + 2 * sum_error_ * std::min(1.0, std::abs(logs.hi[r]) + twos[r]);
    row.log = MakeBounded(logs.hi[r], logs.lo[r], error, 0) + log2 * MakeBounded(twos[r], 0, 0, 0);
  }
}

Bounded PreciseSoftmax::Result(const SoftmaxRow& row, size_t column, size_t i) const {
  const bool is_log = operation_.is_log, is_derivative = operation_.IsDerivative();
  if (row.IsNaN()) return {kNaN};
  const double x = block_.x[i];
  const double g = is_derivative ? upstreams_[i] : 0;
  if (row.HasInfiniteUpstream()) return InfiniteResult(operation_, row, column, x, g);
  if (x == -kInfinity) {
    if (!is_log) return {};
    return is_derivative ? MakeBounded(g, 0, 0, 0) : Bounded{-kInfinity};
  }
  if (is_log && !is_derivative) {
    double t;
    const double t_rest = TwoSum(x, -row.largest, t);
    if (!std::isfinite(t)) return {t};
    return MakeBounded(t, t_rest, 0, 0) + -row.log;
  }
  const Bounded power = MakeBounded(block_.hi[i], block_.lo[i], block_.hi[i] * kExpError,
                                    static_cast<int>(block_.exponent[i]));
  const Bounded value = power / row.all;
  if (!is_derivative) return value;
  if (!is_log) {
    const Difference d = DifferenceOf(row, g);
    const Bounded difference = MakeBounded(d.value.hi, d.value.lo, d.is_lossy ? 2 * kLost : 0, 0);
    Bounded result = value * (difference + -row.slope);
    result.exponent += row.upstream_exponent;
    return result;
  }
  return column == row.top ? row.at_top : MakeBounded(g, 0, 0, 0) + -(value * row.slope);
}

void PreciseSoftmax::Store(size_t first, size_t count) {
  const size_t size = SizeOf(operation_.output_type);
  results_.Encode(operation_.output_type, count, output_ + first * size);
  for (size_t i = 0; i < count; ++i) {
    if (results_.IsDecided(operation_.output_type, i)) continue;
    HardRowOf((first + i) / length_)
        .Round(block_.x[i], operation_.IsDerivative() ? upstreams_[i] : 0, operation_.output_type,
               output_ + (first + i) * size);
  }
}

const HardRow& PreciseSoftmax::HardRowOf(size_t row) {
  if (hard_row_ && hard_row_index_ == row) return *hard_row_;
  hard_row_.emplace(operation_.is_log, operation_.quantity);
  hard_row_index_ = row;
  const size_t size = SizeOf(operation_.input_type);
  double x[kBlock], g[kBlock] = {};
  for (size_t begin = 0; begin < length_; begin += kBlock) {
    const size_t count = std::min(kBlock, length_ - begin);
    const size_t offset = (row * length_ + begin) * size;
    Decode(operation_.input_type, input_ + offset, count, x);
    if (operation_.IsDerivative()) Decode(operation_.input_type, upstream_ + offset, count, g);
    for (size_t i = 0; i < count; ++i) hard_row_->Add(x[i], g[i]);
  }
  hard_row_->Prepare();
  return *hard_row_;
}

}  // namespace activation::engine
