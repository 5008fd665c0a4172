#include "server/compare/approximation.h"

#include <absl/strings/str_cat.h>

#include <memory>
#include <string>
#include <utility>

#include "proto/element_type.h"
#include "server/compare/errors.h"
#include "server/compare/make_domain.h"
#include "server/compare/presets.h"
#include "server/compare/table.h"
#include "server/evaluate/errors.h"
#include "server/formula/kernel.h"
#include "server/wire/limits.h"
#include "server/wire/messages.h"

namespace activation::server {
namespace {

absl::StatusOr<Candidate> FromOutputs(absl::string_view field, absl::string_view type_field,
                                      const v1::Tensor& outputs, const Subject& subject) {
  auto elements = MakeElements(field, ToRaw(outputs));
  if (!elements.ok()) return elements.status();
  if (elements->type != subject.domain.type) {
    return errors::TypeMismatch(field, elements->type, type_field, subject.domain.type);
  }
  if (elements->count != subject.domain.count) {
    return errors::WrongOutputCount(field, elements->count, subject.domain.count);
  }
  const auto shared = std::make_shared<const Elements>(*std::move(elements));
  return Candidate{.label = "outputs",
                   .run =
                       [shared](int64_t first, const std::byte*, std::byte* output, size_t count) {
                         ElementReader(*shared).Copy(static_cast<size_t>(first), count, output);
                       },
                   .is_timed = false};
}

absl::StatusOr<Candidate> FromFormula(absl::string_view field, const v1::Formula& message,
                                      const Subject& subject) {
  const auto arithmetic =
      MakeDataType(absl::StrCat(field, ".arithmetic"), message.arithmetic(), subject.domain.type);
  if (!arithmetic.ok()) return arithmetic.status();
  formula::FormulaSpec spec = {.expression = message.expression(),
                               .arithmetic = *arithmetic,
                               .is_fused = message.fused_multiply_add()};
  // No more than are looked at.
  for (const auto& [name, value] : message.parameters()) {
    if (spec.parameters.size() > kMaxRequestParameters) break;
    spec.parameters.emplace(name.substr(0, kMaxNameBytes + 1), value);
  }
  if (spec.parameters.size() > kMaxRequestParameters) {
    return errors::TooManyParameters(absl::StrCat(field, ".parameters"));
  }
  auto kernel = formula::FormulaKernel::Make(spec, subject.quantity);
  if (!kernel.ok()) {
    return errors::BadFormula(field, kernel.status().message());
  }
  const auto shared = std::make_shared<const formula::FormulaKernel>(*std::move(kernel));
  const DataType type = subject.domain.type;
  return Candidate{
      .label = message.expression().substr(0, kMaxNameBytes),
      .run = [shared, type](int64_t, const std::byte* input, std::byte* output, size_t count) {
        shared->Run(type, input, output, count);
      }};
}

absl::StatusOr<Candidate> FromTable(absl::string_view field, const v1::Table& message,
                                    const Subject& subject) {
  auto kernel = MakeTable(field, message, subject.quantity);
  if (!kernel.ok()) return kernel.status();
  const auto shared = std::make_shared<const TableKernel>(*std::move(kernel));
  const DataType type = subject.domain.type;
  return Candidate{
      .label = "table",
      .run = [shared, type](int64_t, const std::byte* input, std::byte* output, size_t count) {
        shared->Run(type, input, output, count);
      }};
}

absl::StatusOr<Candidate> FromPreset(absl::string_view field, const v1::Preset& preset,
                                     const Subject& subject) {
  const auto expanded = ExpandPreset(field, preset, subject.reference);
  if (!expanded.ok()) return expanded.status();
  auto candidate = expanded->has_table() ? FromTable(field, expanded->table(), subject)
                                         : FromFormula(field, expanded->formula(), subject);
  if (candidate.ok()) candidate->label = expanded->label();
  return candidate;
}

}  // namespace

absl::StatusOr<Candidate> MakeApproximation(absl::string_view field, absl::string_view type_field,
                                            const v1::Approximation& message,
                                            const Subject& subject) {
  const auto path = [&](absl::string_view name) { return absl::StrCat(field, ".", name); };
  if (message.label().size() > kMaxNameBytes) return errors::LabelTooLong(path("label"));
  absl::StatusOr<Candidate> candidate = errors::MissingForm(path("form"));
  switch (message.form_case()) {
    case v1::Approximation::kOutputs:
      candidate = FromOutputs(path("outputs"), type_field, message.outputs(), subject);
      break;
    case v1::Approximation::kFormula:
      candidate = FromFormula(path("formula"), message.formula(), subject);
      break;
    case v1::Approximation::kTable:
      candidate = FromTable(path("table"), message.table(), subject);
      break;
    case v1::Approximation::kPreset:
      candidate = FromPreset(path("preset"), message.preset(), subject);
      break;
    case v1::Approximation::FORM_NOT_SET:
      break;
  }
  if (candidate.ok() && !message.label().empty()) candidate->label = message.label();
  return candidate;
}

}  // namespace activation::server
