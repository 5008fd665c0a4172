// Names that someone may have meant who wrote one that does not exist.
#ifndef ACTIVATION_SERVER_EVALUATE_NEAR_NAMES_H_
#define ACTIVATION_SERVER_EVALUATE_NEAR_NAMES_H_

#include <absl/strings/string_view.h>

#include <span>
#include <vector>

namespace activation::server {

// Those of `known` within a few edits of `name`, nearest first, at most three. Takes time
// proportional to the length of `name`.
std::vector<absl::string_view> FindNearNames(absl::string_view name,
                                             std::span<const absl::string_view> known);

// The same among the names and aliases of the catalogue.
std::vector<absl::string_view> FindNearNames(absl::string_view name);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_NEAR_NAMES_H_
