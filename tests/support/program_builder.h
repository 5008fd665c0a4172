// Makes a program instruction by instruction.
#ifndef ACTIVATION_TESTS_SUPPORT_PROGRAM_BUILDER_H_
#define ACTIVATION_TESTS_SUPPORT_PROGRAM_BUILDER_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "tests/support/program.h"

namespace activation::oracle {

// Places are those of the instructions in the program.
class ProgramBuilder {
 public:
  // Equal instructions share a place.
  int Push(Instruction instruction);

  int Constant(const Rational& value);
  int Constant(int value);
  int Apply(Code code, int a) { return Push({.code = code, .a = a}); }
  int Power(int a, int n);

  const Instruction& operator[](int place) const { return program_[static_cast<size_t>(place)]; }
  bool IsOne(int place) const;
  // The argument, if the instruction is this function.
  std::optional<int> ArgumentOf(Code code, int place) const;

  // The program up to its root. What rewriting left unused stays before the root; what comes after
  // it is not needed.
  Program Finish(int root);

 private:
  using Key = std::tuple<Code, int, int, int, int, std::string>;

  Program program_;
  std::map<Key, int> places_;
};

}  // namespace activation::oracle

#endif  // ACTIVATION_TESTS_SUPPORT_PROGRAM_BUILDER_H_
