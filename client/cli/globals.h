// The options that every sub-command takes, and the connection that they make.
#ifndef ACTIVATION_CLIENT_CLI_GLOBALS_H_
#define ACTIVATION_CLIENT_CLI_GLOBALS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/client.h"

namespace activation::cli {

struct Globals {
  std::string target = ClientOptions().target;
  // Empty: the default. Otherwise seconds, or a duration with units ("500ms").
  std::string timeout;
  TlsOptions tls;

  // A client for these options; `timeout` where the command line gives none.
  absl::StatusOr<Client> Connect(absl::Duration timeout = ClientOptions().timeout) const;
};

void AddGlobalOptions(CLI::App& app, Globals& globals);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_GLOBALS_H_
