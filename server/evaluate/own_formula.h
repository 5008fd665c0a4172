// A function of the caller's own: a formula that stands in a request in place of a name.
#ifndef ACTIVATION_SERVER_EVALUATE_OWN_FORMULA_H_
#define ACTIVATION_SERVER_EVALUATE_OWN_FORMULA_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <cstddef>

#include "server/engine/engine.h"
#include "server/formula/kernel.h"
#include "server/wire/request.h"

namespace activation::server {

struct OwnFormula {
  // As they were given.
  formula::FormulaSpec spec;
  formula::FormulaKernel value;
  formula::FormulaKernel derivative;

  // As engine::Run; operation.function and operands.bias are not looked at. In FLOAT64, also the
  // product with the upstream gradient, until the result is rounded to operation.output_type.
  void Run(const engine::Operation& operation, const engine::Operands& operands,
           size_t count) const;

  size_t SizeInBytes() const;
};

// `raw` has a formula. Errors name fields below `field`.
absl::StatusOr<OwnFormula> MakeOwnFormula(absl::string_view field, const RawActivation& raw);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_OWN_FORMULA_H_
