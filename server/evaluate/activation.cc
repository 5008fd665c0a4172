#include "server/evaluate/activation.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "proto/element_type.h"
#include "server/engine/packed.h"
#include "server/evaluate/errors.h"
#include "server/evaluate/near_names.h"

namespace activation::server {
namespace {

bool IsAllowed(const engine::Parameter& parameter, double value) {
  return value >= parameter.minimum && value <= parameter.maximum && std::isfinite(value) &&
         !(parameter.nonzero && value == 0);
}

// The place of a parameter.
absl::StatusOr<int> FindParameter(absl::string_view path, absl::string_view name,
                                  absl::string_view activation,
                                  std::span<const engine::Parameter> known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].name == name) return static_cast<int>(i);
  }
  return errors::UnknownParameter(path, activation, known);
}

absl::Status SetNumbers(absl::string_view field, const RawActivation& raw,
                        std::span<const engine::Parameter> known, const char* activation,
                        engine::Function& function) {
  if (raw.parameters.size() > kMaxRequestParameters) {
    return errors::TooManyParameters(absl::StrCat(field, ".parameters"));
  }
  for (const auto& [name, value] : raw.parameters) {
    const std::string path = errors::ParameterPath(field, "parameters", name);
    const auto index = FindParameter(path, name, activation, known);
    if (!index.ok()) return index.status();
    const engine::Parameter& parameter = known[static_cast<size_t>(*index)];
    if (!IsAllowed(parameter, value)) return errors::ParameterOutOfRange(path, value, parameter);
    function.parameters[static_cast<size_t>(*index)] = value;
  }
  return absl::OkStatus();
}

// As float64, which is exact.
std::vector<double> ToDoubles(const Elements& elements) {
  const size_t count = static_cast<size_t>(elements.count);
  std::vector<std::byte> packed(count * SizeOf(elements.type));
  ElementReader(elements).Copy(0, count, packed.data());
  std::vector<double> values(count);
  Decode(elements.type, packed.data(), count, values.data());
  return values;
}

absl::StatusOr<ParameterTensor> MakeTensor(absl::string_view path, RawAxisTensor raw, int index,
                                           const engine::Parameter& parameter) {
  ParameterTensor tensor = {.parameter = index, .axis = raw.axis};
  auto elements = MakeAxisValues(path, std::move(raw));
  if (!elements.ok()) return elements.status();
  tensor.values = ToDoubles(*elements);
  const auto wrong =
      std::ranges::find_if_not(tensor.values, [&](double v) { return IsAllowed(parameter, v); });
  if (wrong != tensor.values.end()) {
    return errors::ParameterOutOfRange(
        absl::StrCat(path, ".values[", wrong - tensor.values.begin(), "]"), *wrong, parameter);
  }
  tensor.shape = std::move(elements->shape);
  tensor.encoding = elements->encoding;
  return tensor;
}

absl::Status AddTensors(absl::string_view field, RawActivation& raw, Activation& activation) {
  if (raw.parameter_tensors.size() > kMaxRequestParameters) {
    return errors::TooManyParameters(absl::StrCat(field, ".parameter_tensors"));
  }
  const engine::Spec& spec = *activation.function.spec;
  for (auto& [name, tensor] : raw.parameter_tensors) {
    const std::string path = errors::ParameterPath(field, "parameter_tensors", name);
    const auto index = FindParameter(path, name, spec.name, spec.parameters);
    if (!index.ok()) return index.status();
    const auto is_same = [&given = name](const auto& number) { return number.first == given; };
    if (std::ranges::any_of(raw.parameters, is_same)) return errors::ParameterGivenTwice(path);
    auto made =
        MakeTensor(path, std::move(tensor), *index, spec.parameters[static_cast<size_t>(*index)]);
    if (!made.ok()) return made.status();
    activation.tensors.push_back(*std::move(made));
  }
  // Whatever order they were sent in.
  std::ranges::sort(activation.tensors, {}, &ParameterTensor::parameter);
  return absl::OkStatus();
}

