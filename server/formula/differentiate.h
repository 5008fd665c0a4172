// From the tree of a formula to the graph of its value or of its derivative.
#ifndef ACTIVATION_SERVER_FORMULA_DIFFERENTIATE_H_
#define ACTIVATION_SERVER_FORMULA_DIFFERENTIATE_H_

#include <span>

#include "server/engine/operation.h"
#include "server/formula/graph.h"
#include "server/formula/parse.h"

namespace activation::formula {

// f(x), or f'(x) by dual numbers, with parameters[i] for the i-th parameter. Each rule of
// differentiation is written with the operations of the arithmetic:
//   (u +- v)' = u' +- v'        (u * v)' = u' * v + u * v'       (u / v)' = (u' - (u / v) * v') / v
//   (u^n)' = (n * u^(n-1)) * u' where n > 0; u^-n is 1 / u^n
//   exp(u)' = exp(u) * u'       tanh(u)' = (1 - tanh(u)^2) * u'  erf(u)' = (c * exp(-(u * u))) * u'
// and so on, c being 2/sqrt(pi). Terms with the derivative of something that doesn't depend on x
// are left out, and so are factors of 1. Where max or min has equal arguments, the derivative is
// that of the second one, as if max(u, v) were u > v ? u : v; that of abs at 0 is 0.
Id AddFormula(const Tree& tree, std::span<const double> parameters, engine::Quantity quantity,
              Graph& graph);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_DIFFERENTIATE_H_
