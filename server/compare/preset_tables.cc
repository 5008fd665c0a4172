#include "server/compare/preset_tables.h"

#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

#include "proto/element_type.h"
#include "server/compare/errors.h"
#include "server/evaluate/errors.h"

namespace activation::server {
namespace {

enum Place : size_t { kSegments, kFrom, kTo, kIntegerBits, kFractionBits };

absl::Status CheckParameters(absl::string_view field, std::span<const double> parameters) {
  const auto path = [&](Place place) {
    return errors::ParameterPath(field, "parameters", kFixedPointParameters[place].name);
  };
  for (const Place place : {kSegments, kIntegerBits, kFractionBits}) {
    if (place >= parameters.size() || parameters[place] == std::floor(parameters[place])) continue;
    return errors::NotWhole(path(place), parameters[place]);
  }
  if (parameters[kFrom] < parameters[kTo]) return absl::OkStatus();
  return errors::NotBelow(path(kFrom), parameters[kFrom], "to", parameters[kTo]);
}

// This many evenly spaced parts' ends, one more than parts.
std::vector<double> Ends(int parts, double from, double to) {
  std::vector<double> ends = {from};
  for (int i = 1; i < parts; ++i) ends.push_back((from * (parts - i) + to * i) / parts);
  ends.push_back(to);
  return ends;
}

absl::StatusOr<std::vector<double>> ValuesAt(absl::string_view field, const std::vector<double>& x,
                                             const engine::Function& reference) {
  std::vector<double> values(x.size());
  engine::Run({.function = reference,
               .quantity = engine::Quantity::kValue,
               .input_type = DataType::kFloat64,
               .output_type = DataType::kFloat64},
              {.input = std::as_bytes(std::span(x)).data(),
               .output = std::as_writable_bytes(std::span(values)).data()},
              x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return errors::ReferenceNotFinite(field, reference.spec->name, x[i]);
  }
  return values;
}

void AddPiece(double knot, std::initializer_list<double> coefficients, v1::Table& table) {
  table.add_knots(knot);
  table.add_pieces()->mutable_coefficients()->Add(coefficients.begin(), coefficients.end());
}

}  // namespace

absl::StatusOr<v1::Table> MakePiecewiseLinear(absl::string_view field,
                                              std::span<const double> parameters,
                                              const engine::Function& reference) {
  absl::Status checked = CheckParameters(field, parameters);
  if (!checked.ok()) return checked;
  const std::vector<double> knots =
      Ends(static_cast<int>(parameters[kSegments]), parameters[kFrom], parameters[kTo]);
  const auto values = ValuesAt(field, knots, reference);
  if (!values.ok()) return values.status();
  v1::Table table;
  table.mutable_knots()->Add(knots.begin(), knots.end());
  table.mutable_values()->Add(values->begin(), values->end());
  return table;
}

absl::StatusOr<v1::Table> MakeFixedPointPiecewiseLinear(absl::string_view field,
                                                        std::span<const double> parameters,
                                                        const engine::Function& reference) {
  auto table = MakePiecewiseLinear(field, parameters, reference);
  if (!table.ok()) return table;
  v1::FixedPoint& format = *table->mutable_fixed_point();
  format.set_integer_bits(static_cast<int>(parameters[kIntegerBits]));
  format.set_fraction_bits(static_cast<int>(parameters[kFractionBits]));
  return table;
}

absl::StatusOr<v1::Table> MakePiecewiseQuadratic(absl::string_view field,
                                                 std::span<const double> parameters,
                                                 const engine::Function& reference) {
  absl::Status checked = CheckParameters(field, parameters);
  if (!checked.ok()) return checked;
  const int segments = static_cast<int>(parameters[kSegments]);
  // Each knot, and after it the middle of its segment.
  const std::vector<double> x = Ends(2 * segments, parameters[kFrom], parameters[kTo]);
  const auto values = ValuesAt(field, x, reference);
  if (!values.ok()) return values.status();
  v1::Table table;
  for (size_t i = 0; i + 2 < x.size(); i += 2) {
    const double width = x[i + 2] - x[i];
    const double begin = (*values)[i];
    const double middle = (*values)[i + 1] - begin;
    const double end = (*values)[i + 2] - begin;
    const double slope = (4 * middle - end) / width;
    const double curvature = (2 * end - 4 * middle) / width / width;
    if (i == 0) AddPiece(x[0] - width, {begin - slope * width, slope}, table);
    AddPiece(x[i], {begin, slope, curvature}, table);
    if (i + 3 < x.size()) continue;
    AddPiece(x[i + 2], {(*values)[i + 2], slope + 2 * curvature * width}, table);
    table.add_knots(x[i + 2] + width);
  }
  return table;
}

}  // namespace activation::server
