#include "server/evaluate/own_formula.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/packed.h"
#include "server/evaluate/errors.h"

namespace activation::server {
namespace {

// Elements that are float64 at a time.
constexpr size_t kChunk = 4'096;

// What only functions of the catalogue have, or a formula has already.
absl::Status CheckFields(absl::string_view field, const RawActivation& raw) {
  if (!raw.name.empty()) return errors::NameAndFormula(field);
  if (raw.axis) return errors::AxisOfElementwise(absl::StrCat(field, ".axis"), "a formula");
  for (const auto& [name, tensor] : raw.parameter_tensors) {
    return errors::TensorOfFormula(errors::ParameterPath(field, "parameter_tensors", name));
  }
  if (raw.parameters.size() > kMaxRequestParameters) {
    return errors::TooManyParameters(absl::StrCat(field, ".parameters"));
  }
  return absl::OkStatus();
}

}  // namespace

void OwnFormula::Run(const engine::Operation& operation, const engine::Operands& operands,
                     size_t count) const {
  const auto& kernel = operation.quantity == engine::Quantity::kValue ? value : derivative;
  const size_t size = SizeOf(operation.input_type);
  std::vector<double> x(std::min(count, kChunk));
  std::vector<double> y(x.size());
  for (size_t begin = 0; begin < count; begin += kChunk) {
    const size_t some = std::min(count - begin, kChunk);
    Decode(operation.input_type, operands.input + begin * size, some, x.data());
    kernel.RunDoubles(x.data(), y.data(), some);
    if (operands.upstream != nullptr) {
      Decode(operation.input_type, operands.upstream + begin * size, some, x.data());
      for (size_t i = 0; i < some; ++i) y[i] *= x[i];
    }
    Encode(operation.output_type, y.data(), some,
           operands.output + begin * SizeOf(operation.output_type));
  }
}

size_t OwnFormula::SizeInBytes() const {
  return spec.expression.size() + value.SizeInBytes() + derivative.SizeInBytes();
}

absl::StatusOr<OwnFormula> MakeOwnFormula(absl::string_view field, const RawActivation& raw) {
  if (absl::Status status = CheckFields(field, raw); !status.ok()) return status;
  formula::FormulaSpec spec = {.expression = raw.formula,
                               .parameters = {raw.parameters.begin(), raw.parameters.end()}};
  auto value = formula::FormulaKernel::Make(spec, engine::Quantity::kValue, "formula");
  if (!value.ok()) return errors::BadFormula(field, value.status().message());
  auto derivative = formula::FormulaKernel::Make(spec, engine::Quantity::kDerivative, "formula");
  if (!derivative.ok()) return errors::BadFormula(field, derivative.status().message());
  return OwnFormula{
      .spec = std::move(spec), .value = *std::move(value), .derivative = *std::move(derivative)};
}

}  // namespace activation::server
