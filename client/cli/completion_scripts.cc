#include "client/cli/completion_scripts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/formats.h"
#include "client/cli/tensor_formats.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

constexpr char kNames[] = "activation list --names --timeout 1 2>/dev/null";

// What may follow an option, by the type that its help shows.
struct Choices {
  const char* type;
  std::string words;
};
std::vector<Choices> AllChoices() {
  return {{"TYPE", absl::StrJoin(DataTypeNames(), " ")},
          {"FORMAT", absl::StrJoin(NamesOf(TensorFormats()), " ")}};
}

struct Option {
  std::string name;  // with its dashes
  std::string type;
  std::string description;
  bool takes_value;
};

std::vector<Option> OptionsOf(const CLI::App& app) {
  std::vector<Option> options;
  for (const CLI::Option* option : app.get_options()) {
    // "TYPE:{float32,...}": what follows the colon is what CLI11 checks.
    const std::string type = option->get_type_name();
    for (const std::string& name : option->get_lnames()) {
      options.push_back({.name = absl::StrCat("--", name),
                         .type = type.substr(0, type.find(':')),
                         .description = option->get_description(),
                         .takes_value = option->get_items_expected_max() > 0});
    }
  }
  return options;
}

// "--a|--b" of all options of this type, in the program and its commands.
std::string Pattern(const CLI::App& app, const std::string& type) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App& from) {
    for (const Option& option : OptionsOf(from)) {
      if (option.takes_value && option.type == type &&
          std::find(names.begin(), names.end(), option.name) == names.end()) {
        names.push_back(option.name);
      }
    }
  };
  add(app);
  for (const CLI::App* command : app.get_subcommands({})) add(*command);
  return absl::StrJoin(names, "|");
}

std::string Words(const CLI::App& app) {
  return absl::StrJoin(OptionsOf(app), " ", [](std::string* out, const Option& option) {
    absl::StrAppend(out, option.name);
  });
}

std::string CommandNames(const CLI::App& app, const char* separator) {
  return absl::StrJoin(
      app.get_subcommands({}), separator,
      [](std::string* out, const CLI::App* command) { absl::StrAppend(out, command->get_name()); });
}

// Whether the command's first argument is an activation.
bool TakesActivation(const CLI::App& command) {
  return command.get_option_no_throw("name") != nullptr;
}

std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// `complete` lines of one command's options; `condition` says where they apply.
std::string FishOptions(const CLI::App& app, const std::string& condition) {
  std::string script;
  for (const Option& option : OptionsOf(app)) {
    absl::StrAppend(&script, "complete -c activation ", condition, " -l ", option.name.substr(2),
                    " -d ", FishQuoted(option.description));
    if (option.takes_value) {
      std::string words;
      for (const Choices& choices : AllChoices()) {
        if (option.type == choices.type) words = choices.words;
      }
      if (option.name == "--with") words = absl::StrCat("(", kNames, ")");
      if (option.type == "FILE") {
        absl::StrAppend(&script, " -r -F");
      } else {
        absl::StrAppend(&script, " -x -a ", FishQuoted(words));
      }
    }
    absl::StrAppend(&script, "\n");
  }
  return script;
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::string values;
  for (const Choices& choices : AllChoices()) {
    absl::StrAppend(&values, "    ", Pattern(app, choices.type), ") COMPREPLY=($(compgen -W \"",
                    choices.words, "\" -- \"$cur\")); return ;;\n");
  }
  std::string options;
  std::vector<std::string> with_activation;
  for (const CLI::App* command : app.get_subcommands({})) {
    absl::StrAppend(&options, "    ", command->get_name(), ") words=\"", Words(*command),
                    "\" ;;\n");
    if (TakesActivation(*command)) with_activation.push_back(command->get_name());
  }
  return absl::StrReplaceAll(
      R"sh(# Completion for `activation`, by `activation completion`.
_activation() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" command="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      @COMMANDS_PATTERN@) command="${COMP_WORDS[i]}"; break ;;
    esac
  done
  case "$prev" in
    @FILES@) COMPREPLY=($(compgen -f -- "$cur")); return ;;
@VALUES@    --with) COMPREPLY=($(compgen -W "$(@NAMES@)" -- "$cur")); return ;;
  esac
  case "$command" in
    "") words="@COMMANDS@" ;;
@OPTIONS@  esac
  words+=" @GLOBALS@"
  case "$prev" in
    @WITH_ACTIVATION@) [[ "$cur" == -* ]] || words="$(@NAMES@)" ;;
    completion) words="bash zsh fish" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _activation activation
)sh",
      {{"@COMMANDS_PATTERN@", CommandNames(app, "|")},
       {"@COMMANDS@", CommandNames(app, " ")},
       {"@GLOBALS@", Words(app)},
       {"@FILES@", Pattern(app, "FILE")},
       {"@VALUES@", values},
       {"@OPTIONS@", options},
       {"@WITH_ACTIVATION@", absl::StrJoin(with_activation, "|")},
       {"@NAMES@", kNames}});
}

std::string ZshCompletion(const CLI::App& app) {
  return absl::StrCat("#compdef activation\nautoload -U +X bashcompinit && bashcompinit\n",
                      BashCompletion(app));
}

std::string FishCompletion(const CLI::App& app) {
  std::string script =
      "# Completion for `activation`, by `activation completion`.\ncomplete -c activation -f\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    absl::StrAppend(&script, "complete -c activation -n __fish_use_subcommand -a ",
                    command->get_name(), " -d ", FishQuoted(command->get_description()), "\n");
    const std::string condition =
        absl::StrCat("-n '__fish_seen_subcommand_from ", command->get_name(), "'");
    absl::StrAppend(&script, FishOptions(*command, condition));
    if (TakesActivation(*command)) {
      absl::StrAppend(&script, "complete -c activation ", condition, " -a ",
                      FishQuoted(absl::StrCat("(", kNames, ")")), "\n");
    }
  }
  return absl::StrCat(script, FishOptions(app, ""),
                      "complete -c activation -n '__fish_seen_subcommand_from completion' -a "
                      "'bash zsh fish'\n");
}

}  // namespace activation::cli
