// Compares blocks of points on one thread, and keeps the figures of those that it has compared.
#ifndef ACTIVATION_SERVER_COMPARE_BLOCK_H_
#define ACTIVATION_SERVER_COMPARE_BLOCK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/figures.h"
#include "server/compare/plan.h"

namespace activation::server {

// Points of a block: about a millisecond's work; twenty with the truth in twice float64's
// precision.
inline constexpr int64_t kComparePointsPerBlock = 8'192;

// Where one region ends and the next begins. Region i is of bounds[i - 1] <= x < bounds[i]; a last
// one, beyond those, is of NaN.
using RegionBounds = std::vector<double>;
inline size_t RegionCount(const RegionBounds& bounds) { return bounds.size() + 2; }

// The figures of one candidate that can be added in any order.
struct CandidateFigures {
  std::vector<ErrorFigures> regions;
  // Pairs of neighbours; see Reversals in the contract.
  int64_t reversals = 0;
  double first_reversal = std::numeric_limits<double>::infinity();
  double last_reversal = -std::numeric_limits<double>::infinity();
  double nanoseconds_per_point = std::numeric_limits<double>::infinity();

  explicit CandidateFigures(size_t region_count) : regions(region_count) {}
  void Add(const CandidateFigures& other);
};

// The first with the largest error of the points in a stretch of a curve; unset where all are
// infinite or NaN.
struct CurvePoint {
  bool is_set = false;
  double x = 0;
  double reference = 0;
  double candidate = 0;
  double error = 0;
  double ulp = 0;

  void Offer(const CurvePoint& later);
};

// The errors of one candidate, for all threads: it may take 2 MiB.
struct SharedDistribution {
  std::mutex mutex;
  ErrorDistribution distribution;
};

class BlockComparer {
 public:
  // What depends on the order of blocks, of one candidate.
  struct Ordered {
    // With their regions, in order.
    std::vector<std::pair<size_t, ErrorSums>> sums;
    // With their stretches, in order.
    std::vector<std::pair<int64_t, CurvePoint>> curve;
  };

  // They must outlive it; there is a distribution for each candidate.
  BlockComparer(const ComparePlan& plan, const RegionBounds& bounds,
                std::deque<SharedDistribution>& distributions);

  // Compares the blocks from the point `first` to the point `end`, or fewer if it is cancelled.
  void Run(int64_t first, int64_t end, const std::atomic<bool>& cancelled);

  // For each candidate, the figures of all blocks so far, and what the last run found.
  const std::vector<CandidateFigures>& figures() const { return figures_; }
  const std::vector<Ordered>& last_run() const { return last_run_; }

 private:
  // Neighbours in one region.
  struct Stretch {
    size_t begin;
    size_t end;
    size_t region;
  };

  void RunBlock(int64_t first, int64_t end, const std::atomic<bool>& cancelled);
  void ComputeTruth();
  void MakeStretches();
  void RunCandidate(size_t k);
  void CountReversals(CandidateFigures& figures) const;
  void DrawCurve(std::vector<std::pair<int64_t, CurvePoint>>& curve) const;
  // Whether the truth is larger at the second point.
  bool Rises(size_t from, size_t to) const;
  bool IsPrecise() const { return plan_.subject.domain.type == DataType::kFloat64; }

  const ComparePlan& plan_;
  const RegionBounds& bounds_;
  std::deque<SharedDistribution>& distributions_;
  std::vector<CandidateFigures> figures_;
  std::vector<Ordered> last_run_;
  // The block: points with index first_ + i, for i below end_. The one before begin_, if there is
  // one, is there to be a neighbour, and in no figure.
  int64_t first_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::vector<Stretch> stretches_;
  // As in ComparedArrays; packed arrays of the points and of results.
  std::vector<double> x_, hi_, lo_, rounded_, candidate_, error_, ulp_;
  std::vector<std::byte> points_, results_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_BLOCK_H_
