// activation-server: flags -> configuration -> server -> signal -> drain -> exit code.
#include <absl/status/statusor.h>

#include <iostream>
#include <memory>
#include <variant>

#include "server/process/command_line.h"
#include "server/process/config.h"
#include "server/process/server.h"
#include "server/process/stop_signals.h"

int main(int argc, char** argv) {
  using namespace activation::server;  // NOLINT(google-build-using-namespace): this file only
                                       // composes

  const StopSignals signals;  // First, so that no thread is there yet.
  const std::variant<Config, int> parsed = ParseCommandLine(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(std::get<Config>(parsed));
  if (!server.ok()) {
    std::cerr << "activation-server can't start: " << server.status().message() << std::endl;
    return 1;
  }
  signals.Wait();
  (*server)->Drain(signals);
  return 0;
}
