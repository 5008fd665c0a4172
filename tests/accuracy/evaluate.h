// One activation at one number: for tests of known figures.
#ifndef ACTIVATION_TESTS_ACCURACY_EVALUATE_H_
#define ACTIVATION_TESTS_ACCURACY_EVALUATE_H_

#include "proto/element_type.h"
#include "server/engine/engine.h"

namespace activation::accuracy {

// T is float or double; `name` is in the catalogue, and the parameters are the defaults under it.
template <typename T>
T Evaluate(const char* name, T x, engine::Quantity quantity = engine::Quantity::kValue) {
  constexpr auto kType = sizeof(T) == 8 ? DataType::kFloat64 : DataType::kFloat32;
  T y = 0;
  engine::Run(
      {*engine::FindFunction(name), quantity, kType, kType},
      {.input = reinterpret_cast<const std::byte*>(&x), .output = reinterpret_cast<std::byte*>(&y)},
      1);
  return y;
}

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EVALUATE_H_
