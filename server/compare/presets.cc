#include "server/compare/presets.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/compare/errors.h"
#include "server/compare/preset_list.h"
#include "server/evaluate/errors.h"
#include "server/evaluate/near_names.h"
#include "server/wire/messages.h"

namespace activation::server {
namespace {

absl::StatusOr<const PresetSpec*> Find(absl::string_view path, absl::string_view name) {
  if (name.empty()) return errors::MissingField(path);
  std::vector<absl::string_view> names;
  for (const PresetSpec& spec : Presets()) {
    if (spec.name == name) return &spec;
    names.emplace_back(spec.name);
  }
  return errors::UnknownPreset(path, name, FindNearNames(name, names));
}

// One for each parameter, in order.
absl::StatusOr<std::vector<double>> ParametersOf(absl::string_view field, const v1::Preset& preset,
                                                 const PresetSpec& spec) {
  for (const auto& [name, value] : preset.parameters()) {
    if (std::ranges::find(spec.parameters, name, &engine::Parameter::name) !=
        spec.parameters.end()) {
      continue;
    }
    return errors::UnknownParameter(errors::ParameterPath(field, "parameters", name), spec.name,
                                    spec.parameters);
  }
  std::vector<double> values;
  for (const engine::Parameter& parameter : spec.parameters) {
    const auto given = preset.parameters().find(parameter.name);
    const double value =
        given == preset.parameters().end() ? parameter.default_value : given->second;
    // Not a number is not between them either.
    if (!(value >= parameter.minimum && value <= parameter.maximum)) {
      return errors::ParameterOutOfRange(errors::ParameterPath(field, "parameters", parameter.name),
                                         value, parameter);
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

absl::StatusOr<v1::Approximation> ExpandPreset(absl::string_view field, const v1::Preset& preset,
                                               const engine::Function& reference) {
  const auto spec = Find(absl::StrCat(field, ".name"), preset.name());
  if (!spec.ok()) return spec.status();
  const auto parameters = ParametersOf(field, preset, **spec);
  if (!parameters.ok()) return parameters.status();
  v1::Approximation approximation;
  approximation.set_label((*spec)->name);
  if ((*spec)->table != nullptr) {
    auto table = (*spec)->table(field, *parameters, reference);
    if (!table.ok()) return table.status();
    *approximation.mutable_table() = *std::move(table);
    return approximation;
  }
  v1::Formula& formula = *approximation.mutable_formula();
  formula.set_expression((*spec)->formula);
  for (size_t i = 0; i < parameters->size(); ++i) {
    (*formula.mutable_parameters())[(*spec)->parameters[i].name] = (*parameters)[i];
  }
  return approximation;
}

void ListPresets(v1::ListActivationsResponse& response) {
  for (const PresetSpec& spec : Presets()) {
    v1::PresetInfo& info = *response.add_presets();
    info.set_name(spec.name);
    info.set_reference(spec.reference);
    info.set_description(spec.description);
    info.set_source(spec.source);
    info.set_formula(spec.formula);
    for (const engine::Parameter& parameter : spec.parameters) {
      *info.add_parameters() = ToProto(parameter);
    }
  }
}

}  // namespace activation::server
