// The catalogue of the server, looked through.
#ifndef ACTIVATION_CLIENT_CLI_CATALOGUE_H_
#define ACTIVATION_CLIENT_CLI_CATALOGUE_H_

#include <string>

#include "absl/status/statusor.h"
#include "activation/v1/activation.pb.h"

namespace activation::cli {

// By canonical name or alias; NOT_FOUND, with a hint, where there is none.
absl::StatusOr<v1::ActivationInfo> FindActivation(const v1::ListActivationsResponse& catalogue,
                                                  const std::string& name);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_CATALOGUE_H_
