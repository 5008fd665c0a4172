#include "server/approximation.h"

#include <absl/strings/str_cat.h>

#include <memory>
#include <string>
#include <utility>

#include "server/errors.h"
#include "server/limits.h"
#include "server/make_domain.h"

namespace activation::server {
namespace {

absl::StatusOr<Candidate> FromOutputs(absl::string_view field, absl::string_view type_field,
                                      const v1::Tensor& outputs, const ComparePlan& plan) {
  auto elements = MakeElements(field, ToRaw(outputs));
  if (!elements.ok()) return elements.status();
  if (elements->type != plan.domain.type) {
    return errors::TypeMismatch(field, elements->type, type_field, plan.domain.type);
  }
  if (elements->count != plan.domain.count) {
    return errors::WrongOutputCount(field, elements->count, plan.domain.count);
  }
  const auto shared = std::make_shared<const Elements>(*std::move(elements));
  return Candidate{.label = "outputs",
                   .run =
                       [shared](int64_t first, const std::byte*, std::byte* output, size_t count) {
                         ElementReader(*shared).Copy(static_cast<size_t>(first), count, output);
                       },
                   .is_timed = false};
}

}  // namespace

absl::StatusOr<Candidate> MakeApproximation(absl::string_view field, absl::string_view type_field,
                                            const v1::Approximation& message,
                                            const ComparePlan& plan) {
  const auto path = [&](absl::string_view name) { return absl::StrCat(field, ".", name); };
  if (message.label().size() > kMaxNameBytes) return errors::LabelTooLong(path("label"));
  absl::StatusOr<Candidate> candidate = errors::MissingForm(path("form"));
  switch (message.form_case()) {
    case v1::Approximation::kOutputs:
      candidate = FromOutputs(path("outputs"), type_field, message.outputs(), plan);
      break;
    default:
      break;
  }
  if (candidate.ok() && !message.label().empty()) candidate->label = message.label();
  return candidate;
}

}  // namespace activation::server
