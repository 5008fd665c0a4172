#include "server/engine/engine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "proto/tensor_codec.h"
#include "server/engine/catalogue.h"
#include "server/engine/kernels.h"
#include "server/engine/result_table.h"

namespace activation::engine {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int RowOf(Quantity quantity) { return quantity == Quantity::kValue ? kValueRow : kDerivativeRow; }

template <class T>
T LoadAs(const std::byte* data, size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void StoreAs(std::byte* data, size_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

// Every type's values are exactly float64 values.
void Decode(DataType type, const std::byte* data, size_t count, double* values) {
  switch (type) {
    case DataType::kFloat32:
      for (size_t i = 0; i < count; ++i) values[i] = LoadAs<float>(data, i);
      return;
    case DataType::kFloat64:
      std::memcpy(values, data, count * sizeof(double));
      return;
    case DataType::kFloat16:
      for (size_t i = 0; i < count; ++i) values[i] = Float16ToDouble(LoadAs<uint16_t>(data, i));
      return;
    case DataType::kBFloat16:
      for (size_t i = 0; i < count; ++i) values[i] = BFloat16ToDouble(LoadAs<uint16_t>(data, i));
      return;
  }
}

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

// Fills in what the kernels leave open: infinite x and results that pairs of float64 can't hold.
void Compute(const Function& function, int row, PreciseBlock& block, size_t count) {
  // Masks are full of infinities: don't work for lanes whose result is known.
  if (std::any_of(block.x, block.x + count, [](double x) { return std::isfinite(x); })) {
    const size_t padded = (count + kPadding - 1) / kPadding * kPadding;
    std::fill(block.x + count, block.x + padded, 0.0);
    std::fill(block.x_lo + count, block.x_lo + padded, 0.0);
    PreciseKernels()[IndexOf(*function.spec)][row](function.parameters.data(), block, count);
  }
  for (size_t i = 0; i < count; ++i) {
    const double x = block.x[i];
    PreciseValue value = {block.hi[i], block.lo[i], block.exponent[i]};
    if (std::isnan(x)) {
      value = {kNaN, 0, 0};
    } else if (std::isinf(x)) {
      value = {LimitAtInfinity(function, row, x < 0), 0, 0};
    } else if (std::isnan(value.hi)) {
      value = Multiprecise(function, row, x, block.x_lo[i]);
    }
    if (x == 0 && value.hi == 0) {
      const bool follows_x = row == kValueRow && !function.spec->positive_zero;
      value.hi = follows_x ? x : 0.0;
    }
    block.hi[i] = value.hi;
    block.lo[i] = value.lo;
    block.exponent[i] = value.exponent;
  }
}

// The product with upstream, still in twice float64's precision. Exponents are set apart, since one
// factor may be tiny and the other huge.
void Multiply(PreciseBlock& block, const double* upstream, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double plain = block.hi[i] * upstream[i];
    if (block.hi[i] == 0 || upstream[i] == 0 || !std::isfinite(block.hi[i]) ||
        !std::isfinite(upstream[i])) {
      block.hi[i] = plain;
      block.lo[i] = 0;
      continue;
    }
    int hi_exponent, factor_exponent;
    const double hi = std::frexp(block.hi[i], &hi_exponent);
    const double lo = std::ldexp(block.lo[i], -hi_exponent);
    const double factor = std::frexp(upstream[i], &factor_exponent);
    const double product = hi * factor;
    const double rest = std::fma(hi, factor, -product) + lo * factor;
    block.hi[i] = product + rest;
    block.lo[i] = rest - (block.hi[i] - product);
    block.exponent[i] += hi_exponent + factor_exponent;
  }
}

double Scale(double value, double exponent) {
  return exponent == 0 ? value : std::ldexp(value, static_cast<int>(exponent));
}

// hi + lo to 53 bits by rounding to odd: the result differs from a value that two more bits would
// round correctly in no way that a later rounding to 24 bits or fewer could see (S. Boldo, G.
// Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC 57(4), 2008).
double RoundToOdd(double hi, double lo) {
  const uint64_t bits = std::bit_cast<uint64_t>(hi);
  if (lo == 0 || (bits & 1) != 0 || !std::isfinite(hi) || hi == 0) return hi;
  return std::bit_cast<double>(std::signbit(hi) == std::signbit(lo) ? bits + 1 : bits - 1);
}

void Encode(DataType type, const PreciseBlock& block, size_t count, std::byte* data) {
  const auto odd = [&block](size_t i) {
    return Scale(RoundToOdd(block.hi[i], block.lo[i]), block.exponent[i]);
  };
  switch (type) {
    case DataType::kFloat32:
      for (size_t i = 0; i < count; ++i) {
        StoreAs(data, i,
                std::isnan(block.hi[i]) ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(odd(i)));
      }
      return;
    case DataType::kFloat64:
      for (size_t i = 0; i < count; ++i) {
        StoreAs(data, i, std::isnan(block.hi[i]) ? kNaN : Scale(block.hi[i], block.exponent[i]));
      }
      return;
    case DataType::kFloat16:
      for (size_t i = 0; i < count; ++i) StoreAs(data, i, DoubleToFloat16(odd(i)));
      return;
    case DataType::kBFloat16:
      for (size_t i = 0; i < count; ++i) StoreAs(data, i, DoubleToBFloat16(odd(i)));
      return;
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
  for (size_t i = 0; i < count; ++i) {
    StoreAs(output, i, LoadAs<T>(table.results.data(), LoadAs<uint16_t>(input, i)));
  }
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
void Refine(const void* context, const float* x, const float* upstream, float* result,
            unsigned lanes) {
  const auto& operation = *static_cast<const Operation*>(context);
  const size_t count = std::bit_width(lanes);
  float refined[kPadding];
  RunBlocks(operation,
            {.input = reinterpret_cast<const std::byte*>(x),
             .upstream = reinterpret_cast<const std::byte*>(upstream),
             .output = reinterpret_cast<std::byte*>(refined)},
            count);
  for (size_t i = 0; i < count; ++i) {
    if ((lanes >> i & 1) != 0) StoreAs(reinterpret_cast<std::byte*>(result), i, refined[i]);
  }
}

}  // namespace

void Run(const Operation& operation, const Operands& operands, size_t count) {
  const bool is_plain = operands.bias == nullptr;
  if (is_plain && operation.input_type == DataType::kFloat32 &&
      operation.output_type == DataType::kFloat32) {
    const auto& function = operation.function;
    FastKernels()[IndexOf(*function.spec)][RowOf(operation.quantity)](
        function.parameters.data(), operands.input, operands.upstream, operands.output, count,
        {Refine, &operation});
    return;
  }
  if (is_plain && SizeOf(operation.input_type) == sizeof(uint16_t) &&
      operands.upstream == nullptr) {
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
