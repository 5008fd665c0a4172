// Row functions: activations that map whole rows, along one axis of a tensor.
#ifndef ACTIVATION_SERVER_ENGINE_ROWS_H_
#define ACTIVATION_SERVER_ENGINE_ROWS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "server/engine/engine.h"

namespace activation::engine {

struct RowSpec {
  const char* name;
  const char* description;
  const char* formula;
  const char* derivative;
  std::span<const char* const> aliases;
  // Whether a row's value is half as long as the row.
  bool halves;
};

std::span<const RowSpec* const> RowCatalogue();

// By canonical name or alias; null if there is none.
const RowSpec* FindRow(std::string_view name);

struct RowOperation {
  const RowSpec* spec;
  Quantity quantity;
  DataType input_type, output_type;
};

// rows x length packed input elements to rows x (halves ? length/2 : length) outputs for kValue.
// kDerivative: the vector-Jacobian product with upstream (of input_type, in the value's shape),
// rows x length.
void RunRows(const RowOperation& operation, const std::byte* input, const std::byte* upstream,
             std::byte* output, size_t rows, size_t length);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ROWS_H_
