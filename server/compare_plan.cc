#include "server/compare_plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/errors.h"

namespace activation::server {
namespace {

// Raw forms of the messages, with the bounds of request.h. A tensor's data is borrowed.
RawActivation ToRaw(const v1::Activation& message) {
  RawActivation raw;
  raw.name = message.name().substr(0, kMaxNameBytes + 1);
  for (const auto& [name, value] : message.parameters()) {
    if (raw.parameters.size() > kMaxRequestParameters) break;
    raw.parameters.emplace_back(name.substr(0, kMaxNameBytes + 1), value);
  }
  return raw;
}

RawTensor ToRaw(const v1::Tensor& message) {
  RawTensor raw;
  raw.data_type = message.data_type();
  raw.rank = message.shape_size();
  raw.shape.assign(message.shape().begin(),
                   message.shape().begin() + std::min(message.shape_size(), kMaxRank));
  if (!message.data().empty()) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(message.data().data());
    raw.data = {{.data = bytes, .size = message.data().size(), .begin = 0}};
  }
  raw.float_values.assign(message.float_values().begin(), message.float_values().end());
  raw.double_values.assign(message.double_values().begin(), message.double_values().end());
  return raw;
}

absl::Status AddCandidates(absl::string_view field, const v1::CompareApproximationsRequest& request,
                           const Limits& limits, ComparePlan& plan) {
  if (request.candidates_size() > limits.max_compare_candidates) {
    return errors::TooManyItems(field, limits.max_compare_candidates);
  }
  for (int i = 0; i < request.candidates_size(); ++i) {
    auto candidate = MakeFunction(absl::StrCat(field, "[", i, "]"), ToRaw(request.candidates(i)));
    if (!candidate.ok()) return candidate.status();
    plan.candidates.push_back(*candidate);
  }
  if (!plan.candidates.empty()) return absl::OkStatus();
  for (const char* name : plan.reference.spec->approximations) {
    plan.candidates.push_back(*engine::FindFunction(name));
  }
  if (plan.candidates.empty()) return errors::NoCandidates(field, *plan.reference.spec);
  return absl::OkStatus();
}

absl::Status SetGrid(absl::string_view field, const v1::Grid& grid, const Limits& limits,
                     ComparePlan& plan) {
  for (const auto& [name, bound] : {std::pair(".from", grid.from()), std::pair(".to", grid.to())}) {
    if (!std::isfinite(bound)) return errors::GridBoundNotFinite(absl::StrCat(field, name), bound);
  }
  if (grid.to() < grid.from()) return errors::GridReversed(field, grid.from(), grid.to());
  const int64_t fewest = grid.from() == grid.to() ? 1 : 2;
  if (grid.points() < fewest || grid.points() > limits.max_compare_points) {
    return errors::WrongPointCount(field, grid.points(), fewest, limits.max_compare_points);
  }
  plan.from = grid.from();
  plan.to = grid.to();
  plan.count = grid.points();
  return absl::OkStatus();
}

absl::Status SetPoints(absl::string_view field, absl::string_view type_field,
                       const v1::Tensor& points, const Limits& limits, ComparePlan& plan) {
  auto elements = MakeElements(field, ToRaw(points));
  if (!elements.ok()) return elements.status();
  if (elements->type != plan.type) {
    return errors::TypeMismatch(field, elements->type, type_field, plan.type);
  }
  if (elements->count < 1 || elements->count > limits.max_compare_points) {
    return errors::WrongPointCount(field, elements->count, 1, limits.max_compare_points);
  }
  plan.count = elements->count;
  plan.points = *std::move(elements);
  return absl::OkStatus();
}

absl::Status SetQuantity(absl::string_view field, int number, ComparePlan& plan) {
  switch (number) {
    case v1::QUANTITY_UNSPECIFIED:
    case v1::QUANTITY_VALUE:
      plan.quantity = engine::Quantity::kValue;
      return absl::OkStatus();
    case v1::QUANTITY_DERIVATIVE:
      plan.quantity = engine::Quantity::kDerivative;
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
  plan.reference = *reference;
  absl::Status status = AddCandidates(path("candidates"), request, limits, plan);
  if (!status.ok()) return status;
  const auto type =
      MakeDataType(path("data_type"), request.data_type(), engine::DataType::kFloat64);
  if (!type.ok()) return type.status();
  plan.type = *type;
  status = SetQuantity(path("quantity"), request.quantity(), plan);
  if (!status.ok()) return status;
  switch (request.domain_case()) {
    case v1::CompareApproximationsRequest::kGrid:
      status = SetGrid(path("grid"), request.grid(), limits, plan);
      break;
    case v1::CompareApproximationsRequest::kPoints:
      status = SetPoints(path("points"), path("data_type"), request.points(), limits, plan);
      break;
    default:
      status = errors::MissingDomain(path("domain"));
  }
  if (!status.ok()) return status;
  return plan;
}

}  // namespace activation::server
