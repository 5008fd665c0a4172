// What the sub-commands share: global options, the connection, and how one reports back to main.
//
// Each sub-command has a file of its own with one function, which adds it to the program. main
// parses the command line, runs the command that was chosen, and turns its status into the exit
// status: 0, or 64 + the status code, with the message on standard error.
#ifndef ACTIVATION_CLIENT_CLI_COMMAND_H_
#define ACTIVATION_CLIENT_CLI_COMMAND_H_

#include <functional>
#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/client.h"

namespace activation::cli {

// The options that every sub-command takes.
struct Globals {
  std::string target = ClientOptions().target;
  // Empty: the default. Otherwise seconds, or a duration with units ("500ms").
  std::string timeout;
  TlsOptions tls;

  // A client for these options; `timeout` where the command line gives none.
  absl::StatusOr<Client> Connect(absl::Duration timeout = ClientOptions().timeout) const;
};

struct Command {
  CLI::App* app;
  std::function<absl::Status()> run;
};

void AddGlobalOptions(CLI::App& app, Globals& globals);

Command AddEvaluate(CLI::App& app, const Globals& globals);
Command AddGradient(CLI::App& app, const Globals& globals);
Command AddCompare(CLI::App& app, const Globals& globals);
Command AddPlot(CLI::App& app, const Globals& globals);
Command AddReport(CLI::App& app, const Globals& globals);
Command AddList(CLI::App& app, const Globals& globals);
Command AddInfo(CLI::App& app, const Globals& globals);
Command AddHealth(CLI::App& app, const Globals& globals);
Command AddCompletion(CLI::App& app);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMMAND_H_