absl::StatusOr<Activation> MakeRowFunction(absl::string_view field, const RawActivation& raw,
                                           const engine::RowSpec& row) {
  // Row functions have no parameters; each that is given is an error.
  engine::Function none;
  const absl::Status numbers = SetNumbers(field, raw, {}, row.name, none);
  if (!numbers.ok()) return numbers;
  for (const auto& [name, tensor] : raw.parameter_tensors) {
    return errors::UnknownParameter(errors::ParameterPath(field, "parameter_tensors", name),
                                    row.name, {});
  }
  return Activation{.row = &row, .axis = raw.axis};
}

// Checks parameters that bound each other. A tensor bounds by its least and its greatest value.
absl::Status CheckBounds(absl::string_view field, const Activation& activation) {
  const engine::Spec& spec = *activation.function.spec;
  engine::Function extreme = activation.function;
  std::vector<bool> is_bounded(spec.parameters.size());
  for (const engine::Parameter& parameter : spec.parameters) {
    if (parameter.at_most != nullptr) is_bounded[engine::PlaceOf(spec, parameter.name)] = true;
  }
  for (const ParameterTensor& tensor : activation.tensors) {
    const size_t place = static_cast<size_t>(tensor.parameter);
    if (tensor.values.empty()) continue;
    const auto [least, greatest] = std::ranges::minmax(tensor.values);
    extreme.parameters[place] = is_bounded[place] ? greatest : least;
  }
  const auto above = engine::FindExcess(extreme);
  if (!above) return absl::OkStatus();
  const engine::Parameter& parameter = spec.parameters[*above];
  const bool is_tensor = std::ranges::any_of(activation.tensors, [&](const auto& tensor) {
    return static_cast<size_t>(tensor.parameter) == *above;
  });
  const std::string path =
      errors::ParameterPath(field, is_tensor ? "parameter_tensors" : "parameters", parameter.name);
  return errors::ParameterAboveAnother(
      path, extreme.parameters[*above], parameter.at_most,
      extreme.parameters[engine::PlaceOf(spec, parameter.at_most)]);
}

absl::StatusOr<Activation> MakeElementwise(absl::string_view field, RawActivation& raw,
                                           const engine::Function& function) {
  const engine::Spec& spec = *function.spec;
  if (raw.axis) return errors::AxisOfElementwise(absl::StrCat(field, ".axis"), spec.name);
  Activation activation = {.function = function};
  const absl::Status numbers =
      SetNumbers(field, raw, spec.parameters, spec.name, activation.function);
  if (!numbers.ok()) return numbers;
  const absl::Status tensors = AddTensors(field, raw, activation);
  if (!tensors.ok()) return tensors;
  const absl::Status bounds = CheckBounds(field, activation);
  if (!bounds.ok()) return bounds;
  return activation;
}

}  // namespace

bool IsSame(const Activation& a, const Activation& b) {
  return a.row == b.row && a.axis == b.axis && a.function.spec == b.function.spec &&
         a.function.parameters == b.function.parameters && a.tensors == b.tensors &&
         a.formula == b.formula;
}

absl::StatusOr<Activation> MakeActivation(absl::string_view field, RawActivation raw) {
  if (!raw.formula.empty()) {
    auto formula = MakeOwnFormula(field, raw);
    if (!formula.ok()) return formula.status();
    return Activation{.formula = std::make_shared<const OwnFormula>(*std::move(formula))};
  }
  if (raw.name.empty()) return errors::MissingField(absl::StrCat(field, ".name"));
  if (const auto function = engine::FindFunction(raw.name)) {
    return MakeElementwise(field, raw, *function);
  }
  if (const engine::RowSpec* const row = engine::FindRow(raw.name)) {
    return MakeRowFunction(field, raw, *row);
  }
  return errors::UnknownActivation(absl::StrCat(field, ".name"), raw.name, FindNearNames(raw.name));
}

absl::StatusOr<Elements> MakeAxisValues(absl::string_view field, RawAxisTensor raw) {
  const std::string path = absl::StrCat(field, ".values");
  if (!raw.values) return errors::MissingField(path);
  if (raw.values->rank > 1) return errors::NotAVector(path, raw.values->rank);
  return MakeElements(path, *std::move(raw.values));
}

}  // namespace activation::server
