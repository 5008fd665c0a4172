// The server's settings, from flags as text to values that are known to be right.
//
// `activation-server --help` lists the flags with their defaults and ranges; see command_line.h.
#ifndef ACTIVATION_SERVER_PROCESS_CONFIG_H_
#define ACTIVATION_SERVER_PROCESS_CONFIG_H_

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/process/listen_address.h"
#include "server/wire/limits.h"

namespace activation::server {

// PEM files. They are read again when they change.
struct TlsFiles {
  std::string certificate_chain;
  std::string private_key;
  // The authorities that sign clients' certificates. Empty: clients show none.
  std::string client_authorities;
};

struct Settings {
  // At least one.
  std::vector<ListenAddress> listen;
  // Where Prometheus finds the metrics, over IPv4. None: they are not served.
  std::optional<ListenAddress> metrics_listen;
  // Threads that compute.
  int64_t threads = 1;
  Limits limits;
  // None: connections are not encrypted.
  std::optional<TlsFiles> tls;
  // Whether clients may ask for the service's descriptors.
  bool reflection = true;
  // After the first signal: how long to serve on while health says NOT_SERVING.
  absl::Duration lame_duck;
  // After the lame duck: how long calls in flight may go on before they are cancelled.
  absl::Duration shutdown_timeout;
};

// What the flags say, unchecked; the values here are the defaults.
struct Flags {
  std::vector<std::string> listen = {"0.0.0.0:50051"};
  std::string metrics_listen = "0.0.0.0:9464";
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;
  std::string reflection = "on";
  // 5 s + 20 s is within the 30 s that Kubernetes waits before it kills. 5 s: endpoints and health
  // watchers need a second or two to hear that this server leaves.
  std::string lame_duck = "5s";
  std::string shutdown_timeout = "20s";
  // In the order of NumberFlags(), each with its default.
  std::vector<std::string> numbers;

  Flags();
};

// Settings of which each was checked, also against the others.
class Config {
 public:
  // INVALID_ARGUMENT names the flag, its value and what would be right.
  static absl::StatusOr<Config> Make(const Flags& flags);

  const Settings* operator->() const { return &settings_; }

 private:
  explicit Config(Settings settings) : settings_(std::move(settings)) {}

  Settings settings_;
};

// A flag that sets a number.
struct NumberFlag {
  const char* name;
  const char* help;
  // Whether it counts bytes, and so may end in KiB, MiB or GiB.
  bool bytes;
  int64_t minimum;
  int64_t maximum;
  int64_t& (*field)(Settings&);
};

// All of them, in the order of --help.
std::span<const NumberFlag> NumberFlags();

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_CONFIG_H_
