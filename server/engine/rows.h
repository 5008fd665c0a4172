// Row functions: each output depends on a whole row, or on a pair of elements, of the input.
// softmax and log_softmax, and the gated units, whose input row is two halves a and b and whose
// output is a f(b).
//
// Guarantees, on every SIMD target, whatever the number of rows in a call:
//   - FLOAT32, FLOAT16 and BFLOAT16 outputs are correctly rounded: the exact real result for the
//     given row (and upstream) rounded once, to nearest, ties to even, subnormals kept. FLOAT64
//     outputs are within 1 ULP; except geglu's derivative for b < -60, which is still not 0 where
//     |upstream * a| > 2^1500, and then wrong.
//   - A result that underflows is a zero of its sign; one that is exactly 0 is +0.
//   - NaN results are the quiet NaN with sign bit and payload clear.
//
// softmax and log_softmax:
//   - NaN or +infinity anywhere in a row, or nothing but -infinity, makes the whole row NaN: there
//     is no limit.
//   - -infinity otherwise counts as nothing: softmax is +0 there, log_softmax -infinity. There
//     softmax's derivative is +0, log_softmax's the upstream itself.
//   - The derivative is the sum over j of upstream[j] J[j][i]. NaN in upstream makes the row NaN.
//     An infinite upstream[j] follows IEEE 754 in that sum, J taken exactly: infinity * 0 is NaN
//     only where J is 0, not where it underflows.
//
// Gated units: products by IEEE 754 of f's values and limits (infinity * 0 is NaN, and gives its
// zeros their signs). NaN stays with its element: where a is NaN, a's derivative is not.
#ifndef ACTIVATION_SERVER_ENGINE_ROWS_H_
#define ACTIVATION_SERVER_ENGINE_ROWS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "server/engine/operation.h"

namespace activation::engine {

// The formulas are for people: i, j count the row's elements, g is upstream, y the value.
struct RowSpec {
  const char* name;
  const char* description;
  const char* formula;
  const char* derivative;
  std::span<const char* const> aliases;
  // Gated: the row's first half a times f(second half b). The output row is half as long.
  bool halves;
};

// All row functions, in the catalogue's order. The pointers are valid forever.
std::span<const RowSpec* const> RowCatalogue();

// By canonical name or alias; null if there is none.
const RowSpec* FindRow(std::string_view name);

struct RowOperation {
  const RowSpec* spec;
  Quantity quantity;
  DataType input_type, output_type;
};

// rows x length packed elements of input_type to rows x (halves ? length / 2 : length) of
// output_type, at any alignment; output must not overlap the inputs. For kDerivative, upstream (of
// input_type, as many as the value has elements) must be given and the output has the input's
// shape. length > 0, and even where `halves`. Thread-safe; runs on the calling thread.
//
// Memory: blocks on the stack, but for a row with a result that twice float64's precision does not
// decide: then 16 bytes per element of that row, and std::bad_alloc may be thrown.
void RunRows(const RowOperation& operation, const std::byte* input, const std::byte* upstream,
             std::byte* output, size_t rows, size_t length);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_ROWS_H_
