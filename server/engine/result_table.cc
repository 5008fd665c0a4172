#include "server/engine/result_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "server/engine/packed.h"
#include "server/engine/simd_target.h"

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

template <class T>
void LookUpAs(const ResultTable& table, const std::byte* input, std::byte* output, size_t count) {
  const T* const results = reinterpret_cast<const T*>(table.results.data());
  // Two inputs come in one load and four results go in one store, which halves the time.
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint32_t two[2];
    std::memcpy(two, input + i * sizeof(uint16_t), sizeof(two));
    const T found[4] = {results[two[0] & 0xffff], results[two[0] >> 16], results[two[1] & 0xffff],
                        results[two[1] >> 16]};
    std::memcpy(output + i * sizeof(T), found, sizeof(found));
  }
  for (; i < count; ++i) StoreAs(output, i, results[LoadAs<uint16_t>(input, i)]);
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

void LookUp(const ResultTable& table, const std::byte* input, std::byte* output, size_t count) {
  switch (SizeOf(table.operation.output_type)) {
    case sizeof(uint16_t):
      return LookUpAs<uint16_t>(table, input, output, count);
    case sizeof(uint32_t):
      return LookUpAs<uint32_t>(table, input, output, count);
    default:
      return LookUpAs<uint64_t>(table, input, output, count);
  }
}

}  // namespace activation::engine
