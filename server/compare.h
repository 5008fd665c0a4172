// How far candidates are from a reference over a row of points.
//
// The truth is computed to more than twice float64's precision and not rounded; a candidate is
// rounded once to the plan's data type, as Evaluate returns it. Sums are compensated in extended
// precision, so figures do not depend on how the work is cut. The fields of the report are defined
// in the contract.
#ifndef ACTIVATION_SERVER_COMPARE_H_
#define ACTIVATION_SERVER_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/compare_plan.h"

namespace activation::server {

// Points that one step takes: some milliseconds, between which a call looks for its cancellation
// and lets others have their turn.
inline constexpr int64_t kComparePointsPerStep = 4'096;

// Adds up long doubles with Neumaier's compensation.
class CompensatedSum {
 public:
  void Add(long double term);
  long double Total() const { return sum_ + compensation_; }

 private:
  long double sum_ = 0;
  long double compensation_ = 0;
};

// The errors of one candidate over the points that it was given.
class ErrorFigures {
 public:
  explicit ErrorFigures(engine::DataType type) : type_(type) {}

  // The truth at x is hi + lo, hi the nearest double.
  void Add(double x, double hi, double lo, double candidate);

  // Adds the figures to the report; maxima only if there was a finite point.
  void Fill(v1::ApproximationReport& report) const;

 private:
  struct Maximum {
    bool is_set = false;
    long double error = 0;
    double x = 0;
    double reference = 0;
    double candidate = 0;

    void Offer(long double error, double x, double reference, double candidate);
    void Fill(v1::ErrorPoint& point) const;
  };

  engine::DataType type_;
  Maximum absolute_;
  Maximum relative_;
  Maximum ulp_;
  CompensatedSum absolute_sum_;
  CompensatedSum square_sum_;
  int64_t points_ = 0;
  int64_t finite_points_ = 0;
  int64_t mismatches_ = 0;
};

class Comparison {
 public:
  // The plan, and what it points into, must outlive it.
  explicit Comparison(const ComparePlan& plan);

  // Compares the next kComparePointsPerStep points; nothing where all are done.
  void Step();
  int64_t done() const { return done_; }
  bool is_done() const { return done_ == plan_.count; }

  // Of the points done so far.
  v1::CompareApproximationsResponse Report() const;

 private:
  // Fills x_ and packed_ with the next points.
  void MakePoints(size_t count);

  const ComparePlan& plan_;
  int64_t done_ = 0;
  std::vector<ErrorFigures> figures_;
  // One step's points, as doubles and packed as the plan's type; the truth there; a candidate's
  // values, packed and as doubles.
  std::vector<double> x_;
  std::vector<std::byte> packed_;
  std::vector<double> hi_;
  std::vector<double> lo_;
  std::vector<std::byte> results_;
  std::vector<double> values_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_H_
