#include "client/cli/compare_options.h"

#include "client/cli/options.h"

namespace activation::cli {
namespace {

void AddCandidates(CLI::App& app, CompareOptions& options) {
  AddEach(app, "--with", options.candidates, "NAME",
          "Candidate, with parameters as elu:alpha=2,...; repeatable (default: the reference's "
          "known approximations)");
  CLI::Option* formula =
      AddEach(app, "--formula", options.formulas, "EXPR",
              "Candidate as an expression in x, rounded after each operation; repeatable");
  AddEach(app, "--formula-param", options.formula_parameters, "NAME=VALUE",
          "Value of a name in the formulas; repeatable")
      ->needs(formula);
  AddDataType(app, "--arithmetic", options.arithmetic,
              "What the formulas' operations are rounded to (default: --dtype)")
      ->needs(formula);
  app.add_flag("--fma", options.fused, "Products in the formulas' sums are not rounded first")
      ->needs(formula);
  AddEach(app, "--preset", options.presets, "PRESET",
          "Published approximation, with parameters as NAME:p=1,...; repeatable");
  AddEach(app, "--table", options.table_files, "FILE",
          "Look-up table, as JSON of the contract's Table; repeatable");
  AddEach(app, "--outputs", options.output_files, "FILE",
          "Results from elsewhere, one for each point: .npy or text; repeatable");
}

void AddDomain(CLI::App& app, CompareOptions& options) {
  CLI::Option* from = app.add_option(
      "--from", options.from, "Lowest point (default: -10, or with --every-value the lowest)");
  CLI::Option* to = app.add_option(
      "--to", options.to, "Highest point (default: 10, or with --every-value the highest)");
  CLI::Option* points =
      app.add_option("--points", options.points,
                     "How many: evenly spaced, both ends included, or samples (default: 100001)");
  CLI::Option* file =
      app.add_option("--points-file", options.points_file, "The points themselves: .npy or text")
          ->type_name("FILE")
          ->excludes(from)
          ->excludes(to)
          ->excludes(points);
  CLI::Option* every = app.add_flag("--every-value", options.every_value, "Every value of --dtype")
                           ->excludes(points)
                           ->excludes(file);
  CLI::Option* normal = app.add_option("--normal", options.normal,
                                       "Samples of a normal distribution: mean, standard deviation")
                            ->type_name("MEAN,SD")
                            ->excludes(from)
                            ->excludes(to)
                            ->excludes(file)
                            ->excludes(every);
  app.add_option("--seed", options.seed, "Other seeds give other samples (default: 0)")
      ->needs(normal);
  app.add_option("--regions", options.regions,
                 "Where the report's regions meet, ascending (default: -16,-8,-4,-2,-1,0,1,...,16)")
      ->type_name("X,X,...");
}

}  // namespace

void AddCompareOptions(CLI::App& app, CompareOptions& options) {
  app.add_option("name", options.name, "The reference: a name or alias")->required();
  AddEach(app, "--param", options.parameters, "NAME=VALUE",
          "Parameter of the reference; repeatable");
  AddCandidates(app, options);
  AddDomain(app, options);
  app.add_flag("--derivative", options.derivative, "Compare f' instead of f");
  AddDataType(app, "--dtype", options.type,
              "Type of points and candidate values (default: the .npy file's, or float64)");
}

}  // namespace activation::cli
