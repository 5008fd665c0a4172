// Whole files as strings.
#ifndef ACTIVATION_CLIENT_READ_FILE_H_
#define ACTIVATION_CLIENT_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace activation {

// The file's bytes. An error has the code for its errno, and names the file and the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Standard input, to its end.
absl::StatusOr<std::string> ReadStandardInput();

}  // namespace activation

#endif  // ACTIVATION_CLIENT_READ_FILE_H_
