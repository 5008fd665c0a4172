#include "server/engine/catalogue.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "hwy/highway.h"
#include "server/engine/activations-inl.h"

namespace activation::engine {
namespace {

template <class List>
struct SpecsOf;
template <class... A>
struct SpecsOf<std::tuple<A...>> {
  static constexpr const Spec* kAll[] = {&A::kSpec...};
};
constexpr auto& kSpecs = SpecsOf<HWY_NAMESPACE::Activations>::kAll;

}  // namespace

std::span<const Spec* const> Catalogue() { return kSpecs; }

const Spec* Find(std::string_view name) {
  const auto matches = [name](const Spec* spec) {
    return spec->name == name ||
           std::ranges::find(spec->aliases, name, &Alias::name) != spec->aliases.end();
  };
  const auto found = std::ranges::find_if(kSpecs, matches);
  return found == std::end(kSpecs) ? nullptr : *found;
}

int IndexOf(const Spec& spec) {
  return static_cast<int>(std::ranges::find(kSpecs, &spec) - std::begin(kSpecs));
}

Function WithDefaults(const Spec& spec) {
  Function function = {.spec = &spec};
  std::ranges::transform(spec.parameters, function.parameters.begin(), &Parameter::default_value);
  return function;
}

std::optional<Function> FindFunction(std::string_view name) {
  const Spec* const spec = Find(name);
  if (spec == nullptr) return std::nullopt;
  Function function = WithDefaults(*spec);
  const auto alias = std::ranges::find(spec->aliases, name, &Alias::name);
  if (alias != spec->aliases.end()) {
    std::ranges::copy(alias->parameters, function.parameters.begin());
  }
  return function;
}

size_t PlaceOf(const Spec& spec, std::string_view parameter) {
  return std::ranges::find(spec.parameters, parameter, &Parameter::name) - spec.parameters.begin();
}

std::optional<size_t> FindExcess(const Function& function) {
  const auto known = function.spec->parameters;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].at_most == nullptr) continue;
    const double bound = function.parameters[PlaceOf(*function.spec, known[i].at_most)];
    if (function.parameters[i] > bound) return i;
  }
  return std::nullopt;
}

}  // namespace activation::engine
