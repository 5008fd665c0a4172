#include "server/engine/engine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "server/engine/catalogue.h"
#include "server/engine/kernels.h"
#include "server/engine/packed.h"
#include "server/engine/precise_block.h"
#include "server/engine/result_table.h"

namespace activation::engine {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int RowOf(Quantity quantity) { return quantity == Quantity::kValue ? kValueRow : kDerivativeRow; }

// x + x_lo, exactly: the nearest double and what it lacks (T. J. Dekker, Numer. Math. 18, 1971, in
// the order of sizes, where no step overflows unless the sum does).
void AddBias(DataType type, const std::byte* bias, size_t count, PreciseBlock& block) {
  double addends[kBlock];
  Decode(type, bias, count, addends);
  for (size_t i = 0; i < count; ++i) {
    const double sum = block.x[i] + addends[i];
    const bool is_less = std::abs(block.x[i]) < std::abs(addends[i]);
    const double large = is_less ? addends[i] : block.x[i];
    const double small = is_less ? block.x[i] : addends[i];
    block.x_lo[i] = std::isfinite(sum) ? small - (sum - large) : 0;
    block.x[i] = sum;
  }
}

// The arguments of `count` elements from `start` on.
void LoadArguments(DataType type, const Operands& operands, size_t start, size_t count,
                   PreciseBlock& block) {
  const size_t offset = start * SizeOf(type);
  Decode(type, operands.input + offset, count, block.x);
  if (operands.bias != nullptr) {
    AddBias(type, operands.bias + offset, count, block);
  } else {
    std::fill(block.x_lo, block.x_lo + count, 0.0);
  }
}

// Of at most kBlock elements from `start` on.
void ComputeTimesUpstream(const Function& function, int row, DataType type,
                          const Operands& operands, size_t start, size_t count,
                          PreciseBlock& block) {
  LoadArguments(type, operands, start, count, block);
  Compute(function, row, block, count);
  if (operands.upstream == nullptr) return;
  double factors[kBlock];
  Decode(type, operands.upstream + start * SizeOf(type), count, factors);
  Multiply(block, factors, count);
}

void RunBlocks(const Operation& operation, const Operands& operands, size_t count) {
  const size_t size = SizeOf(operation.output_type);
  PreciseBlock block;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    ComputeTimesUpstream(operation.function, RowOf(operation.quantity), operation.input_type,
                         operands, start, length, block);
    Encode(operation.output_type, block, length, operands.output + start * size);
  }
}

// A ResultTables::Fill.
void FillTable(ResultTable& table) {
  constexpr size_t kInputs = 1 << 16;
  std::vector<uint16_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), uint16_t{0});
  table.results.resize(kInputs * SizeOf(table.operation.output_type));
  RunBlocks(
      table.operation,
      {.input = reinterpret_cast<const std::byte*>(inputs.data()), .output = table.results.data()},
      kInputs);
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

// A Refiner's function: context is the Operation.
void Refine(const void* context, const Operands& operands, uint64_t lanes) {
  const auto& operation = *static_cast<const Operation*>(context);
  std::array<size_t, kMaxGroup> places;
  std::array<float, kMaxGroup> x = {}, upstream = {}, bias = {}, result;
  const auto gather = [](const std::byte* from, size_t place, float& to) {
    if (from != nullptr) to = LoadAs<float>(from, place);
  };
  size_t count = 0;
  for (; lanes != 0; lanes &= lanes - 1, ++count) {
    const size_t place = static_cast<size_t>(std::countr_zero(lanes));
    places[count] = place;
    gather(operands.input, place, x[count]);
    gather(operands.upstream, place, upstream[count]);
    gather(operands.bias, place, bias[count]);
  }
  const auto bytes = [](const std::byte* given, const auto& gathered) {
    return given == nullptr ? nullptr : reinterpret_cast<const std::byte*>(gathered.data());
  };
  RunBlocks(operation,
            {.input = bytes(operands.input, x),
             .upstream = bytes(operands.upstream, upstream),
             .bias = bytes(operands.bias, bias),
             .output = reinterpret_cast<std::byte*>(result.data())},
            count);
  for (size_t i = 0; i < count; ++i) StoreAs(operands.output, places[i], result[i]);
}

