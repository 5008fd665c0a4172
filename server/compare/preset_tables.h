// Presets that are tables, made for any reference: its values between evenly spaced knots.
#ifndef ACTIVATION_SERVER_COMPARE_PRESET_TABLES_H_
#define ACTIVATION_SERVER_COMPARE_PRESET_TABLES_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include <span>

#include "activation/v1/activation.pb.h"
#include "server/engine/engine.h"

namespace activation::server {

// Parameters of all of these presets: so many segments between two bounds.
inline constexpr engine::Parameter kSegmentParameters[] = {
    {"segments", "How many pieces, a whole number.", 16, 1, 4096},
    {"from", "Lower bound, below `to`.", -8, -1e30, 1e30},
    {"to", "Upper bound.", 8, -1e30, 1e30},
};
inline constexpr engine::Parameter kFixedPointParameters[] = {
    kSegmentParameters[0],
    kSegmentParameters[1],
    kSegmentParameters[2],
    {"integer_bits", "Bits above the point, a whole number.", 4, 0, 31},
    {"fraction_bits", "Bits below the point, a whole number.", 11, 0, 31},
};

// `field` is the path of the preset, `parameters` are allowed values of those above, in order.
// INVALID_ARGUMENT where one is not whole, the bounds are not in order, or the reference has no
// finite value at a point that is needed. MakeTable may still refuse the table, where knots are too
// close to each other or there are too many bits.
using MakePresetTable = absl::StatusOr<v1::Table>(absl::string_view field,
                                                  std::span<const double> parameters,
                                                  const engine::Function& reference);

// The straight line between neighbouring knots; the first and the last one go on.
MakePresetTable MakePiecewiseLinear;
// The same in fixed point.
MakePresetTable MakeFixedPointPiecewiseLinear;
// The parabola through both knots of a segment and its middle; beyond the bounds its tangent.
MakePresetTable MakePiecewiseQuadratic;

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PRESET_TABLES_H_
