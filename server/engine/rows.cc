#include "server/engine/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "proto/tensor_codec.h"

namespace activation::engine {
namespace {

constexpr RowSpec kSoftmax = {"softmax",         "Stub.", "exp(x_i)/sum_j exp(x_j)",
                              "y (g - sum g y)", {},      false};
constexpr RowSpec kLogSoftmax = {"log_softmax", "Stub.", "x_i - log sum_j exp(x_j)",
                                 "g - y sum g", {},      false};
constexpr RowSpec kGlu = {"glu", "Stub.", "a sigmoid(b)", "g f(b), g a f'(b)", {}, true};
constexpr RowSpec kGeglu = {"geglu", "Stub.", "a gelu(b)", "g f(b), g a f'(b)", {}, true};
constexpr RowSpec kSwiglu = {"swiglu", "Stub.", "a silu(b)", "g f(b), g a f'(b)", {}, true};
constexpr RowSpec kReglu = {"reglu", "Stub.", "a relu(b)", "g f(b), g a f'(b)", {}, true};
constexpr const RowSpec* kAll[] = {&kSoftmax, &kLogSoftmax, &kGlu, &kGeglu, &kSwiglu, &kReglu};

double LoadOne(DataType type, const std::byte* data, size_t i) {
  if (type == DataType::kFloat64) {
    double v;
    std::memcpy(&v, data + i * 8, 8);
    return v;
  }
  if (type == DataType::kFloat32) {
    float v;
    std::memcpy(&v, data + i * 4, 4);
    return v;
  }
  uint16_t v;
  std::memcpy(&v, data + i * 2, 2);
  return type == DataType::kFloat16 ? Float16ToDouble(v) : BFloat16ToDouble(v);
}

void StoreOne(DataType type, double value, std::byte* data, size_t i) {
  if (type == DataType::kFloat64) {
    std::memcpy(data + i * 8, &value, 8);
  } else if (type == DataType::kFloat32) {
    const float v = static_cast<float>(value);
    std::memcpy(data + i * 4, &v, 4);
  } else {
    const uint16_t v =
        type == DataType::kFloat16 ? DoubleToFloat16(value) : DoubleToBFloat16(value);
    std::memcpy(data + i * 2, &v, 2);
  }
}

double Gate(const RowSpec* spec, Quantity quantity, double b) {
  const char* name = spec == &kGlu      ? "sigmoid"
                     : spec == &kGeglu  ? "gelu"
                     : spec == &kSwiglu ? "silu"
                                        : "relu";
  double y = 0;
  Run({WithDefaults(*Find(name)), quantity, DataType::kFloat64, DataType::kFloat64},
      {.input = reinterpret_cast<const std::byte*>(&b), .output = reinterpret_cast<std::byte*>(&y)},
      1);
  return y;
}

void RunRow(const RowOperation& op, const std::vector<double>& x, const std::vector<double>& g,
            std::vector<double>& out) {
  const size_t n = x.size();
  if (op.spec->halves) {
    const size_t half = n / 2;
    for (size_t i = 0; i < half; ++i) {
      const double f = Gate(op.spec, Quantity::kValue, x[half + i]);
      if (op.quantity == Quantity::kValue) {
        out[i] = x[i] * f;
      } else {
        out[i] = g[i] * f;
        out[half + i] = g[i] * x[i] * Gate(op.spec, Quantity::kDerivative, x[half + i]);
      }
    }
    return;
  }
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0, dot = 0, total = 0;
  for (const double v : x) sum += std::exp(v - most);
  for (size_t i = 0; i < g.size(); ++i) {
    dot += g[i] * std::exp(x[i] - most) / sum;
    total += g[i];
  }
  for (size_t i = 0; i < n; ++i) {
    const double y = std::exp(x[i] - most) / sum;
    const bool is_log = op.spec == &kLogSoftmax;
    if (op.quantity == Quantity::kValue) {
      out[i] = is_log ? x[i] - most - std::log(sum) : y;
    } else {
      out[i] = is_log ? g[i] - y * total : y * (g[i] - dot);
    }
  }
}

}  // namespace

std::span<const RowSpec* const> RowCatalogue() { return kAll; }

const RowSpec* FindRow(std::string_view name) {
  for (const RowSpec* spec : kAll) {
    if (spec->name == name) return spec;
  }
  return nullptr;
}

void RunRows(const RowOperation& op, const std::byte* input, const std::byte* upstream,
             std::byte* output, size_t rows, size_t length) {
  const size_t value_length = op.spec->halves ? length / 2 : length;
  const size_t out_length = op.quantity == Quantity::kValue ? value_length : length;
  for (size_t r = 0; r < rows; ++r) {
    std::vector<double> x(length), g(upstream != nullptr ? value_length : 0), out(out_length);
    for (size_t i = 0; i < length; ++i) x[i] = LoadOne(op.input_type, input, r * length + i);
    for (size_t i = 0; i < g.size(); ++i)
      g[i] = LoadOne(op.input_type, upstream, r * value_length + i);
    RunRow(op, x, g, out);
    for (size_t i = 0; i < out_length; ++i)
      StoreOne(op.output_type, out[i], output, r * out_length + i);
  }
}

}  // namespace activation::engine
