#include "client/cli/options.h"

#include "absl/strings/str_cat.h"
#include "client/cli/values.h"

namespace activation::cli {

CLI::Option* AddEach(CLI::App& app, const char* name, std::vector<std::string>& values,
                     const char* type, const char* description) {
  return app.add_option(name, values, description)->type_name(type)->allow_extra_args(false);
}

CLI::Option* AddDataType(CLI::App& app, const char* name, std::string& type,
                         const char* description) {
  return app.add_option(name, type, description)
      ->check(CLI::IsMember(DataTypeNames()))
      ->type_name("TYPE");
}

absl::Status OptionError(const char* option, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(option, " ", status.message()));
}

absl::StatusOr<double> ParseNumberOf(const char* option, const std::string& text) {
  absl::StatusOr<double> number = ParseNumber(text);
  if (!number.ok()) return OptionError(option, number.status());
  return number;
}

}  // namespace activation::cli
