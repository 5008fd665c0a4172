#include "server/process/config.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace activation::server {
namespace {

constexpr NumberFlag kNumberFlags[] = {
    {"--threads", "Threads that compute, and as many for comparisons; default: one per processor",
     false, 1, 1'024, [](Settings& s) -> int64_t& { return s.threads; }},
    // gRPC counts a message's bytes in 31 bits.
    {"--max-message-bytes", "Largest request and largest reply", true, 1'024, int64_t{1} << 30,
     [](Settings& s) -> int64_t& { return s.limits.max_message_bytes; }},
    {"--max-batch-items", "Most items in a batch", false, 1, 1'000'000,
     [](Settings& s) -> int64_t& { return s.limits.max_batch_items; }},
    {"--max-compare-points", "Most points of one comparison", false, 1, 100'000'000'000,
     [](Settings& s) -> int64_t& { return s.limits.max_compare_points; }},
    {"--max-compare-candidates", "Most candidates of one comparison", false, 1, 1'024,
     [](Settings& s) -> int64_t& { return s.limits.max_compare_candidates; }},
    {"--max-pending-bytes", "Most bytes of requests waiting or in work", true, 1'024,
     int64_t{1} << 40, [](Settings& s) -> int64_t& { return s.limits.max_pending_bytes; }},
};

constexpr absl::Duration kMaxWait = absl::Hours(1);

absl::Status Wrong(absl::string_view flag, absl::string_view value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, "=", value, ": ", what));
}

absl::StatusOr<ListenAddress> ParseAddress(absl::string_view flag, absl::string_view value) {
  absl::StatusOr<ListenAddress> address = ListenAddress::Parse(value);
  return address.ok() ? address : Wrong(flag, value, address.status().message());
}

absl::StatusOr<int64_t> ParseNumber(const NumberFlag& flag, absl::string_view value) {
  constexpr std::pair<absl::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  absl::string_view digits = value;
  int shift = 0;
  for (const auto& [unit, unit_shift] : kUnits) {
    if (flag.bytes && shift == 0 && absl::ConsumeSuffix(&digits, unit)) shift = unit_shift;
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) || number < flag.minimum >> shift ||
      number > flag.maximum >> shift || (number << shift) < flag.minimum) {
    return Wrong(flag.name, value,
                 absl::StrCat("it must be ", flag.bytes ? "a number of bytes" : "a whole number",
                              " from ", flag.minimum, " to ", flag.maximum,
                              flag.bytes ? ", also as 4KiB, 4MiB or 4GiB" : ""));
  }
  return number << shift;
}

absl::StatusOr<absl::Duration> ParseWait(absl::string_view flag, absl::string_view value) {
  absl::Duration wait;
  if (!absl::ParseDuration(value, &wait) || wait < absl::ZeroDuration() || wait > kMaxWait) {
    return Wrong(flag, value, "it must be a time from 0s to 1h, as 5s, 500ms or 1m30s");
  }
  return wait;
}

absl::StatusOr<std::optional<TlsFiles>> ParseTls(const Flags& flags) {
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    return flags.tls_key.empty()
               ? Wrong("--tls-cert", flags.tls_cert, "--tls-key must be given as well")
               : Wrong("--tls-key", flags.tls_key, "--tls-cert must be given as well");
  }
  if (flags.tls_cert.empty() && !flags.tls_client_ca.empty()) {
    return Wrong("--tls-client-ca", flags.tls_client_ca,
                 "--tls-cert and --tls-key must be given as well");
  }
  if (flags.tls_cert.empty()) return std::nullopt;
  return TlsFiles{flags.tls_cert, flags.tls_key, flags.tls_client_ca};
}

}  // namespace

std::span<const NumberFlag> NumberFlags() { return kNumberFlags; }

Flags::Flags() {
  Settings defaults;
  defaults.threads = std::clamp<int64_t>(std::thread::hardware_concurrency(),
                                         kNumberFlags[0].minimum, kNumberFlags[0].maximum);
  for (const NumberFlag& flag : kNumberFlags) {
    numbers.push_back(absl::StrCat(flag.field(defaults)));
  }
}

absl::StatusOr<Config> Config::Make(const Flags& flags) {
  Settings settings;
  for (const std::string& value : flags.listen) {
    absl::StatusOr<ListenAddress> address = ParseAddress("--listen", value);
    if (!address.ok()) return address.status();
    settings.listen.push_back(*std::move(address));
  }
  if (flags.metrics_listen != "off") {
    absl::StatusOr<ListenAddress> address = ParseAddress("--metrics-listen", flags.metrics_listen);
    if (!address.ok()) return address.status();
    // Prometheus reads no unix socket, and Debian's civetweb, which serves it, has no IPv6.
    if (address->is_unix() || flags.metrics_listen.front() == '[') {
      return Wrong("--metrics-listen", flags.metrics_listen,
                   "it must be a host name or IPv4 address and a port, or off");
    }
    settings.metrics_listen = *std::move(address);
  }
  for (size_t i = 0; i < std::size(kNumberFlags); ++i) {
    absl::StatusOr<int64_t> number = ParseNumber(kNumberFlags[i], flags.numbers[i]);
    if (!number.ok()) return number.status();
    kNumberFlags[i].field(settings) = *number;
  }
  const Limits& limits = settings.limits;
  if (limits.max_pending_bytes < limits.max_message_bytes) {
    return Wrong("--max-pending-bytes", absl::StrCat(limits.max_pending_bytes),
                 absl::StrCat("it must be at least --max-message-bytes, ", limits.max_message_bytes,
                              ", for such a message to be served"));
  }
  absl::StatusOr<std::optional<TlsFiles>> tls = ParseTls(flags);
  if (!tls.ok()) return tls.status();
  settings.tls = *std::move(tls);
  if (flags.reflection != "on" && flags.reflection != "off") {
    return Wrong("--reflection", flags.reflection, "it must be on or off");
  }
  settings.reflection = flags.reflection == "on";
  absl::StatusOr<absl::Duration> lame_duck = ParseWait("--lame-duck", flags.lame_duck);
  if (!lame_duck.ok()) return lame_duck.status();
  settings.lame_duck = *lame_duck;
  absl::StatusOr<absl::Duration> timeout = ParseWait("--shutdown-timeout", flags.shutdown_timeout);
  if (!timeout.ok()) return timeout.status();
  settings.shutdown_timeout = *timeout;
  return Config(std::move(settings));
}

}  // namespace activation::server
