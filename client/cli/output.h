// Where results go, and in which form.
#ifndef ACTIVATION_CLIENT_CLI_OUTPUT_H_
#define ACTIVATION_CLIENT_CLI_OUTPUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace activation::cli {

// Writes all of it to the file, or to standard output for "" and "-". An error names the file and
// the reason.
absl::Status Write(const std::string& path, std::string_view bytes);

// The same, or the error in place of the bytes.
absl::Status WriteIfOk(const std::string& path, const absl::StatusOr<std::string>& bytes);

enum class Align { kLeft, kRight };

// Rows of cells as lines of columns, two blanks apart; the first row is the heading.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows, Align align);

// Rows of cells as comma-separated lines; cells are quoted where they need it (RFC 4180).
std::string FormatCsv(const std::vector<std::vector<std::string>>& rows);

// The proto3 JSON mapping. Compact: one line, fields with default values left out. Full: indented,
// every field.
enum class JsonStyle { kCompact, kFull };
absl::StatusOr<std::string> FormatJson(const google::protobuf::Message& message, JsonStyle style);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_OUTPUT_H_
