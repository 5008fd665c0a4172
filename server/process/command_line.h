// The command line and the environment of activation-server.
//
// Each flag --some-flag has the twin ACTIVATION_SOME_FLAG in the environment; the command line
// wins, and an empty variable counts as not set.
#ifndef ACTIVATION_SERVER_PROCESS_COMMAND_LINE_H_
#define ACTIVATION_SERVER_PROCESS_COMMAND_LINE_H_

#include <variant>

#include "server/process/config.h"

namespace activation::server {

// For an unknown flag, a wrong value and the like, as shells and getopt have it.
inline constexpr int kUsageExitCode = 2;

// The configuration; or the exit code of a process that has nothing more to do, as it has printed
// its help or version (0) or what is wrong with its flags (kUsageExitCode).
std::variant<Config, int> ParseCommandLine(int argc, char** argv);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_COMMAND_LINE_H_
