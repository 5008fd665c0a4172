#include <memory>
#include <span>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/command.h"
#include "client/cli/formats.h"
#include "client/cli/output.h"

namespace activation::cli {
namespace {

constexpr char kExamples[] = R"(
Examples:
  activation info
  activation --target prod:443 --tls-ca ca.pem info --format json)";

// DATA_TYPE_FLOAT32 as --dtype takes it: float32.
std::string TypeName(int type) {
  const std::string& name = v1::DataType_Name(static_cast<v1::DataType>(type));
  return absl::AsciiStrToLower(absl::StripPrefix(name, "DATA_TYPE_"));
}

absl::StatusOr<std::string> RenderTable(const v1::GetServerInfoResponse& info) {
  const v1::Limits& limits = info.limits();
  return FormatTable(
      {
          {"version", info.version()},
          {"instruction set", info.simd_target()},
          {"threads", absl::StrCat(info.threads())},
          {"data types",
           absl::StrJoin(info.data_types(), ", ",
                         [](std::string* out, int type) { out->append(TypeName(type)); })},
          {"largest message", absl::StrCat(limits.max_message_bytes(), " bytes")},
          {"most items in a batch", absl::StrCat(limits.max_batch_items())},
          {"most extents in a shape", absl::StrCat(limits.max_rank())},
          {"most points of a comparison", absl::StrCat(limits.max_compare_points())},
          {"most candidates", absl::StrCat(limits.max_compare_candidates())},
          {"most pending", absl::StrCat(limits.max_pending_bytes(), " bytes")},
      },
      Align::kLeft);
}

constexpr Format<v1::GetServerInfoResponse> kFormats[] = {
    {"table", RenderTable},
    kJson<v1::GetServerInfoResponse>,
};

absl::Status Run(const Globals& globals, const std::string& format) {
  absl::StatusOr<Client> client = globals.Connect();
  if (!client.ok()) return client.status();
  absl::StatusOr<v1::GetServerInfoResponse> info = client->Info();
  if (!info.ok()) return info.status();
  return WriteIfOk("-", Render(std::span(kFormats), format, *info));
}

}  // namespace

Command AddInfo(CLI::App& app, const Globals& globals) {
  CLI::App* command =
      app.add_subcommand("info", "Version, instruction set and limits of the server");
  command->footer(kExamples);
  const auto format = std::make_shared<std::string>("table");
  AddFormat(*command, std::span(kFormats), *format, "Form of the answer");
  return {command, [&globals, format] { return Run(globals, *format); }};
}

}  // namespace activation::cli
