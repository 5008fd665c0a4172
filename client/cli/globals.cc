#include "client/cli/globals.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cli/values.h"

namespace activation::cli {
namespace {

absl::StatusOr<absl::Duration> ParseTimeout(const std::string& text) {
  absl::Duration timeout;
  if (!absl::ParseDuration(text, &timeout)) {
    absl::StatusOr<double> seconds = ParseNumber(text);
    timeout = seconds.ok() ? absl::Seconds(*seconds) : absl::ZeroDuration();
  }
  if (timeout > absl::ZeroDuration()) return timeout;
  return absl::InvalidArgumentError(absl::StrCat(
      "--timeout '", text, "': seconds above 0, or a duration as 500ms, 2m or inf is needed"));
}

}  // namespace

absl::StatusOr<Client> Globals::Connect(absl::Duration default_timeout) const {
  ClientOptions options{.target = target, .timeout = default_timeout};
  if (!timeout.empty()) {
    absl::StatusOr<absl::Duration> parsed = ParseTimeout(timeout);
    if (!parsed.ok()) return parsed.status();
    options.timeout = *parsed;
  }
  if (!tls.ca_file.empty() || !tls.certificate_file.empty() || !tls.key_file.empty()) {
    options.tls = tls;
  }
  return Client::Make(std::move(options));
}

void AddGlobalOptions(CLI::App& app, Globals& globals) {
  app.add_option("--target", globals.target, "Server: host:port or unix:/path")
      ->envname("ACTIVATION_TARGET")
      ->capture_default_str();
  app.add_option("--timeout", globals.timeout,
                 "Longest time for the call: seconds, or as 500ms, 2m, inf (default 60; health 2, "
                 "compare none)")
      ->type_name("TIME");
  app.add_option("--tls-ca", globals.tls.ca_file,
                 "PEM file of the authorities that may sign the server's certificate")
      ->type_name("FILE");
  app.add_option("--tls-cert", globals.tls.certificate_file,
                 "PEM file of the client's own certificate, for mutual TLS")
      ->type_name("FILE");
  app.add_option("--tls-key", globals.tls.key_file, "PEM file of its private key")
      ->type_name("FILE");
}

}  // namespace activation::cli
