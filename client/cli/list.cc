#include <memory>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/catalogue.h"
#include "client/cli/command.h"
#include "client/cli/formats.h"
#include "client/cli/output.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation list
  activation list gelu
  activation list --names
  activation list gelu --format json
  activation list --presets
  activation list gelu_ibert)";

struct Options {
  std::string name;
  bool names = false;
  bool presets = false;
  std::string format = "table";
};

using Parameters = google::protobuf::RepeatedPtrField<v1::ParameterInfo>;

std::string Defaults(const Parameters& parameters) {
  return absl::StrJoin(parameters, ",", [](std::string* out, const v1::ParameterInfo& parameter) {
    absl::StrAppend(out, parameter.name(), "=", FormatNumber(parameter.default_value()));
  });
}

// The catalogue, or only its presets.
struct Listing {
  v1::ListActivationsResponse catalogue;
  bool presets = false;
};

absl::StatusOr<std::string> RenderTable(const Listing& listing) {
  std::vector<std::vector<std::string>> rows = {{"name", "parameters", "description"}};
  if (!listing.presets) {
    for (const v1::ActivationInfo& info : listing.catalogue.activations()) {
      rows.push_back({info.name(), Defaults(info.parameters()), info.description()});
    }
    return FormatTable(rows, Align::kLeft);
  }
  rows[0].insert(rows[0].begin() + 1, "for");
  for (const v1::PresetInfo& info : listing.catalogue.presets()) {
    rows.push_back({info.name(), info.reference().empty() ? "any" : info.reference(),
                    Defaults(info.parameters()), info.description()});
  }
  return FormatTable(rows, Align::kLeft);
}

// The whole reply, where not only the presets are asked for.
absl::StatusOr<std::string> RenderJson(const Listing& listing) {
  v1::ListActivationsResponse catalogue = listing.catalogue;
  if (listing.presets) catalogue.clear_activations();
  return FormatJson(catalogue, JsonStyle::kFull);
}

std::string RenderNames(const Listing& listing) {
  std::string names;
  const auto add = [&](const auto& infos) {
    for (const auto& info : infos) absl::StrAppend(&names, info.name(), "\n");
  };
  if (listing.presets) {
    add(listing.catalogue.presets());
  } else {
    add(listing.catalogue.activations());
  }
  return names;
}

// Empty for the usual kind.
std::string DescribeKind(v1::ActivationKind kind) {
  if (kind == v1::ACTIVATION_KIND_ROW) return "row function, along --axis";
  if (kind == v1::ACTIVATION_KIND_GATED_ROW) return "gated row function, halves --axis";
  return "";
}

void AddParameters(const Parameters& parameters, std::vector<std::vector<std::string>>& rows) {
  for (const v1::ParameterInfo& parameter : parameters) {
    rows.push_back(
        {absl::StrCat("parameter ", parameter.name()),
         absl::StrCat("default ", FormatNumber(parameter.default_value()), ", from ",
                      FormatNumber(parameter.minimum()), " to ", FormatNumber(parameter.maximum()),
                      parameter.nonzero() ? ", not 0" : "",
                      parameter.at_most().empty() ? "" : ", at most ", parameter.at_most(), ": ",
                      parameter.description())});
  }
}

// Without the rows that say nothing.
std::string FormatDetails(std::vector<std::vector<std::string>> rows) {
  std::erase_if(rows, [](const std::vector<std::string>& row) { return row[1].empty(); });
  return FormatTable(rows, Align::kLeft);
}

absl::StatusOr<std::string> RenderDetails(const v1::PresetInfo& info) {
  std::vector<std::vector<std::string>> rows = {
      {"name", info.name()},
      {"description", info.description()},
      {"kind", info.formula().empty() ? "preset for compare: a table" : "preset for compare"},
      {"approximates", info.reference().empty() ? "any activation" : info.reference()},
      {"source", info.source()},
      {"formula", info.formula()},
  };
  AddParameters(info.parameters(), rows);
  return FormatDetails(std::move(rows));
}

