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
#include "server/engine/precise_block.h"
#include "server/engine/result_table.h"

namespace activation::engine {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int RowOf(Quantity quantity) { return quantity == Quantity::kValue ? kValueRow : kDerivativeRow; }

void RunBlock(const Operation& operation, const std::byte* input, const std::byte* upstream,
              std::byte* output, size_t count) {
  PreciseBlock block;
  Decode(operation.input_type, input, count, block.x);
  Compute(operation.function, RowOf(operation.quantity), block, count);
  if (upstream != nullptr) {
    double factors[kBlock];
    Decode(operation.input_type, upstream, count, factors);
    Multiply(block, factors, count);
  }
  Encode(operation.output_type, block, count, output);
}

void RunBlocks(const Operation& operation, const std::byte* input, const std::byte* upstream,
               std::byte* output, size_t count) {
  const size_t in_size = SizeOf(operation.input_type);
  const size_t out_size = SizeOf(operation.output_type);
  for (size_t i = 0; i < count; i += kBlock) {
    RunBlock(operation, input + i * in_size, upstream == nullptr ? nullptr : upstream + i * in_size,
             output + i * out_size, std::min(kBlock, count - i));
  }
}

// A ResultTables::Fill.
void FillTable(ResultTable& table) {
  constexpr size_t kInputs = 1 << 16;
  std::vector<uint16_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), uint16_t{0});
  table.results.resize(kInputs * SizeOf(table.operation.output_type));
  RunBlocks(table.operation, reinterpret_cast<const std::byte*>(inputs.data()), nullptr,
            table.results.data(), kInputs);
}

template <class T>
void LookUpAs(const ResultTable& table, const std::byte* input, std::byte* output, size_t count) {
  const T* const results = reinterpret_cast<const T*>(table.results.data());
  // Four inputs come in one load and four results go in one store, which halves the time.
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint64_t four;
    std::memcpy(&four, input + i * sizeof(uint16_t), sizeof(four));
    const T found[4] = {results[four & 0xffff], results[four >> 16 & 0xffff],
                        results[four >> 32 & 0xffff], results[four >> 48]};
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
void Refine(const void* context, const FastArrays& arrays, uint32_t lanes) {
  const auto& operation = *static_cast<const Operation*>(context);
  std::array<size_t, kMaxGroup> places;
  std::array<float, kMaxGroup> x = {}, upstream = {}, result;
  size_t count = 0;
  for (; lanes != 0; lanes &= lanes - 1, ++count) {
    const size_t place = static_cast<size_t>(std::countr_zero(lanes));
    places[count] = place;
    x[count] = LoadAs<float>(arrays.x, place);
    if (arrays.upstream != nullptr) upstream[count] = LoadAs<float>(arrays.upstream, place);
  }
  RunBlock(
      operation, reinterpret_cast<const std::byte*>(x.data()),
      arrays.upstream == nullptr ? nullptr : reinterpret_cast<const std::byte*>(upstream.data()),
      reinterpret_cast<std::byte*>(result.data()), count);
  for (size_t i = 0; i < count; ++i) StoreAs(arrays.out, places[i], result[i]);
}

// A PlacesRefiner's function: context is the Operation.
void RefinePlaces(const void* context, const FastArrays& arrays, std::span<const size_t> places) {
  double x[kBlock] = {}, upstream[kBlock] = {}, result[kBlock];
  const bool has_upstream = arrays.upstream != nullptr;
  for (size_t i = 0; i < places.size(); ++i) {
    x[i] = LoadAs<double>(arrays.x, places[i]);
    if (has_upstream) upstream[i] = LoadAs<double>(arrays.upstream, places[i]);
  }
  RunBlock(*static_cast<const Operation*>(context), reinterpret_cast<const std::byte*>(x),
           has_upstream ? reinterpret_cast<const std::byte*>(upstream) : nullptr,
           reinterpret_cast<std::byte*>(result), places.size());
  for (size_t i = 0; i < places.size(); ++i) StoreAs(arrays.out, places[i], result[i]);
}

}  // namespace

