// The forms of a command's result. Each command has a table of them; a new form is a row there.
#ifndef ACTIVATION_CLIENT_CLI_FORMATS_H_
#define ACTIVATION_CLIENT_CLI_FORMATS_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/output.h"

namespace activation::cli {

template <class Result>
struct Format {
  // As --format takes it.
  const char* name;
  absl::StatusOr<std::string> (*render)(const Result& result);
};

// The row for a message as the contract has it.
template <class Message>
inline constexpr Format<Message> kJson = {
    "json", [](const Message& message) { return FormatJson(message, JsonStyle::kFull); }};

// Row has a name.
template <class Row, size_t kCount>
std::vector<std::string> NamesOf(std::span<const Row, kCount> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

template <class Result, size_t kCount>
CLI::Option* AddFormat(CLI::App& app, std::span<const Format<Result>, kCount> formats,
                       std::string& name, const char* description) {
  return app.add_option("--format", name, description)
      ->check(CLI::IsMember(NamesOf(formats)))
      ->type_name("FORMAT")
      ->capture_default_str();
}

// In the form of this name, which must be one of them.
template <class Result, size_t kCount>
absl::StatusOr<std::string> Render(std::span<const Format<Result>, kCount> formats,
                                   const std::string& name, const Result& result) {
  return std::find_if(formats.begin(), formats.end(),
                      [&](const Format<Result>& format) { return name == format.name; })
      ->render(result);
}

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_FORMATS_H_
