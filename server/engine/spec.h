// What an activation is, apart from its kernels: names, formula, parameters, kinks.
//
// One Spec per activation stands in activations/ beside the kernel. Everything that lists or
// describes activations (ListActivations, the command line, proto/activations.md, the oracle tests)
// reads these. The strings `formula`, `derivative` and those of Kink share one notation, which the
// oracle parses:
//
//   expression := comparison [ "?" expression ":" expression ]
//   comparison := sum [ ("<" | "<=" | ">" | ">=" | "==") sum ]
//   sum        := product { ("+" | "-") product }
//   product    := unary { ("*" | "/") unary }
//   unary      := "-" unary | power
//   power      := atom [ "^" unary ]
//   atom       := decimal number | "x" | parameter | "pi" | "(" expression ")"
//               | function "(" expression ")"
//   function   := abs | cos | cosh | erf | erfc | exp | log | sin | sqrt | tanh
//
// A decimal number means exactly that rational number. The formula is the definition of the
// function on the reals; what happens at infinity and at -0 is in engine.h.
#ifndef ACTIVATION_SERVER_ENGINE_SPEC_H_
#define ACTIVATION_SERVER_ENGINE_SPEC_H_

#include <span>

namespace activation::engine {

struct Parameter {
  const char* name;
  const char* description;
  double default_value;
  // Inclusive bounds; every finite double between them is allowed, but for 0 where `nonzero`.
  double minimum;
  double maximum;
  bool nonzero = false;
  // The name of another parameter that this one may not exceed; null if there is none.
  const char* at_most = nullptr;
};

// Another name. One that means different things in different frameworks carries the framework, as
// "jax:gelu".
struct Alias {
  const char* name;
  // The defaults under this name, one for each of Spec::parameters; empty where they are the same.
  std::span<const double> parameters = {};
};

// A point where f or f' jumps, and the derivative that is returned there (PyTorch's choice).
struct Kink {
  const char* at;
  const char* derivative;
};

struct Spec {
  const char* name;
  const char* description;
  const char* formula;
  const char* derivative;
  std::span<const Alias> aliases = {};
  std::span<const Parameter> parameters = {};
  std::span<const Kink> kinks = {};
  // Canonical names of functions that are used in this one's place.
  std::span<const char* const> approximations = {};
  // Whether f(-0) is +0, as for functions that compare x with 0. Matters where f(0) = 0.
  bool positive_zero = false;
  // Whether the kernels' values and derivatives in float64 are exact where x and the upstream
  // gradient are float32, with the sign that a 0 should have: they are then rounded without a test.
  bool exact = false;
};

// The most parameters that an activation has.
inline constexpr int kMaxParameters = 4;

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_SPEC_H_
