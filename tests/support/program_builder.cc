#include "tests/support/program_builder.h"

#include <utility>

#include "tests/support/monomial.h"

namespace activation::oracle {

int ProgramBuilder::Push(Instruction instruction) {
  std::string value;
  if (instruction.code == Code::kConstant) {
    char* text = fmpq_get_str(nullptr, 10, instruction.value.get());
    value = text;
    flint_free(text);
  }
  const Key key{instruction.code, instruction.a,     instruction.b,
                instruction.c,    instruction.index, std::move(value)};
  const auto [found, is_new] = places_.emplace(key, static_cast<int>(program_.size()));
  if (!is_new) return found->second;
  instruction.varies = instruction.code == Code::kVariable && instruction.index == 0;
  for (const int child : {instruction.a, instruction.b, instruction.c}) {
    if (child >= 0) instruction.varies |= program_[child].varies;
  }
  program_.push_back(std::move(instruction));
  return found->second;
}

int ProgramBuilder::Constant(const Rational& value) {
  Instruction instruction;
  instruction.value = value;
  return Push(std::move(instruction));
}

int ProgramBuilder::Constant(int value) { return Constant(Integer(value)); }

int ProgramBuilder::Power(int a, int n) {
  if (n == 0) return Constant(1);
  if (n > 0) return Push({.code = Code::kPower, .a = a, .index = n});
  return Push({.code = Code::kDivide, .a = Constant(1), .b = Power(a, -n)});
}

bool ProgramBuilder::IsOne(int place) const {
  const Instruction& instruction = (*this)[place];
  return instruction.code == Code::kConstant && fmpq_is_one(instruction.value.get());
}

std::optional<int> ProgramBuilder::ArgumentOf(Code code, int place) const {
  if ((*this)[place].code != code) return std::nullopt;
  return (*this)[place].a;
}

Program ProgramBuilder::Finish(int root) {
  program_.resize(static_cast<size_t>(root) + 1);
  return std::move(program_);
}

}  // namespace activation::oracle
