#include "client/cli/catalogue.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace activation::cli {

absl::StatusOr<v1::ActivationInfo> FindActivation(const v1::ListActivationsResponse& catalogue,
                                                  const std::string& name) {
  for (const v1::ActivationInfo& info : catalogue.activations()) {
    const auto& aliases = info.aliases();
    if (info.name() == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) {
      return info;
    }
  }
  return absl::NotFoundError(absl::StrCat("no activation is named '", name,
                                          "'; `activation list --names` prints all names"));
}

}  // namespace activation::cli
