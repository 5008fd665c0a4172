#include "server/engine/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "server/engine/catalogue.h"
#include "server/engine/engine.h"
#include "server/engine/packed.h"
#include "server/engine/precise_block.h"
#include "server/engine/softmax.h"

namespace activation::engine {
namespace {

// What runs a row function: a softmax, or the gate f of a * f(b), a name in the other catalogue.
struct RowKernel {
  RowSpec spec;
  const char* gate = nullptr;  // null for a softmax
  bool is_log_softmax = false;
};

constexpr const char* kLogSoftmaxAliases[] = {"logsoftmax"};

// THE CATALOGUE of row functions. Gated units: N. Shazeer, "GLU Variants Improve Transformer",
// arXiv:2002.05202 (they take the gate from the first half; here, as in PyTorch's glu, it is the
// second).
constexpr RowKernel kKernels[] = {
    {.spec = {.name = "softmax",
              .description = "Exponentials of a row, divided by their sum.",
              .formula = "exp(x[i])/sum(exp(x[j]))",
              .derivative = "y[i]*(g[i]-sum(g[j]*y[j]))",
              .aliases = {},
              .halves = false}},
    {.spec = {.name = "log_softmax",
              .description = "The logarithm of softmax.",
              .formula = "x[i]-log(sum(exp(x[j])))",
              .derivative = "g[i]-exp(y[i])*sum(g[j])",
              .aliases = kLogSoftmaxAliases,
              .halves = false},
     .is_log_softmax = true},
    {.spec = {.name = "glu",
              .description = "Gated linear unit: the first half times sigmoid of the second.",
              .formula = "a[i]*sigmoid(b[i])",
              .derivative = "g[i]*sigmoid(b[i]), g[i]*a[i]*sigmoid'(b[i])",
              .aliases = {},
              .halves = true},
     .gate = "sigmoid"},
    {.spec = {.name = "geglu",
              .description = "The first half times gelu of the second.",
              .formula = "a[i]*gelu(b[i])",
              .derivative = "g[i]*gelu(b[i]), g[i]*a[i]*gelu'(b[i])",
              .aliases = {},
              .halves = true},
     .gate = "gelu"},
    {.spec = {.name = "swiglu",
              .description = "The first half times silu of the second.",
              .formula = "a[i]*silu(b[i])",
              .derivative = "g[i]*silu(b[i]), g[i]*a[i]*silu'(b[i])",
              .aliases = {},
              .halves = true},
     .gate = "silu"},
    {.spec = {.name = "reglu",
              .description = "The first half times relu of the second.",
              .formula = "a[i]*relu(b[i])",
              .derivative = "g[i]*relu(b[i]), g[i]*a[i]*relu'(b[i])",
              .aliases = {},
              .halves = true},
     .gate = "relu"},
};

constexpr auto kSpecs = [] {
  std::array<const RowSpec*, std::size(kKernels)> specs = {};
  for (size_t i = 0; i < specs.size(); ++i) specs[i] = &kKernels[i].spec;
  return specs;
}();

// Copies `count` elements between packed memory and a column range of rows, of which they are the
// elements from the first-th on: element k is row k / width, column k % width.
struct Columns {
  size_t width;
  size_t stride;  // elements from row to row
  size_t offset;  // of column 0
  size_t size;    // bytes of an element

