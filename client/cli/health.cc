#include <memory>

#include "client/cli/command.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Prints nothing and exits with 0 if the server is serving; otherwise says why not.

Examples:
  activation health
  activation health --service activation.v1.ActivationService --timeout 500ms)";

// A health check that takes longer has its answer.
constexpr absl::Duration kTimeout = absl::Seconds(2);

absl::Status Run(const Globals& globals, const std::string& service) {
  absl::StatusOr<Client> client = globals.Connect(kTimeout);
  if (!client.ok()) return client.status();
  return client->Health(service);
}

}  // namespace

Command AddHealth(CLI::App& app, const Globals& globals) {
  CLI::App* command = app.add_subcommand("health", "Whether the server is serving, as exit status");
  command->footer(kExamples);
  const auto service = std::make_shared<std::string>();
  command->add_option("--service", *service, "Full name of one service (default: the server)")
      ->type_name("NAME");
  return {command, [&globals, service] { return Run(globals, *service); }};
}

}  // namespace activation::cli
