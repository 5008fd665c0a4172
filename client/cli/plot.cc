#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/curves.h"
#include "client/cli/gnuplot.h"
#include "client/cli/options.h"
#include "client/cli/output.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Without --output the picture is drawn with characters. gnuplot draws it (Debian: gnuplot-nox).

--chain shows where GELU comes from, in four panels: Dirac's delta, smoothed; its integral, a smooth
step; x times the step, a smooth ReLU; and GELU, which is the one with sigma = sqrt(2).

Examples:
  activation plot gelu
  activation plot gelu silu mish elu:alpha=0.5 --from -5 --to 3 --output compared.svg
  activation plot --chain --output chain.png
  activation plot --chain --sigma 1 --sigma 0.5 --sigma 0.1 --from -2 --to 2 --output chain.pdf
  activation plot --deltas --sigma 0.5 --output deltas.png)";

struct Options {
  std::vector<std::string> names;
  std::string from = "-4";
  std::string to = "4";
  std::vector<std::string> sigmas;
  bool chain = false;
  bool deltas = false;
  std::string output_file;
};

absl::StatusOr<std::vector<double>> Sigmas(const Options& options) {
  // GELU's own first.
  if (options.sigmas.empty()) return std::vector<double>{std::sqrt(2.), 0.7, 0.3};
  std::vector<double> sigmas;
  for (const std::string& text : options.sigmas) {
    absl::StatusOr<double> sigma = ParseNumberOf("--sigma", text);
    if (!sigma.ok()) return sigma.status();
    if (!std::isfinite(*sigma) || *sigma <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--sigma ", text, ": a finite number above 0 is needed"));
    }
    sigmas.push_back(*sigma);
  }
  return sigmas;
}

absl::StatusOr<std::pair<double, double>> Range(const Options& options) {
  absl::StatusOr<double> from = ParseNumberOf("--from", options.from);
  if (!from.ok()) return from.status();
  absl::StatusOr<double> to = ParseNumberOf("--to", options.to);
  if (!to.ok()) return to.status();
  if (!std::isfinite(*from) || !std::isfinite(*to) || *from >= *to) {
    return absl::InvalidArgumentError(absl::StrCat("--from ", options.from, " --to ", options.to,
                                                   ": finite numbers are needed, the lower first"));
  }
  return std::pair(*from, *to);
}

absl::StatusOr<Picture> MakePicture(const Client& client, const Options& options) {
  absl::StatusOr<std::pair<double, double>> range = Range(options);
  if (!range.ok()) return range.status();
  absl::StatusOr<std::vector<double>> sigmas = Sigmas(options);
  if (!sigmas.ok()) return sigmas.status();
  const Sampler sampler(client, range->first, range->second);
  if (options.chain) return ChainPicture(sampler, *sigmas);
  if (options.deltas) return DeltasPicture(sampler, *sigmas);
  std::vector<Activation> activations;
  for (const std::string& name : options.names) {
    absl::StatusOr<Activation> activation = ParseActivation(name);
    if (!activation.ok()) return activation.status();
    activations.push_back(*std::move(activation));
  }
  return FunctionPicture(sampler, activations);
}

absl::Status Run(const Globals& globals, const Options& options) {
  if (options.names.empty() && !options.chain && !options.deltas) {
    return absl::InvalidArgumentError(
        "nothing to plot: name activations, or give --chain or --deltas");
  }
  absl::StatusOr<PictureType> type = PictureTypeOf(options.output_file);
  if (!type.ok()) return type.status();
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<Picture> picture = MakePicture(*client, options);
  if (!picture.ok()) return picture.status();
  return WriteIfOk(options.output_file, Draw(*picture, *type));
}

}  // namespace

Command AddPlot(CLI::App& app, const Globals& globals) {
  CLI::App* command = app.add_subcommand("plot", "Pictures of activations and their derivatives");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  CLI::Option* names = command->add_option(
      "name", options->names, "Activations, with parameters as elu:alpha=2; one or more");
  command->add_option("--from", options->from, "Lowest x")->capture_default_str();
  command->add_option("--to", options->to, "Highest x")->capture_default_str();
  command->add_option("--output", options->output_file, "Picture: .png, .svg or .pdf")
      ->type_name("FILE");
  CLI::Option* chain = command
                           ->add_flag("--chain", options->chain,
                                      "Where GELU comes from: delta, step, smooth ReLU, GELU")
                           ->excludes(names);
  command->add_flag("--deltas", options->deltas, "Dirac's delta, smoothed in four ways")
      ->excludes(names)
      ->excludes(chain);
  command
      ->add_option("--sigma", options->sigmas,
                   "Width for --chain and --deltas; repeatable (default: sqrt(2), 0.7, 0.3)")
      ->excludes(names)
      ->allow_extra_args(false);
  return {command, [&globals, options] { return Run(globals, *options); }};
}

}  // namespace activation::cli
