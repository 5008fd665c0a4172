#include "server/compare/figures.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "proto/element_type.h"

namespace activation::server {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();

constexpr int kExponentBias = 1023;
constexpr int kFractionBits = 52;

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kExponentBias) << kFractionBits);
}

int64_t ExponentField(double value) {
  return static_cast<int64_t>(std::bit_cast<uint64_t>(value) >> kFractionBits) & 0x7ff;
}

// How many of a float64's bits are below those that choose a counter of a Page.
constexpr int kBelowPage = kFractionBits - 7;

bool HaveSameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}
bool IsFinite(double value) { return std::fabs(value) <= std::numeric_limits<double>::max(); }

ComparedPoint PointAt(const ComparedArrays& a, size_t i) {
  return {.index = a.first_index + static_cast<int64_t>(i),
          .x = a.x[i],
          .hi = a.hi[i],
          .rounded = a.rounded[i],
          .candidate = a.candidate[i]};
}

// The largest of size(i), and the first i that has it. NaN is passed over.
template <class Size>
void AddMaximum(const ComparedArrays& a, size_t begin, size_t end, Size size, Maximum& maximum) {
  // Without branches, so that the compiler can use vectors.
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> lanes;
  lanes.fill(-1);
  size_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) {
      const double value = size(i + k);
      lanes[k] = value > lanes[k] ? value : lanes[k];
    }
  }
  double largest = *std::ranges::max_element(lanes);
  for (; i < end; ++i) {
    if (size(i) > largest) largest = size(i);
  }
  if (largest < 0 || !maximum.IsBelow(largest, a.first_index + static_cast<int64_t>(begin))) return;
  size_t at = begin;
  while (size(at) != largest) ++at;
  maximum.Add({.error = largest, .at = PointAt(a, at)});
}

// The sum of term(i), where that is not NaN, in an order that depends on begin and end alone.
template <class Term>
long double SumOf(size_t begin, size_t end, Term term) {
  constexpr size_t kLanes = 8;
  // Short enough that rounding errors stay below 2^-46 of the terms' sizes.
  constexpr size_t kStretch = 1024;
  long double sum = 0;
  for (size_t from = begin; from < end; from += kStretch) {
    const size_t to = std::min(from + kStretch, end);
    std::array<double, kLanes> lanes = {};
    size_t i = from;
    for (; i + kLanes <= to; i += kLanes) {
      for (size_t k = 0; k < kLanes; ++k) {
        const double value = term(i + k);
        lanes[k] += value == value ? value : 0;
      }
    }
    for (; i < to; ++i) {
      const double value = term(i);
      lanes[0] += value == value ? value : 0;
    }
    for (const double lane : lanes) sum += lane;
  }
  return sum;
}

// The same in extended precision, which has room for what float64 has not.
template <class Term>
long double LongSumOf(size_t begin, size_t end, Term term) {
  long double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    const long double value = term(i);
    if (value == value) sum += value;
  }
  return sum;
}

// One of both is not finite.
void NoteNonFinite(const ComparedPoint& point, ErrorFigures& figures) {
  const bool truth_is_nan = std::isnan(point.rounded);
  const bool is_same =
      truth_is_nan ? std::isnan(point.candidate) : point.rounded == point.candidate;
  ++(is_same ? figures.correctly_rounded : figures.mismatches);
  if (std::isnan(point.candidate) && !truth_is_nan) {
    figures.incidents[kUnexpectedNan].Note(point, kNaN);
  }
  if (std::isinf(point.candidate) && IsFinite(point.rounded)) {
    figures.incidents[kOverflowed].Note(point, kNaN);
  }
}

}  // namespace

void IncidentFigures::Note(const ComparedPoint& point, double ulp_error) {
  ++count;
  lowest_x = std::min(lowest_x, point.x);
  highest_x = std::max(highest_x, point.x);
  if (IsFinite(ulp_error) && ulp.IsBelow(ulp_error, point.index)) {
    ulp = {.error = ulp_error, .at = point};
  }
}

void IncidentFigures::Add(const IncidentFigures& other) {
  count += other.count;
  lowest_x = std::min(lowest_x, other.lowest_x);
  highest_x = std::max(highest_x, other.highest_x);
  ulp.Add(other.ulp);
}

void ErrorFigures::Add(const ErrorFigures& other) {
  points += other.points;
  finite_points += other.finite_points;
  mismatches += other.mismatches;
  correctly_rounded += other.correctly_rounded;
  absolute.Add(other.absolute);
  relative.Add(other.relative);
  ulp.Add(other.ulp);
  for (size_t i = 0; i < incidents.size(); ++i) incidents[i].Add(other.incidents[i]);
}

void CompensatedSum::Add(long double term) {
  const long double sum = sum_ + term;
  compensation_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
  sum_ = sum;
}

void ErrorSums::Add(const ErrorSums& later) {
  signed_errors.Add(later.signed_errors.Total());
  absolute_errors.Add(later.absolute_errors.Total());
  squares.Add(later.squares.Total());
}

double ErrorDistribution::UlpBound(size_t bucket) {
  return bucket == 0 ? 0 : std::ldexp(0.5, static_cast<int>(bucket) - 1);
}

void ErrorDistribution::Note(double absolute, double ulp) {
  // The exponent of the next power of two, biased; 0.5 is the least bound above 0.
  constexpr uint64_t kHalf = kExponentBias - 1;
  const uint64_t up = (uint64_t{1} << kFractionBits) - 1;
  const uint64_t exponent = (std::bit_cast<uint64_t>(ulp) + up) >> kFractionBits;
  ++ulp_[ulp == 0 ? 0 : std::max(exponent, kHalf) - kHalf + 1];
  const uint64_t counter =
      (std::bit_cast<uint64_t>(absolute) + ((uint64_t{1} << kBelowPage) - 1)) >> kBelowPage;
  std::unique_ptr<Page>& page = absolute_[counter / Page().size()];
  if (page == nullptr) page = std::make_unique<Page>();
  ++(*page)[counter % page->size()];
}

