// Values that come next to 0 as e^exponent does: where the exponents of two terms are the same,
// their sum keeps its digits only if the factor e^exponent is taken out.
#ifndef ACTIVATION_TESTS_SUPPORT_TAILS_H_
#define ACTIVATION_TESTS_SUPPORT_TAILS_H_

#include <optional>

#include "tests/support/monomial.h"
#include "tests/support/program_builder.h"

namespace activation::oracle {

// A product with a factor that may be next to 0: e^exponent times rest.
struct Tail {
  Monomial exponent;
  int argument = -1;  // whose e^argument is the factor; -1: it comes from erfc
  int rest = -1;
  int condition = -1;  // where this holds; -1: everywhere
};

// The value at this place as a tail, if it is one; adds the instructions that it needs.
std::optional<Tail> TailOf(ProgramBuilder& program, int place);

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_TAILS_H_
