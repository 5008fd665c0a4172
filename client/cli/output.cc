#include "client/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/util/json_util.h"

namespace activation::cli {
namespace {

std::string Quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return absl::StrCat("\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\"");
}

}  // namespace

absl::Status Write(const std::string& path, std::string_view bytes) {
  const bool to_stdout = path.empty() || path == "-";
  const auto error = [&] {
    return absl::ErrnoToStatus(errno, to_stdout ? "cannot write to standard output"
                                                : absl::StrCat("cannot write '", path, "'"));
  };
  FILE* const file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) return error();
  absl::Status status;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fflush(file) != 0) {
    status = error();
  }
  if (!to_stdout && std::fclose(file) != 0 && status.ok()) status = error();
  return status;
}

absl::Status WriteIfOk(const std::string& path, const absl::StatusOr<std::string>& bytes) {
  return bytes.ok() ? Write(path, *bytes) : bytes.status();
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows, Align align) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t padding = widths[i] - row[i].size();
      const bool last = i + 1 == row.size();
      if (align == Align::kRight) text.append(padding, ' ');
      text += row[i];
      if (align == Align::kLeft && !last) text.append(padding, ' ');
      text += last ? "\n" : "  ";
    }
  }
  return text;
}

std::string FormatCsv(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += Quoted(row[i]);
      text += i + 1 == row.size() ? '\n' : ',';
    }
  }
  return text;
}

absl::StatusOr<std::string> FormatJson(const google::protobuf::Message& message, JsonStyle style) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = style == JsonStyle::kFull;
  options.always_print_primitive_fields = style == JsonStyle::kFull;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return absl::InternalError(status.ToString());
  if (json.empty() || json.back() != '\n') json += '\n';
  return json;
}

}  // namespace activation::cli
