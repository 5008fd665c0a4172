// Formulas that come as text, computed as a program would: one operation after another, each
// rounded.
//
// Every constant (from its decimal digits), parameter, x and result of an operation is rounded to
// one arithmetic, to nearest, ties to even; subnormals are kept, overflow is infinite. x^n is
// (x*x)*x and so on, 1/x^|n| for negative n, 1 for n = 0. Negation, abs, max, min, comparison and
// choice are exact. max and min are NaN where either argument is, and the second argument where
// both are equal; a comparison with NaN is false. c ? a : b computes both and takes one, so that a
// NaN on the other side stays there. The derivative is computed from the same formula, in the same
// arithmetic: see differentiate.h. How functions are computed stands in run.h.
#ifndef ACTIVATION_SERVER_FORMULA_KERNEL_H_
#define ACTIVATION_SERVER_FORMULA_KERNEL_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "server/engine/operation.h"
#include "server/formula/program.h"

namespace activation::formula {

inline constexpr size_t kMaxParameterNameBytes = 64;

struct FormulaSpec {
  // See parse.h.
  std::string expression;
  // The values of all other names in the expression, and of no more.
  std::map<std::string, double> parameters = {};
  DataType arithmetic = DataType::kFloat64;
  // Whether a product (written with *) that is added to something or subtracted is not rounded
  // first; of two products the right one. A power is not fused.
  bool is_fused = false;
};

// Thread-safe.
class FormulaKernel {
 public:
  // Errors are INVALID_ARGUMENT. They begin with `name`, what the expression is called, as in
  // "expression: column 7: 'foo' is neither ..." or "expression is empty; ...", or with
  // `parameters["foo"]`, and say what would be right.
  static absl::StatusOr<FormulaKernel> Make(const FormulaSpec& spec, engine::Quantity quantity,
                                            absl::string_view name = "expression");

  // y[i] = f(x[i]) or f'(x[i]), i < count: x rounded to the arithmetic, the result to `type`.
  // Packed arrays of `type` at any alignment, which don't overlap. Runs on the calling thread, and
  // takes a few MiB at most.
  void Run(DataType type, const std::byte* x, std::byte* y, size_t count) const;
  // The same for FLOAT64.
  void RunDoubles(const double* x, double* y, size_t count) const;

  // What the kernel itself takes of memory, nearly.
  size_t SizeInBytes() const;

 private:
  explicit FormulaKernel(Program program) : program_(std::move(program)) {}

  Program program_;
};

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_KERNEL_H_