double ErrorDistribution::AbsoluteQuantile(int64_t errors) const {
  int64_t seen = 0;
  for (size_t i = 0; i < absolute_.size(); ++i) {
    if (absolute_[i] == nullptr) continue;
    for (size_t k = 0; k < absolute_[i]->size(); ++k) {
      seen += (*absolute_[i])[k];
      if (seen >= errors) {
        return std::bit_cast<double>(uint64_t{i * absolute_[i]->size() + k} << kBelowPage);
      }
    }
  }
  return std::numeric_limits<double>::infinity();
}

void ComputeErrors(const ComparedArrays& a, size_t count) {
  const ElementType& format = TraitsOf(a.type);
  const int64_t least = format.least_exponent + kExponentBias;
  for (size_t i = 0; i < count; ++i) {
    const double difference = a.candidate[i] - a.hi[i];
    const double error = a.lo == nullptr ? difference : difference - a.lo[i];
    const double bounded = std::clamp(error, -kMost, kMost);
    a.error[i] = IsFinite(a.candidate[i]) && IsFinite(a.hi[i]) ? bounded : kNaN;
  }
  if (a.type == DataType::kFloat64) {
    for (size_t i = 0; i < count; ++i) {
      int64_t exponent = ExponentField(a.hi[i]);
      // Just below a power of two is the binade below it.
      const bool is_power = (std::bit_cast<uint64_t>(a.hi[i]) << 12) == 0;
      if (is_power && a.lo[i] != 0 && std::signbit(a.lo[i]) != std::signbit(a.hi[i])) --exponent;
      exponent = std::max(exponent, int64_t{1}) - kExponentBias - (format.precision - 1);
      a.ulp[i] = std::ldexp(std::fabs(a.error[i]), static_cast<int>(-exponent));
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const int64_t exponent = ExponentField(a.hi[i]);
    const int64_t binade = std::max(exponent, least) - kExponentBias;
    a.ulp[i] = std::fabs(a.error[i]) * PowerOfTwo(static_cast<int>(format.precision - 1 - binade));
  }
}

void AddPoints(const ComparedArrays& a, size_t begin, size_t end, ErrorDistribution& distribution) {
  for (size_t i = begin; i < end; ++i) {
    if (a.error[i] == a.error[i]) distribution.Note(std::fabs(a.error[i]), a.ulp[i]);
  }
}

void AddPoints(const ComparedArrays& a, size_t begin, size_t end, ErrorFigures& figures,
               ErrorSums& sums) {
  figures.points += static_cast<int64_t>(end - begin);
  const auto absolute = [&](size_t i) { return std::fabs(a.error[i]); };
  AddMaximum(a, begin, end, absolute, figures.absolute);
  AddMaximum(
      a, begin, end, [&](size_t i) { return a.ulp[i]; }, figures.ulp);
  AddMaximum(
      a, begin, end,
      [&](size_t i) { return a.hi[i] != 0 ? absolute(i) / std::fabs(a.hi[i]) : kNaN; },
      figures.relative);

  const auto is_finite = [&](size_t i) { return a.error[i] == a.error[i]; };
  double largest = 0;
  double least = std::numeric_limits<double>::max();
  int64_t finite = 0;
  int64_t correct = 0;
  int64_t odd = 0;
  for (size_t i = begin; i < end; ++i) {
    const double size = absolute(i);
    const double c = a.candidate[i];
    largest = size > largest ? size : largest;
    least = size > 0 && size < least ? size : least;
    finite += is_finite(i);
    correct += is_finite(i) && HaveSameBits(c, a.rounded[i]);
    odd += (c == 0) != (a.rounded[i] == 0) || (c < 0) != (a.hi[i] < 0);
  }
  // Beyond these bounds squares lose bits in float64, and sums may overflow.
  if (largest < 0x1p500 && least > 0x1p-450) {
    sums.signed_errors.Add(SumOf(begin, end, [&](size_t i) { return a.error[i]; }));
    sums.absolute_errors.Add(SumOf(begin, end, absolute));
    sums.squares.Add(SumOf(begin, end, [&](size_t i) { return a.error[i] * a.error[i]; }));
  } else {
    const auto error = [&](size_t i) -> long double { return a.error[i]; };
    sums.signed_errors.Add(LongSumOf(begin, end, error));
    sums.absolute_errors.Add(LongSumOf(begin, end, absolute));
    sums.squares.Add(LongSumOf(begin, end, [&](size_t i) { return error(i) * error(i); }));
  }
  figures.finite_points += finite;
  figures.correctly_rounded += correct;
  if (odd > 0) {
    for (size_t i = begin; i < end; ++i) {
      if (!is_finite(i)) continue;
      const double c = a.candidate[i];
      if ((c < 0 && a.hi[i] > 0) || (c > 0 && a.hi[i] < 0)) {
        figures.incidents[kWrongSign].Note(PointAt(a, i), a.ulp[i]);
      }
      if (c == 0 && a.rounded[i] != 0) {
        figures.incidents[kFlushedToZero].Note(PointAt(a, i), a.ulp[i]);
      }
    }
  }
  if (finite == static_cast<int64_t>(end - begin)) return;
  for (size_t i = begin; i < end; ++i) {
    if (!is_finite(i)) NoteNonFinite(PointAt(a, i), figures);
  }
}

}  // namespace activation::server
