// A formula as a straight line of steps over registers, each of which holds a block of values.
#ifndef ACTIVATION_SERVER_FORMULA_PROGRAM_H_
#define ACTIVATION_SERVER_FORMULA_PROGRAM_H_

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "server/engine/operation.h"
#include "server/formula/parse.h"

namespace activation::formula {

struct Step {
  Op op = Op::kX;
  // Registers. `out` is none of the arguments; arguments that an operation lacks are 0.
  uint32_t out = 0;
  std::array<uint32_t, 3> arguments = {};
};

// Register 0 is x; 1 to uniform_registers are the same for every x; the others change with it.
struct Program {
  DataType arithmetic = DataType::kFloat64;
  // Registers of the constants, and the constants, numbers of the arithmetic.
  std::vector<std::pair<uint32_t, double>> constants = {};
  // In order: first those that don't depend on x, each in a register of its own.
  std::vector<Step> uniform_steps = {};
  std::vector<Step> steps = {};
  uint32_t result = 0;
  uint32_t uniform_registers = 0;
  uint32_t registers = 1;
};

// The steps of f(x), or of f'(x) by dual numbers: see differentiate.h. Operations of the same
// arguments are one step. With `is_fused`, products that are added or subtracted are not rounded
// before.
Program MakeProgram(const Tree& tree, std::span<const double> parameters, DataType arithmetic,
                    bool is_fused, engine::Quantity quantity);

}  // namespace activation::formula

#endif  // ACTIVATION_SERVER_FORMULA_PROGRAM_H_
