// The command line of the activation service: parse, run the chosen command, exit status.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/cli/command.h"

namespace {

constexpr char kExamples[] = R"(
Options for the connection may stand before or after the command.

Examples:
  activation evaluate gelu -- -5.5 -6 -inf
  activation evaluate elu --param alpha=2 --input x.npy --output y.npy
  activation gradient gelu --input x.npy --upstream g.npy --output dx.npy
  activation compare gelu --with gelu_tanh --from -10 --to 10 --points 100001
  activation plot gelu silu mish --output compared.svg
  activation report gelu --output gelu.html
  activation list
  activation --target prod:443 --tls-ca ca.pem health
  source <(activation completion bash)

Exit status: 0, or 64 + the gRPC status code (67 for wrong usage, 69 for an unknown name or a missing
file, 78 for a server that can't be reached), with the reason on standard error.)";

constexpr char kExtrasHint[] =
    "Numbers stand after --, all of them: activation evaluate gelu -- 0.5 -5.5 -inf\n";

// grpcurl's convention: the gRPC code, above what shells and programs use for themselves.
constexpr int kExitBase = 64;

int ExitStatus(const absl::Status& status) {
  return status.ok() ? 0 : kExitBase + static_cast<int>(status.code());
}

}  // namespace

// What throws outside of parsing is a mistake in the set-up of the options, met by every run.
int main(int argc, char** argv) {   // NOLINT(bugprone-exception-escape)
  using namespace activation::cli;  // NOLINT(google-build-using-namespace)
  // What gRPC logs by itself, the status that is printed says too.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  CLI::App app("Correctly rounded activation functions, from an activation server.", "activation");
  app.footer(kExamples);
  app.set_version_flag("--version", "activation " ACTIVATION_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  Globals globals;
  AddGlobalOptions(app, globals);
  std::vector<Command> commands;
  for (AddCommand* const add : kCommands) commands.push_back(add(app, globals));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    if (error.get_name() == "ExtrasError") std::fputs(kExtrasHint, stderr);
    return ExitStatus(absl::InvalidArgumentError(error.what()));
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    const absl::Status status = command.run();
    if (!status.ok()) std::fprintf(stderr, "activation: %s\n", status.ToString().c_str());
    return ExitStatus(status);
  }
  return 0;
}
