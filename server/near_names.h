// Names that someone may have meant who wrote one that does not exist.
#ifndef ACTIVATION_SERVER_NEAR_NAMES_H_
#define ACTIVATION_SERVER_NEAR_NAMES_H_

#include <absl/strings/string_view.h>

#include <vector>

namespace activation::server {

// Names and aliases of the catalogue within a few edits of `name`, nearest first, at most three.
// Takes time proportional to the length of `name`.
std::vector<absl::string_view> FindNearNames(absl::string_view name);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_NEAR_NAMES_H_
