// The figures of one candidate's errors, from arrays of points to numbers that add up.
//
// Everything here but ErrorSums can be added in any order with the same result: counts, and
// extremes, of which that of the earliest point counts. So threads can keep figures of their own.
#ifndef ACTIVATION_SERVER_COMPARE_FIGURES_H_
#define ACTIVATION_SERVER_COMPARE_FIGURES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "proto/element_type.h"
#include "server/engine/engine.h"

namespace activation::server {

// One point, compared. The truth is hi + lo, hi the nearest float64 as far as it is known;
// `rounded` is the truth in the comparison's type.
struct ComparedPoint {
  int64_t index = -1;
  double x = 0;
  double hi = 0;
  double rounded = 0;
  double candidate = 0;
};

// The largest error and where it is first; index -1 where there was none.
struct Maximum {
  double error = 0;
  ComparedPoint at;

  bool IsSet() const { return at.index >= 0; }
  bool IsBelow(double other, int64_t index) const {
    return !IsSet() || other > error || (other == error && index < at.index);
  }
  void Add(const Maximum& other) {
    if (other.IsSet() && IsBelow(other.error, other.at.index)) *this = other;
  }
};

// Points of one kind.
struct IncidentFigures {
  int64_t count = 0;
  double lowest_x = std::numeric_limits<double>::infinity();
  double highest_x = -std::numeric_limits<double>::infinity();
  Maximum ulp;

  // `ulp_error` is NaN where it is not finite.
  void Note(const ComparedPoint& point, double ulp_error);
  void Add(const IncidentFigures& other);
};

enum Incident { kWrongSign, kFlushedToZero, kOverflowed, kUnexpectedNan, kIncidentCount };

// Counts and extremes of some points.
struct ErrorFigures {
  int64_t points = 0;
  int64_t finite_points = 0;
  int64_t mismatches = 0;
  int64_t correctly_rounded = 0;
  Maximum absolute;
  Maximum relative;
  Maximum ulp;
  std::array<IncidentFigures, kIncidentCount> incidents;

  void Add(const ErrorFigures& other);
};

// Sums over some points, in their order; of stretches added up in order, with compensation.
class CompensatedSum {
 public:
  void Add(long double term);
  long double Total() const { return sum_ + compensation_; }

 private:
  long double sum_ = 0;
  long double compensation_ = 0;
};
struct ErrorSums {
  CompensatedSum signed_errors;
  CompensatedSum absolute_errors;
  CompensatedSum squares;

  void Add(const ErrorSums& later);
};

// Counts of errors by size.
class ErrorDistribution {
 public:
  // Buckets of errors in ULP: 0, up to 0.5, up to 1, up to 2, up to 4, ... up to 2^1024.
  static constexpr size_t kUlpBuckets = 1028;
  static double UlpBound(size_t bucket);
  // Most that one takes.
  static constexpr int64_t kMostBytes = 2'200'000;

  void Note(double absolute, double ulp);

  int64_t InUlpBucket(size_t bucket) const { return ulp_[bucket]; }
  // The least number of 8 significant bits that at least this many errors do not exceed.
  double AbsoluteQuantile(int64_t errors) const;

 private:
  // Errors in a binade, by their upper 8 significant bits.
  using Page = std::array<int64_t, 128>;
  static constexpr size_t kPages = 2048;

  std::array<int64_t, kUlpBuckets> ulp_ = {};
  // Null where there are none.
  std::array<std::unique_ptr<Page>, kPages> absolute_;
};

// Arrays of neighbouring points: the candidate beside the truth (ComparedPoint). lo is null where
// it is 0 throughout.
struct ComparedArrays {
  DataType type;
  int64_t first_index;
  const double* x;
  const double* hi;
  const double* lo;
  const double* rounded;
  const double* candidate;
  // Room for as many: the error and its size in ULP, both NaN where one of both is not finite.
  double* error;
  double* ulp;
};

// Fills `error` and `ulp` for all `count` points. An error beyond float64's range is its largest
// number.
void ComputeErrors(const ComparedArrays& arrays, size_t count);

// Add the points from `begin` to `end`, for which the errors have been computed.
void AddPoints(const ComparedArrays& arrays, size_t begin, size_t end, ErrorFigures& figures,
               ErrorSums& sums);
void AddPoints(const ComparedArrays& arrays, size_t begin, size_t end,
               ErrorDistribution& distribution);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_FIGURES_H_
