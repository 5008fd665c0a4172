// The functions and operations that kernels are made of, each by itself, with the errors that their
// comments claim.
#ifndef ACTIVATION_TESTS_ACCURACY_FUNCTIONS_H_
#define ACTIVATION_TESTS_ACCURACY_FUNCTIONS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "server/engine/coefficients.h"
#include "tests/accuracy/unrounded.h"

namespace activation::accuracy {

struct Function {
  const char* name;
  // In the notation of server/engine/spec.h, of x, y and z.
  const char* formula;
  // The range of x.
  double low, high;
  // By NumberType: log2 of what the error may be relative to the magnitude; 0 where there is no
  // such function.
  double error_bits[3];
};

// The functions of elementary-inl.h, math-inl.h and quick_math-inl.h, and the operations of
// quick_pairs-inl.h and double_double-inl.h.
std::span<const Function> Functions();

// The function at this place, on the instruction set in use, with a second operand: y and z.
std::vector<Unrounded> Compute(NumberType type, size_t function, const engine::Pair& second,
                               const Arguments& arguments);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_FUNCTIONS_H_
