#include "server/compare/plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "proto/element_type.h"
#include "server/compare/approximation.h"
#include "server/compare/errors.h"
#include "server/compare/make_domain.h"
#include "server/engine/rows.h"
#include "server/evaluate/activation.h"
#include "server/evaluate/errors.h"
#include "server/wire/messages.h"

namespace activation::server {
namespace {

// Where the usual activations bend.
constexpr double kUsualBounds[] = {-16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16};

// An elementwise function of parameters that are numbers.
absl::StatusOr<engine::Function> MakeFunction(absl::string_view field, const RawActivation& raw) {
  if (!raw.formula.empty()) return errors::FormulaCompared(absl::StrCat(field, ".formula"));
  if (const engine::RowSpec* const row = engine::FindRow(raw.name)) {
    return errors::RowFunctionCompared(absl::StrCat(field, ".name"), row->name);
  }
  if (!raw.parameter_tensors.empty()) {
    return errors::TensorCompared(
        errors::ParameterPath(field, "parameter_tensors", raw.parameter_tensors.front().first));
  }
  auto activation = MakeActivation(field, raw);
  if (!activation.ok()) return activation.status();
  return activation->function;
}

Candidate FromFunction(const engine::Function& function, const Subject& subject) {
  const engine::Operation operation = {.function = function,
                                       .quantity = subject.quantity,
                                       .input_type = subject.domain.type,
                                       .output_type = subject.domain.type};
  return {.function = function,
          .label = {},
          .run = [operation](int64_t, const std::byte* input, std::byte* output, size_t count) {
            engine::Run(operation, {.input = input, .output = output}, count);
          }};
}

absl::Status AddCandidates(absl::string_view prefix,
                           const v1::CompareApproximationsRequest& request, const Limits& limits,
                           ComparePlan& plan) {
  const std::string candidates = absl::StrCat(prefix, "candidates");
  const std::string approximations = absl::StrCat(prefix, "approximations");
  const int64_t both = int64_t{request.candidates_size()} + request.approximations_size();
  if (both > limits.max_compare_candidates) {
    return errors::TooManyItems(absl::StrCat(candidates, " and approximations"),
                                limits.max_compare_candidates);
  }
  for (int i = 0; i < request.candidates_size(); ++i) {
    const auto function =
        MakeFunction(absl::StrCat(candidates, "[", i, "]"), ToRaw(request.candidates(i)));
    if (!function.ok()) return function.status();
    plan.candidates.push_back(FromFunction(*function, plan.subject));
  }
  for (int i = 0; i < request.approximations_size(); ++i) {
    auto candidate = MakeApproximation(absl::StrCat(approximations, "[", i, "]"),
                                       absl::StrCat(prefix, "data_type"), request.approximations(i),
                                       plan.subject);
    if (!candidate.ok()) return candidate.status();
    plan.candidates.push_back(*std::move(candidate));
  }
  if (!plan.candidates.empty()) return absl::OkStatus();
  for (const char* name : plan.subject.reference.spec->approximations) {
    plan.candidates.push_back(FromFunction(*engine::FindFunction(name), plan.subject));
  }
  if (plan.candidates.empty()) {
    return errors::NoCandidates(candidates, *plan.subject.reference.spec);
  }
  return absl::OkStatus();
}

absl::Status SetRegions(absl::string_view field, const v1::CompareApproximationsRequest& request,
                        ComparePlan& plan) {
  const auto& bounds = request.region_bounds();
  if (bounds.size() > kMaxRegionBounds) return errors::TooManyItems(field, kMaxRegionBounds);
  for (int i = 0; i < bounds.size(); ++i) {
    const std::string path = absl::StrCat(field, "[", i, "]");
    if (!std::isfinite(bounds[i])) return errors::NotFinite(path, bounds[i]);
    if (i > 0 && bounds[i] <= bounds[i - 1]) {
      return errors::NotAscending(path, bounds[i], bounds[i - 1]);
    }
  }
  if (bounds.empty()) {
    plan.region_bounds.assign(std::begin(kUsualBounds), std::end(kUsualBounds));
  } else {
    plan.region_bounds.assign(bounds.begin(), bounds.end());
  }
  return absl::OkStatus();
}

absl::Status SetQuantity(absl::string_view field, int number, ComparePlan& plan) {
  switch (number) {
    case v1::QUANTITY_UNSPECIFIED:
    case v1::QUANTITY_VALUE:
      plan.subject.quantity = engine::Quantity::kValue;
      return absl::OkStatus();
    case v1::QUANTITY_DERIVATIVE:
      plan.subject.quantity = engine::Quantity::kDerivative;
      return absl::OkStatus();
    default:
      return errors::UnknownQuantity(field, number);
  }
}

}  // namespace

absl::StatusOr<ComparePlan> MakeComparePlan(absl::string_view prefix,
                                            const v1::CompareApproximationsRequest& request,
                                            const Limits& limits) {
  const auto path = [&](absl::string_view field) { return absl::StrCat(prefix, field); };
  ComparePlan plan;
  if (!request.has_reference()) return errors::MissingField(path("reference"));
  const auto reference = MakeFunction(path("reference"), ToRaw(request.reference()));
  if (!reference.ok()) return reference.status();
  plan.subject.reference = *reference;
  const auto type = MakeDataType(path("data_type"), request.data_type(), DataType::kFloat64);
  if (!type.ok()) return type.status();
  absl::Status status = SetQuantity(path("quantity"), request.quantity(), plan);
  if (!status.ok()) return status;
  auto domain = MakeDomain(prefix, request, *type, limits.max_compare_points);
  if (!domain.ok()) return domain.status();
  plan.subject.domain = *std::move(domain);
  status = SetRegions(path("region_bounds"), request, plan);
  if (!status.ok()) return status;
  if (request.curve_points() < 0 || request.curve_points() > kMaxCurvePoints) {
    return errors::OutOfRange(path("curve_points"), request.curve_points(), 0, kMaxCurvePoints);
  }
  // Not more than there are points for.
  plan.curve_points = std::min<int64_t>(request.curve_points(), plan.subject.domain.count);
  status = AddCandidates(prefix, request, limits, plan);
  if (!status.ok()) return status;
  return plan;
}

absl::StatusOr<ComparePlan> MakeStreamedComparePlan(absl::string_view prefix,
                                                    const v1::CompareApproximationsRequest& request,
                                                    Limits limits) {
  limits.max_compare_points = std::max(limits.max_compare_points, kMostStreamedPoints);
  return MakeComparePlan(prefix, request, limits);
}

}  // namespace activation::server
