#include "proto/element_type.h"
#include "tests/bench/cases.h"
#include "tests/bench/race.h"
#include "tests/bench/slow_path.h"
#include "tests/bench/tensors.h"

namespace activation::bench {
namespace {

using engine::Quantity;

void RunEngineCase(benchmark::State& state, const engine::Operation& operation, const Size& size) {
  const size_t count = size.elements;
  Tensor input = MakeInput(operation.input_type, count);
  Tensor output(operation.output_type, count);
  if (operation.input_type == DataType::kFloat32) {
    state.counters[kSlowPath] = SlowPathShare(operation.function, operation.quantity);
  }
  Race(state, size, kCpuClock,
       {{kOurs, [&] {
           engine::Run(operation, {.input = input.bytes(), .output = output.bytes()}, count);
         }}});
}

void Register(const std::string& group, const engine::Spec& spec, Quantity quantity, DataType type,
              const Size& size) {
  const engine::Operation operation = {.function = engine::WithDefaults(spec),
                                       .quantity = quantity,
                                       .input_type = type,
                                       .output_type = type};
  RegisterRace(
      group + "/" + NameOf(quantity) + "/" + std::to_string(size.elements) + "/" + spec.name, size,
      [operation, &size](benchmark::State& state) { RunEngineCase(state, operation, size); });
}

}  // namespace

void RegisterTypeCases() {
  for (const DataType type : kDataTypes) {
    for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
      for (const engine::Spec* spec : engine::Catalogue()) {
        Register(NameOf(type), *spec, quantity, type, kUsualSize);
      }
    }
  }
}

void RegisterOwnCases() {
  for (const DataType type : {DataType::kFloat32, DataType::kFloat64}) {
    for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
      for (const Size& size : kSizes) {
        for (const engine::Spec* spec : engine::Catalogue()) {
          Register(std::string(kOurs) + "/" + NameOf(type), *spec, quantity, type, size);
        }
      }
    }
  }
}

}  // namespace activation::bench