void Run(const Operation& operation, const std::byte* input, const std::byte* upstream,
         std::byte* output, size_t count) {
  const bool is_scaled_value = operation.quantity == Quantity::kValue && upstream != nullptr;
  if (operation.input_type == DataType::kFloat32 && operation.output_type == DataType::kFloat32 &&
      !is_scaled_value) {
    const auto& function = operation.function;
    FastKernels()[IndexOf(*function.spec)][RowOf(operation.quantity)](
        function.parameters.data(),
        {.x = input, .upstream = upstream, .bias = nullptr, .out = output}, count,
        {Refine, &operation});
    return;
  }
  if (operation.input_type == DataType::kFloat64 && operation.output_type == DataType::kFloat64 &&
      !is_scaled_value && std::ranges::all_of(operation.function.parameters, IsOrdinary)) {
    const auto& function = operation.function;
    Float64Kernels()[IndexOf(*function.spec)][RowOf(operation.quantity)](
        function.parameters.data(),
        {.x = input, .upstream = upstream, .bias = nullptr, .out = output}, count,
        {RefinePlaces, &operation});
    return;
  }
  if (SizeOf(operation.input_type) == sizeof(uint16_t) && upstream == nullptr) {
    static ResultTables& tables = *new ResultTables;
    if (const auto table = tables.FindOrMake(operation, count, FillTable)) {
      LookUp(*table, input, output, count);
      return;
    }
  }
  RunBlocks(operation, input, upstream, output, count);
}

void RunPrecise(const Function& function, Quantity quantity, const double* x, double* hi,
                double* lo, size_t count) {
  PreciseBlock block;
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t size = std::min(kBlock, count - i);
    std::memcpy(block.x, x + i, size * sizeof(double));
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

ParameterGradients::ParameterGradients(const Function& function) : function_(function), sums_() {}

void ParameterGradients::Add(DataType input_type, const std::byte* input, const std::byte* upstream,
                             size_t count) {
  PreciseBlock block;
  const size_t size = SizeOf(input_type);
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    Decode(input_type, input + start * size, length, block.x);
    double factors[kBlock];
    if (upstream != nullptr) Decode(input_type, upstream + start * size, length, factors);
    for (size_t p = 0; p < function_.spec->parameters.size(); ++p) {
      Compute(function_, kFirstParameterRow + static_cast<int>(p), block, length);
      if (upstream != nullptr) Multiply(block, factors, length);
      for (size_t i = 0; i < length; ++i) {
        sums_[p].Add(Scale(block.hi[i], block.exponent[i]), Scale(block.lo[i], block.exponent[i]));
      }
    }
  }
}

void ParameterGradients::Add(const ParameterGradients& other) {
  for (size_t p = 0; p < sums_.size(); ++p) sums_[p].Add(other.sums_[p].hi, other.sums_[p].lo);
}

double ParameterGradients::Total(int index) const { return sums_[index].hi; }

// Sum of two pairs (Joldes, Muller, Popescu, algorithm 6); plain where it is not finite.
void ParameterGradients::Sum::Add(double other_hi, double other_lo) {
  const auto two_sum = [](double a, double b, double* rest) {
    const double sum = a + b;
    const double part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
  };
  double high_rest, low_rest;
  const double high = two_sum(hi, other_hi, &high_rest);
  if (!std::isfinite(high)) {
    *this = {.hi = std::isnan(high) ? kNaN : high, .lo = 0};
    return;
  }
  const double low = two_sum(lo, other_lo, &low_rest);
  const double carried = high_rest + low;
  const double first = high + carried;
  const double second = low_rest + (carried - (first - high));
  *this = {.hi = first + second, .lo = second - ((first + second) - first)};
}

}  // namespace activation::engine
