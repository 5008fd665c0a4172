#include "server/rpc/describe.h"

#include <array>
#include <limits>
#include <span>

#include "proto/element_type.h"
#include "server/compare/presets.h"
#include "server/engine/engine.h"
#include "server/engine/rows.h"
#include "server/wire/messages.h"
#include "server/wire/tensor.h"

namespace activation::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<double, 4> kSpecialPoints = {-kInfinity, -0.0, 0.0, kInfinity};

std::array<double, 4> AtSpecialPoints(const engine::Spec& spec, engine::Quantity quantity) {
  std::array<double, 4> results;
  engine::Run({.function = engine::WithDefaults(spec),
               .quantity = quantity,
               .input_type = DataType::kFloat64,
               .output_type = DataType::kFloat64},
              {.input = std::as_bytes(std::span(kSpecialPoints)).data(),
               .output = std::as_writable_bytes(std::span(results)).data()},
              results.size());
  return results;
}

void AddSpecialValues(const engine::Spec& spec, v1::ActivationInfo& info) {
  const auto values = AtSpecialPoints(spec, engine::Quantity::kValue);
  const auto derivatives = AtSpecialPoints(spec, engine::Quantity::kDerivative);
  for (size_t i = 0; i < kSpecialPoints.size(); ++i) {
    v1::SpecialValue& special = *info.add_special_values();
    special.set_x(kSpecialPoints[i]);
    special.set_value(values[i]);
    special.set_derivative(derivatives[i]);
  }
}

void AddAliases(const engine::Spec& spec, v1::ActivationInfo& info) {
  for (const engine::Alias& alias : spec.aliases) {
    info.add_aliases(alias.name);
    if (alias.parameters.empty()) continue;
    v1::AliasDefaults& out = *info.add_alias_defaults();
    out.set_alias(alias.name);
    for (size_t i = 0; i < alias.parameters.size(); ++i) {
      (*out.mutable_parameters())[spec.parameters[i].name] = alias.parameters[i];
    }
  }
}

v1::ActivationInfo Describe(const engine::RowSpec& row) {
  v1::ActivationInfo info;
  info.set_kind(row.halves ? v1::ACTIVATION_KIND_GATED_ROW : v1::ACTIVATION_KIND_ROW);
  info.set_name(row.name);
  info.set_description(row.description);
  info.set_formula(row.formula);
  info.set_derivative(row.derivative);
  for (const char* alias : row.aliases) info.add_aliases(alias);
  return info;
}

v1::ActivationInfo Describe(const engine::Spec& spec) {
  v1::ActivationInfo info;
  info.set_kind(v1::ACTIVATION_KIND_ELEMENTWISE);
  info.set_name(spec.name);
  info.set_description(spec.description);
  info.set_formula(spec.formula);
  info.set_derivative(spec.derivative);
  AddAliases(spec, info);
  for (const engine::Parameter& parameter : spec.parameters) {
    *info.add_parameters() = ToProto(parameter);
  }
  for (const char* approximation : spec.approximations) info.add_approximations(approximation);
  AddSpecialValues(spec, info);
  for (const engine::Kink& kink : spec.kinks) {
    v1::Kink& out = *info.add_kinks();
    out.set_at(kink.at);
    out.set_derivative(kink.derivative);
  }
  return info;
}

}  // namespace

v1::ListActivationsResponse ListActivations() {
  v1::ListActivationsResponse response;
  for (const engine::Spec* spec : engine::Catalogue()) {
    *response.add_activations() = Describe(*spec);
  }
  for (const engine::RowSpec* row : engine::RowCatalogue()) {
    *response.add_activations() = Describe(*row);
  }
  ListPresets(response);
  return response;
}

v1::GetServerInfoResponse GetServerInfo(const Limits& limits, int threads) {
  v1::GetServerInfoResponse response;
  response.set_version(ACTIVATION_VERSION);
  response.set_simd_target(engine::SimdTarget());
  response.set_threads(threads);
  v1::Limits& out = *response.mutable_limits();
  out.set_max_message_bytes(limits.max_message_bytes);
  out.set_max_batch_items(limits.max_batch_items);
  out.set_max_rank(kMaxRank);
  out.set_max_compare_points(limits.max_compare_points);
  out.set_max_compare_candidates(limits.max_compare_candidates);
  out.set_max_pending_bytes(limits.max_pending_bytes);
  for (const ElementType& type : kElementTypes) {
    response.add_data_types(static_cast<v1::DataType>(type.number));
  }
  return response;
}

}  // namespace activation::server
