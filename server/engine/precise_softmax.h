// softmax and log_softmax in twice float64's precision, with a bound of every result's error; what
// that does not decide goes to HardRow.
#ifndef ACTIVATION_SERVER_ENGINE_PRECISE_SOFTMAX_H_
#define ACTIVATION_SERVER_ENGINE_PRECISE_SOFTMAX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/engine/bounded_block.h"
#include "server/engine/hard_row.h"
#include "server/engine/kernels.h"
#include "server/engine/softmax_operation.h"
#include "server/engine/softmax_row.h"

namespace activation::engine {

// Works on batches of rows of one length.
class PreciseSoftmax {
 public:
  PreciseSoftmax(const SoftmaxOperation& operation, size_t length);

  // The most rows in a batch: as many as fit a block, and at least one.
  size_t MostRows() const;

  // One batch. Any row and type is right, and upstream is only used for derivatives.
  void Run(const std::byte* input, const std::byte* upstream, std::byte* output, size_t rows);

 private:
  static constexpr size_t kNothing = SIZE_MAX;

  template <class Visit>
  void ForEachBlock(Visit visit);
  template <class Visit>
  void ForEachRun(size_t first, size_t count, Visit visit);

  void Load(size_t first, size_t count);
  void LoadPowers(size_t first, size_t count, bool for_sums);
  void PrepareSums(size_t r);
  void AddUp(SoftmaxRow& row, size_t column, size_t begin, size_t end) const;
  void TakeLogs();
  Bounded Result(const SoftmaxRow& row, size_t column, size_t i) const;
  void Store(size_t first, size_t count);
  const HardRow& HardRowOf(size_t row);

  const SoftmaxOperation operation_;
  const size_t length_;
  const double sum_error_;  // relative

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
  BoundedBlock results_;

  std::optional<HardRow> hard_row_;
  size_t hard_row_index_ = 0;
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_PRECISE_SOFTMAX_H_
