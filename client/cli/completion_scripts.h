// Shell completion, written from the program's own commands and options, so that it can't fall
// behind them.
#ifndef ACTIVATION_CLIENT_CLI_COMPLETION_SCRIPTS_H_
#define ACTIVATION_CLIENT_CLI_COMPLETION_SCRIPTS_H_

#include <string>

#include "CLI/CLI.hpp"

namespace activation::cli {

std::string BashCompletion(const CLI::App& app);
// The one for bash, which zsh runs by its bashcompinit.
std::string ZshCompletion(const CLI::App& app);
std::string FishCompletion(const CLI::App& app);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPLETION_SCRIPTS_H_
