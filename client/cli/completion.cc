#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "client/cli/command.h"
#include "client/cli/completion_scripts.h"
#include "client/cli/formats.h"
#include "client/cli/output.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Names of activations are asked for at the server that ACTIVATION_TARGET says.

Examples:
  source <(activation completion bash)
  activation completion zsh > "${fpath[1]}/_activation"
  activation completion fish > ~/.config/fish/completions/activation.fish)";

struct Shell {
  const char* name;
  std::string (*script)(const CLI::App& app);
};
constexpr Shell kShells[] = {
    {"bash", BashCompletion},
    {"zsh", ZshCompletion},
    {"fish", FishCompletion},
};

absl::Status Run(const CLI::App& app, const std::string& name) {
  const auto* const shell =
      std::find_if(std::begin(kShells), std::end(kShells),
                   [&](const Shell& candidate) { return name == candidate.name; });
  return Write("-", shell->script(app));
}

}  // namespace

Command AddCompletion(CLI::App& app, const Globals& /*globals*/) {
  CLI::App* command = app.add_subcommand("completion", "A completion script for a shell");
  command->footer(kExamples);
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(NamesOf(std::span(kShells))));
  return {command, [&app, shell] { return Run(app, *shell); }};
}

}  // namespace activation::cli
