#include "server/engine/engine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "server/engine/kernels_fast.h"
#include "server/engine/kernels_float64.h"
#include "server/engine/packed.h"
#include "server/engine/precise_block.h"
#include "server/engine/result_table.h"

namespace activation::engine {
namespace {

int RowOf(Quantity quantity) { return quantity == Quantity::kValue ? kValueRow : kDerivativeRow; }

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

}  // namespace activation::engine
