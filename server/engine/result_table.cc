#include "server/engine/result_table.h"

#include <algorithm>
#include <array>
#include <bit>

namespace activation::engine {
namespace {

using Parameters = decltype(Function::parameters);
using ParameterBits = std::array<uint64_t, kMaxParameters>;

// By bits, since 0 and -0 are different parameters.
bool Same(const Operation& a, const Operation& b) {
  const auto bits = [](const Parameters& parameters) {
    return std::bit_cast<ParameterBits>(parameters);
  };
  return a.function.spec == b.function.spec && a.quantity == b.quantity &&
         a.input_type == b.input_type && a.output_type == b.output_type &&
         bits(a.function.parameters) == bits(b.function.parameters);
}

}  // namespace

std::shared_ptr<const ResultTable> ResultTables::Find(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(tables_, [&operation, target = SimdTarget()](const auto& table) {
        return table->simd_target == target && Same(table->operation, operation);
      });
  if (found == tables_.end()) return nullptr;
  std::rotate(tables_.begin(), found, found + 1);
  return tables_.front();
}

std::shared_ptr<const ResultTable> ResultTables::FindOrMake(const Operation& operation,
                                                            size_t count, Fill fill) {
  if (auto found = Find(operation); found != nullptr || count < kMinElements) return found;
  // Outside the lock: two threads may make the same table, and one is dropped in time.
  auto made = std::make_shared<ResultTable>(
      ResultTable{.operation = operation, .simd_target = SimdTarget(), .results = {}});
  fill(*made);
  const std::lock_guard lock(mutex_);
  if (tables_.size() == kMaxTables) tables_.pop_back();
  tables_.insert(tables_.begin(), made);
  return made;
}

}  // namespace activation::engine
