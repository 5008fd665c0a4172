// Published approximations by name, for comparisons. They stand in preset_list.cc.
#ifndef ACTIVATION_SERVER_COMPARE_PRESETS_H_
#define ACTIVATION_SERVER_COMPARE_PRESETS_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>

#include "activation/v1/activation.pb.h"
#include "server/engine/engine.h"

namespace activation::server {

// The formula, with every parameter and with `arithmetic` unset, or the table that the preset
// means; its label is the preset's name. A formula is the same for every reference, a table is made
// for this one, whose parameters must be allowed ones.
//
// `field` is the preset's path. NOT_FOUND for an unknown name; INVALID_ARGUMENT for an unknown
// parameter, one out of range, or as preset_tables.h says.
absl::StatusOr<v1::Approximation> ExpandPreset(absl::string_view field, const v1::Preset& preset,
                                               const engine::Function& reference);

// Fills `presets`.
void ListPresets(v1::ListActivationsResponse& response);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PRESETS_H_
