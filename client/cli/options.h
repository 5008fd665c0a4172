// Options that several commands have, and what is said where one is wrong.
#ifndef ACTIVATION_CLIENT_CLI_OPTIONS_H_
#define ACTIVATION_CLIENT_CLI_OPTIONS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace activation::cli {

// An option whose every use has one value.
CLI::Option* AddEach(CLI::App& app, const char* name, std::vector<std::string>& values,
                     const char* type, const char* description);

// One of the element types.
CLI::Option* AddDataType(CLI::App& app, const char* name, std::string& type,
                         const char* description);

// INVALID_ARGUMENT with the option before the message.
absl::Status OptionError(const char* option, const absl::Status& status);

// The number that the option gives.
absl::StatusOr<double> ParseNumberOf(const char* option, const std::string& text);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_OPTIONS_H_