// A PlacesRefiner's function: context is the Operation.
void RefinePlaces(const void* context, const Operands& operands, std::span<const size_t> places) {
  double x[kBlock] = {}, upstream[kBlock] = {}, result[kBlock];
  const bool has_upstream = operands.upstream != nullptr;
  for (size_t i = 0; i < places.size(); ++i) {
    x[i] = LoadAs<double>(operands.input, places[i]);
    if (has_upstream) upstream[i] = LoadAs<double>(operands.upstream, places[i]);
  }
  RunBlocks(*static_cast<const Operation*>(context),
            {.input = reinterpret_cast<const std::byte*>(x),
             .upstream = has_upstream ? reinterpret_cast<const std::byte*>(upstream) : nullptr,
             .output = reinterpret_cast<std::byte*>(result)},
            places.size());
  for (size_t i = 0; i < places.size(); ++i) StoreAs(operands.output, places[i], result[i]);
}

}  // namespace

void Run(const Operation& operation, const Operands& operands, size_t count) {
  if (operation.input_type == DataType::kFloat32 && operation.output_type == DataType::kFloat32) {
    const auto& function = operation.function;
    FastKernels()[IndexOf(*function.spec)][RowOf(operation.quantity)](
        function.parameters.data(), operands, count, {Refine, &operation});
    return;
  }
  const bool is_scaled_value =
      operation.quantity == Quantity::kValue && operands.upstream != nullptr;
  if (operation.input_type == DataType::kFloat64 && operation.output_type == DataType::kFloat64 &&
      operands.bias == nullptr && !is_scaled_value &&
      std::ranges::all_of(operation.function.parameters, IsOrdinary)) {
    const auto& function = operation.function;
    Float64Kernels()[IndexOf(*function.spec)][RowOf(operation.quantity)](
        function.parameters.data(), operands, count, {RefinePlaces, &operation});
    return;
  }
  if (SizeOf(operation.input_type) == sizeof(uint16_t) && operands.upstream == nullptr &&
      operands.bias == nullptr) {
    static ResultTables& tables = *new ResultTables;
    if (const auto table = tables.FindOrMake(operation, count, FillTable)) {
      LookUp(*table, operands.input, operands.output, count);
      return;
    }
  }
  RunBlocks(operation, operands, count);
}

void RunPrecise(const Function& function, Quantity quantity, const double* x, double* hi,
                double* lo, size_t count) {
  PreciseBlock block;
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t size = std::min(kBlock, count - i);
    LoadArguments(DataType::kFloat64, {.input = reinterpret_cast<const std::byte*>(x)}, i, size,
                  block);
    Compute(function, RowOf(quantity), block, size);
    for (size_t j = 0; j < size; ++j) {
      hi[i + j] = Scale(block.hi[j], block.exponent[j]);
      // Below 2^-700 of hi, lo is only the sign of what has vanished.
      const bool is_number =
          std::isfinite(hi[i + j]) && std::abs(block.lo[j]) >= 0x1p-700 * std::abs(block.hi[j]);
      lo[i + j] = is_number ? Scale(block.lo[j], block.exponent[j]) : 0;
    }
  }
}

void AddGradient(const Function& function, int what, DataType input_type, const Operands& operands,
                 size_t count, PreciseSum& sum) {
  const int row = what == kBias ? kDerivativeRow : kFirstParameterRow + what;
  PreciseBlock block;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    ComputeTimesUpstream(function, row, input_type, operands, start, length, block);
    for (size_t i = 0; i < length; ++i) {
      sum.Add({Scale(block.hi[i], block.exponent[i]), Scale(block.lo[i], block.exponent[i])});
    }
  }
}

// Sum of two pairs (Joldes, Muller, Popescu, algorithm 6); plain where it is not finite.
void PreciseSum::Add(const PreciseSum& term) {
  const auto two_sum = [](double a, double b, double* rest) {
    const double sum = a + b;
    const double part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
  };
  double high_rest, low_rest;
  const double high = two_sum(hi, term.hi, &high_rest);
  if (!std::isfinite(high)) {
    *this = {.hi = std::isnan(high) ? kNaN : high, .lo = 0};
    return;
  }
  const double low = two_sum(lo, term.lo, &low_rest);
  const double carried = high_rest + low;
  const double first = high + carried;
  const double second = low_rest + (carried - (first - high));
  *this = {.hi = first + second, .lo = second - ((first + second) - first)};
}

}  // namespace activation::engine