  template <class Copy>
  void ForEachRun(size_t first, size_t count, Copy copy) const {
    for (size_t done = 0; done < count;) {
      const size_t row = (first + done) / width, column = (first + done) % width;
      const size_t run = std::min(count - done, width - column);
      copy((row * stride + offset + column) * size, done * size, run * size);
      done += run;
    }
  }
  void Gather(const std::byte* rows, size_t first, size_t count, std::byte* packed) const {
    ForEachRun(first, count, [&](size_t from, size_t to, size_t bytes) {
      std::memcpy(packed + to, rows + from, bytes);
    });
  }
  void Scatter(const std::byte* packed, size_t first, size_t count, std::byte* rows) const {
    ForEachRun(first, count, [&](size_t to, size_t from, size_t bytes) {
      std::memcpy(rows + to, packed + from, bytes);
    });
  }
};

constexpr size_t kMostBytes = kBlock * sizeof(double);

// Every gate's value and slope here, times any two float64, is a zero of its sign. The kernels are
// made for products with a float64 only to that of a smaller x.
constexpr double kFarLeft = -5'000;

void KeepNear(std::byte* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double x = LoadAs<double>(b, i);
    if (x < kFarLeft && std::isfinite(x)) StoreAs(b, i, kFarLeft);
  }
}

// output = upstream * a * f'(b), one exact product.
void RunGateSlope(const Function& gate, const RowOperation& operation, const std::byte* a,
                  const std::byte* b, const std::byte* upstream, std::byte* output, size_t count) {
  PreciseBlock block;
  double factors[kBlock];
  Decode(operation.input_type, b, count, block.x);
  std::fill(block.x_lo, block.x_lo + count, 0.0);
  Compute(gate, kDerivativeRow, block, count);
  for (const std::byte* factor : {a, upstream}) {
    Decode(operation.input_type, factor, count, factors);
    Multiply(block, factors, count);
  }
  Encode(operation.output_type, block, count, output);
}

// Rows are cut into blocks without regard to where they end, so that short ones cost no more.
void RunGated(const Function& gate, const RowOperation& operation, const std::byte* input,
              const std::byte* upstream, std::byte* output, size_t rows, size_t length) {
  const size_t half = length / 2;
  const size_t in_size = SizeOf(operation.input_type);
  const size_t out_size = SizeOf(operation.output_type);
  const Columns input_a = {half, length, 0, in_size}, input_b = {half, length, half, in_size};
  const Columns output_a = {half, length, 0, out_size}, output_b = {half, length, half, out_size};
  const Operation value = {gate, Quantity::kValue, operation.input_type, operation.output_type};
  std::byte a[kMostBytes], b[kMostBytes], result[kMostBytes];
  for (size_t first = 0; first < rows * half; first += kBlock) {
    const size_t count = std::min(kBlock, rows * half - first);
    input_a.Gather(input, first, count, a);
    input_b.Gather(input, first, count, b);
    if (operation.input_type == DataType::kFloat64) KeepNear(b, count);
    if (operation.quantity == Quantity::kValue) {
      Run(value, {.input = b, .upstream = a, .output = output + first * out_size}, count);
      continue;
    }
    const std::byte* g = upstream + first * in_size;
    Run(value, {.input = b, .upstream = g, .output = result}, count);
    output_a.Scatter(result, first, count, output);
    RunGateSlope(gate, operation, a, b, g, result, count);
    output_b.Scatter(result, first, count, output);
  }
}

}  // namespace

std::span<const RowSpec* const> RowCatalogue() { return kSpecs; }

const RowSpec* FindRow(std::string_view name) {
  const auto found = std::ranges::find_if(kSpecs, [name](const RowSpec* spec) {
    return spec->name == name || std::ranges::find(spec->aliases, name) != spec->aliases.end();
  });
  return found == kSpecs.end() ? nullptr : *found;
}

void RunRows(const RowOperation& operation, const std::byte* input, const std::byte* upstream,
             std::byte* output, size_t rows, size_t length) {
  const RowKernel& kernel = *std::ranges::find(
      kKernels, operation.spec, [](const RowKernel& candidate) { return &candidate.spec; });
  if (kernel.gate != nullptr) {
    RunGated(WithDefaults(*Find(kernel.gate)), operation, input, upstream, output, rows, length);
  } else {
    RunSoftmax({.is_log = kernel.is_log_softmax,
                .quantity = operation.quantity,
                .input_type = operation.input_type,
                .output_type = operation.output_type},
               input, upstream, output, rows, length);
  }
}

}  // namespace activation::engine
