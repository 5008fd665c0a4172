#include "server/process/command_line.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>

namespace activation::server {
namespace {

constexpr char kDescription[] =
    "Serves activation functions over gRPC: values and derivatives, correctly rounded.\n"
    "Stops on SIGTERM or SIGINT: first health says NOT_SERVING for the time of --lame-duck, then "
    "calls in\n"
    "flight may end within --shutdown-timeout. Each further signal cuts the step under way short.";

constexpr char kFooter[] =
    "Each flag can be set in the environment, as ACTIVATION_LISTEN; the command line wins.\n"
    "Exit status: 0 after a drain, 1 if the server can't start, 2 if a flag is wrong.\n"
    "\n"
    "Examples:\n"
    "  activation-server --listen=127.0.0.1:50051 --metrics-listen=127.0.0.1:9464\n"
    "  activation-server --listen=unix:/run/activation.sock --metrics-listen=off\n"
    "  activation-server --tls-cert=server.crt --tls-key=server.key --tls-client-ca=clients.crt";

std::string EnvironmentTwin(absl::string_view flag) {
  return absl::StrCat("ACTIVATION",
                      absl::AsciiStrToUpper(absl::StrReplaceAll(flag.substr(1), {{"-", "_"}})));
}

}  // namespace

std::variant<Config, int> ParseCommandLine(int argc, char** argv) {
  Flags flags;
  CLI::App app(kDescription, "activation-server");
  app.footer(kFooter);
  app.set_version_flag("--version", "activation-server " ACTIVATION_VERSION);
  const auto add = [&app](const char* group, const char* name, auto& target, const char* type,
                          const std::string& help) {
    return app.add_option(name, target, help)
        ->group(group)
        ->type_name(type)
        ->envname(EnvironmentTwin(name))
        ->capture_default_str();
  };
  constexpr char kServing[] = "Serving";
  add(kServing, "--listen", flags.listen, "ADDRESS",
      "Where to serve: host:port, [ipv6]:port or unix:/path; may be repeated, or with commas.\n"
      "0.0.0.0 and [::] mean every interface, IPv4 and IPv6; port 0 means any free one")
      ->delimiter(',')
      ->allow_extra_args(false);
  add(kServing, "--metrics-listen", flags.metrics_listen, "ADDRESS",
      "Where Prometheus finds /metrics: host:port over IPv4, or off");
  add(kServing, "--reflection", flags.reflection, "on|off",
      "Whether clients may ask for the service's descriptors");
  constexpr char kSecurity[] = "Security (files are read again when they change)";
  add(kSecurity, "--tls-cert", flags.tls_cert, "FILE", "Certificate chain, PEM; turns on TLS");
  add(kSecurity, "--tls-key", flags.tls_key, "FILE", "Its private key, PEM");
  add(kSecurity, "--tls-client-ca", flags.tls_client_ca, "FILE",
      "Authorities, PEM; a client must show a certificate that one of them signed");
  constexpr char kStopping[] = "Stopping";
  add(kStopping, "--lame-duck", flags.lame_duck, "TIME",
      "Time to serve on after a signal, with health at NOT_SERVING; 0s to 1h");
  add(kStopping, "--shutdown-timeout", flags.shutdown_timeout, "TIME",
      "Time that calls in flight then have until they are cancelled; 0s to 1h");
  const std::span<const NumberFlag> numbers = NumberFlags();
  for (size_t i = 0; i < numbers.size(); ++i) {
    const NumberFlag& flag = numbers[i];
    add("Limits", flag.name, flags.numbers[i], flag.bytes ? "BYTES" : "N",
        absl::StrCat(flag.help, "; ", flag.minimum, " to ", flag.maximum));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool wrong = app.exit(error) != 0;
    return wrong ? kUsageExitCode : 0;
  }
  absl::StatusOr<Config> config = Config::Make(flags);
  if (config.ok()) return *std::move(config);
  std::cerr << config.status().message() << "\nRun with --help for more information.\n";
  return kUsageExitCode;
}

}  // namespace activation::server
