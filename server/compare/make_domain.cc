#include "server/compare/make_domain.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/errors.h"
#include "server/engine/packed.h"
#include "server/evaluate/errors.h"
#include "server/wire/messages.h"

namespace activation::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

absl::StatusOr<Domain> FromGrid(absl::string_view field, const v1::Grid& grid, DataType type,
                                int64_t max_points) {
  for (const auto& [name, bound] : {std::pair(".from", grid.from()), std::pair(".to", grid.to())}) {
    if (!std::isfinite(bound)) return errors::NotFinite(absl::StrCat(field, name), bound);
  }
  if (grid.to() < grid.from()) return errors::RangeReversed(field, grid.from(), grid.to());
  const int64_t fewest = grid.from() == grid.to() ? 1 : 2;
  if (grid.points() < fewest || grid.points() > max_points) {
    return errors::WrongPointCount(field, grid.points(), fewest, max_points);
  }
  return Domain{.type = type,
                .count = grid.points(),
                .source = GridPoints{.from = grid.from(), .to = grid.to()}};
}

bool IsAscending(const Elements& elements) {
  constexpr size_t kSome = 1024;
  ElementReader reader(elements);
  std::vector<std::byte> packed(kSome * SizeOf(elements.type));
  std::vector<double> values(kSome);
  double last = -kInfinity;
  const auto total = static_cast<size_t>(elements.count);
  for (size_t first = 0; first < total; first += kSome) {
    const size_t n = std::min(kSome, total - first);
    reader.Copy(first, n, packed.data());
    Decode(elements.type, packed.data(), n, values.data());
    for (size_t i = 0; i < n; ++i) {
      if (!(values[i] >= last)) return false;
      last = values[i];
    }
  }
  return true;
}

absl::StatusOr<Domain> FromPoints(absl::string_view field, absl::string_view type_field,
                                  const v1::Tensor& points, DataType type, int64_t max_points) {
  auto elements = MakeElements(field, ToRaw(points));
  if (!elements.ok()) return elements.status();
  if (elements->type != type) {
    return errors::TypeMismatch(field, elements->type, type_field, type);
  }
  if (elements->count < 1 || elements->count > max_points) {
    return errors::WrongPointCount(field, elements->count, 1, max_points);
  }
  Domain domain{.type = type, .count = elements->count};
  const bool is_ascending = IsAscending(*elements);
  domain.source = GivenPoints{.elements = *std::move(elements), .is_ascending = is_ascending};
  return domain;
}

// The ordinals of the least value that is not below `bound`, and of the greatest not above it; both
// zeros are neither below nor above 0.
int64_t LeastFrom(DataType type, double bound) {
  if (bound == 0) return OrdinalOf(type, ToBits(type, -0.0));
  const uint64_t bits = ToBits(type, bound);
  const int64_t ordinal = OrdinalOf(type, bits);
  return ToDouble(type, bits) < bound ? ordinal + 1 : ordinal;
}
int64_t GreatestTo(DataType type, double bound) {
  if (bound == 0) return OrdinalOf(type, ToBits(type, 0.0));
  const uint64_t bits = ToBits(type, bound);
  const int64_t ordinal = OrdinalOf(type, bits);
  return ToDouble(type, bits) > bound ? ordinal - 1 : ordinal;
}

absl::StatusOr<Domain> FromEveryValue(absl::string_view field, const v1::EveryValue& every,
                                      DataType type, int64_t max_points) {
  const auto path = [&](absl::string_view name) { return absl::StrCat(field, ".", name); };
  if (every.has_from() && std::isnan(every.from())) return errors::IsNan(path("from"));
  if (every.has_to() && std::isnan(every.to())) return errors::IsNan(path("to"));
  // Half of all bit patterns are negative.
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - TraitsOf(type).bits);
  const int64_t first = every.has_from() ? LeastFrom(type, every.from()) : -1 - most;
  const int64_t last = every.has_to() ? GreatestTo(type, every.to()) : most;
  if (every.has_from() && every.has_to() && every.to() < every.from()) {
    return errors::RangeReversed(field, every.from(), every.to());
  }
  if (last < first) return errors::NoValueBetween(field, type);
  // As unsigned numbers, since a float64 range can hold 2^64 values.
  const uint64_t beyond = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  if (beyond >= static_cast<uint64_t>(max_points)) {
    return errors::TooManyValues(field, type, max_points);
  }
  return Domain{.type = type,
                .count = static_cast<int64_t>(beyond) + 1,
                .source = ConsecutiveValues{.first = first}};
}

absl::StatusOr<Domain> FromNormal(absl::string_view field, const v1::NormalDistribution& normal,
                                  DataType type, int64_t max_points) {
  if (!std::isfinite(normal.mean())) {
    return errors::NotFinite(absl::StrCat(field, ".mean"), normal.mean());
  }
  const double deviation = normal.has_standard_deviation() ? normal.standard_deviation() : 1;
  if (!std::isfinite(deviation) || deviation <= 0) {
    return errors::NotPositive(absl::StrCat(field, ".standard_deviation"), deviation);
  }
  if (normal.points() < 1 || normal.points() > max_points) {
    return errors::WrongPointCount(field, normal.points(), 1, max_points);
  }
  return Domain{.type = type,
                .count = normal.points(),
                .source = NormalSamples{
                    .mean = normal.mean(), .standard_deviation = deviation, .seed = normal.seed()}};
}

}  // namespace

absl::StatusOr<Domain> MakeDomain(absl::string_view prefix,
                                  const v1::CompareApproximationsRequest& request, DataType type,
                                  int64_t max_points) {
  const auto path = [&](absl::string_view field) { return absl::StrCat(prefix, field); };
  switch (request.domain_case()) {
    case v1::CompareApproximationsRequest::kGrid:
      return FromGrid(path("grid"), request.grid(), type, max_points);
    case v1::CompareApproximationsRequest::kPoints:
      return FromPoints(path("points"), path("data_type"), request.points(), type, max_points);
    case v1::CompareApproximationsRequest::kEveryValue:
      return FromEveryValue(path("every_value"), request.every_value(), type, max_points);
    case v1::CompareApproximationsRequest::kNormal:
      return FromNormal(path("normal"), request.normal(), type, max_points);
    default:
      return errors::MissingDomain(path("domain"));
  }
}

}  // namespace activation::server
