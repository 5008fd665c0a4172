// The sub-commands, and how one reports back to main.
//
// Each has a file of its own with one function, which adds it to the program. main parses the
// command line, runs the command that was chosen, and turns its status into the exit status: 0, or
// 64 + the status code, with the message on standard error.
#ifndef ACTIVATION_CLIENT_CLI_COMMAND_H_
#define ACTIVATION_CLIENT_CLI_COMMAND_H_

#include <functional>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "client/cli/globals.h"

namespace activation::cli {

struct Command {
  CLI::App* app;
  std::function<absl::Status()> run;
};

using AddCommand = Command(CLI::App& app, const Globals& globals);

// evaluate.cc has AddEvaluate, and so on.
AddCommand AddEvaluate, AddGradient, AddCompare, AddPlot, AddReport, AddList, AddInfo, AddHealth,
    AddCompletion;

// In the order of the help.
inline constexpr AddCommand* kCommands[] = {
    AddEvaluate, AddGradient, AddCompare, AddPlot,       AddReport,
    AddList,     AddInfo,     AddHealth,  AddCompletion,
};

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMMAND_H_