absl::StatusOr<std::string> RenderDetails(const v1::ActivationInfo& info) {
  std::vector<std::vector<std::string>> rows = {
      {"name", info.name()},
      {"description", info.description()},
      {"aliases", absl::StrJoin(info.aliases(), ", ")},
      {"kind", DescribeKind(info.kind())},
      {"f(x)", info.formula()},
      {"f'(x)", info.derivative()},
      {"approximations", absl::StrJoin(info.approximations(), ", ")},
  };
  AddParameters(info.parameters(), rows);
  for (const v1::AliasDefaults& alias : info.alias_defaults()) {
    // In the parameters' order, which a map does not keep.
    std::vector<std::string> defaults;
    for (const v1::ParameterInfo& parameter : info.parameters()) {
      const auto found = alias.parameters().find(parameter.name());
      if (found == alias.parameters().end()) continue;
      defaults.push_back(absl::StrCat(parameter.name(), " ", FormatNumber(found->second)));
    }
    rows.push_back({absl::StrCat("as ", alias.alias()),
                    absl::StrCat("default ", absl::StrJoin(defaults, ", "))});
  }
  for (const v1::Kink& kink : info.kinks()) {
    rows.push_back(
        {absl::StrCat("kink at ", kink.at()), absl::StrCat("f' is ", kink.derivative())});
  }
  for (const v1::SpecialValue& special : info.special_values()) {
    rows.push_back({absl::StrCat("at ", FormatNumber(special.x())),
                    absl::StrCat("f is ", FormatNumber(special.value()), ", f' is ",
                                 FormatNumber(special.derivative()))});
  }
  return FormatDetails(std::move(rows));
}

constexpr Format<Listing> kFormats[] = {{"table", RenderTable}, {"json", RenderJson}};
// The same, for one activation or preset.
template <class Info>
constexpr Format<Info> kDetailFormats[] = {{"table", RenderDetails}, kJson<Info>};

template <class Info>
absl::StatusOr<std::string> RenderOne(const Info& info, const Options& options) {
  return Render(std::span(kDetailFormats<Info>), options.format, info);
}

absl::StatusOr<std::string> RenderNamed(const v1::ListActivationsResponse& catalogue,
                                        const Options& options) {
  const absl::StatusOr<v1::ActivationInfo> activation = FindActivation(catalogue, options.name);
  if (activation.ok()) return RenderOne(*activation, options);
  for (const v1::PresetInfo& info : catalogue.presets()) {
    if (info.name() == options.name) return RenderOne(info, options);
  }
  return absl::NotFoundError(absl::StrCat(
      "no activation or preset is named '", options.name,
      "'; `activation list --names` prints all names, with --presets those of presets"));
}

absl::StatusOr<std::string> RenderAsked(v1::ListActivationsResponse catalogue,
                                        const Options& options) {
  if (!options.name.empty()) return RenderNamed(catalogue, options);
  const Listing listing{.catalogue = std::move(catalogue), .presets = options.presets};
  if (options.names) return RenderNames(listing);
  return Render(std::span(kFormats), options.format, listing);
}

absl::Status Run(const Globals& globals, const Options& options) {
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<v1::ListActivationsResponse> catalogue = client->List();
  if (!catalogue.ok()) return catalogue.status();
  return WriteIfOk("-", RenderAsked(*std::move(catalogue), options));
}

}  // namespace

Command AddList(CLI::App& app, const Globals& globals) {
  CLI::App* command =
      app.add_subcommand("list", "The activations and presets that the server knows");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  CLI::Option* name =
      command->add_option("name", options->name, "Everything about this one: a name or alias");
  CLI::Option* format =
      AddFormat(*command, std::span(kFormats), options->format, "Form of the list");
  command
      ->add_flag("--presets", options->presets,
                 "Published approximations for `activation compare`, not activations")
      ->excludes(name);
  command->add_flag("--names", options->names, "Only the names, one a line")
      ->excludes(name)
      ->excludes(format);
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
