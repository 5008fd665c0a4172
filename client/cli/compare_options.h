// The options of compare that say what is compared with what, and where.
#ifndef ACTIVATION_CLIENT_CLI_COMPARE_OPTIONS_H_
#define ACTIVATION_CLIENT_CLI_COMPARE_OPTIONS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace activation::cli {

// As they stand on the command line; empty where an option is left out.
struct CompareOptions {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> candidates;
  std::vector<std::string> formulas;
  std::vector<std::string> formula_parameters;
  std::string arithmetic;
  bool fused = false;
  std::vector<std::string> presets;
  std::vector<std::string> table_files;
  std::vector<std::string> output_files;
  std::string from;
  std::string to;
  std::string points;
  std::string points_file;
  bool every_value = false;
  std::string normal;
  std::string seed;
  std::string regions;
  bool derivative = false;
  std::string type;
};

void AddCompareOptions(CLI::App& app, CompareOptions& options);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_COMPARE_OPTIONS_H_
