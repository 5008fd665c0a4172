// Which activations there are, by place and by name. What they are stands in activations/.
#ifndef ACTIVATION_SERVER_ENGINE_CATALOGUE_H_
#define ACTIVATION_SERVER_ENGINE_CATALOGUE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "server/engine/operation.h"
#include "server/engine/spec.h"

namespace activation::engine {

// All activations, in the catalogue's order. The pointers are valid forever.
std::span<const Spec* const> Catalogue();

// By canonical name or alias; null if there is none.
const Spec* Find(std::string_view name);

// The place of a Spec (one of Catalogue()'s) in the catalogue.
int IndexOf(const Spec& spec);

// With every parameter at its default.
Function WithDefaults(const Spec& spec);

// By canonical name or alias, with the parameters that are the defaults under that name; none if
// there is no such name.
std::optional<Function> FindFunction(std::string_view name);

// The place of a parameter that exceeds the one named by its `at_most`; none where all is well.
std::optional<size_t> FindExcess(const Function& function);
// The place of a parameter of this name, which must be one.
size_t PlaceOf(const Spec& spec, std::string_view parameter);

}  // namespace activation::engine

#endif  // ACTIVATION_SERVER_ENGINE_CATALOGUE_H_
