// The published approximations, in one list.
#ifndef ACTIVATION_SERVER_COMPARE_PRESET_LIST_H_
#define ACTIVATION_SERVER_COMPARE_PRESET_LIST_H_

#include <span>
#include <string>

#include "server/compare/preset_tables.h"
#include "server/engine/engine.h"

namespace activation::server {

struct PresetSpec {
  const char* name;
  // Canonical name of the activation that it approximates; empty for any.
  const char* reference;
  const char* description;
  std::string source;
  // In x and the parameters; empty where `table` is set.
  std::string formula = {};
  std::span<const engine::Parameter> parameters = {};
  MakePresetTable* table = nullptr;
};

// Valid forever.
std::span<const PresetSpec> Presets();

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_COMPARE_PRESET_LIST_H_
