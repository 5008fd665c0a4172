// Tables of all 65,536 results of a 16-bit input type, so that float16 and bfloat16 cost a look-up
// instead of an evaluation. A table is made by the engine itself, so its entries have the engine's
// guarantees.
#ifndef ACTIVATION_SERVER_ENGINE_RESULT_TABLE_H_
#define ACTIVATION_SERVER_ENGINE_RESULT_TABLE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "server/engine/operation.h"

namespace activation::engine {

// The results of an operation without upstream, packed, indexed by the input's bits.
struct ResultTable {
  Operation operation;
  // The instruction set that made it: a test that compares instruction sets must not compare a
  // table with itself.
  const char* simd_target;
  std::vector<std::byte> results;
};

// The table's results for `count` packed inputs, packed, at any alignment.
void LookUp(const ResultTable& table, const std::byte* input, std::byte* output, size_t count);

// The most recently used tables of this process. Thread-safe.
class ResultTables {
 public:
  // Fills a table's results for its operation.
  using Fill = void (*)(ResultTable& table);

  // At most 64 tables of at most 512 KiB are kept: 32 MiB.
  static constexpr size_t kMaxTables = 64;
  // Elements in one call from which making a table pays: it costs 65,536 evaluations, but stays.
  static constexpr size_t kMinElements = 16'384;

  // The operation's table; null if there is none and `count` elements are too few to make one.
  std::shared_ptr<const ResultTable> FindOrMake(const Operation& operation, size_t count,
                                                Fill fill);

 private:
  std::shared_ptr<const ResultTable> Find(const Operation& operation);

  std::mutex mutex_;
  // Most recently used first.
  std::vector<std::shared_ptr<const ResultTable>> tables_;
};

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_RESULT_TABLE_H_
