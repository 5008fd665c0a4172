// How a Client reaches its server. Every field has a default that works against a server on the
// same machine; Client::Make checks them all.
#ifndef ACTIVATION_CLIENT_OPTIONS_H_
#define ACTIVATION_CLIENT_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace activation {

// PEM files, read once, by Client::Make.
struct TlsOptions {
  // Certificates that may sign the server's. Empty: the system's.
  std::string ca_file = {};
  // The client's own certificate chain and its key, for mutual TLS. Both or neither.
  std::string certificate_file = {};
  std::string key_file = {};
};

// Calls that fail with UNAVAILABLE (unreachable, draining, or cut before an answer came) are sent
// again, since every call here is a pure function. A stream is sent again only while no reply has
// arrived.
struct RetryOptions {
  // Attempts in all, 1 (no retry) to 5 (the most that gRPC makes).
  int max_attempts = 4;
  // The wait before the n-th retry is random, between 0 and
  // min(initial_backoff * multiplier^(n-1), max_backoff).
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(2);
  double multiplier = 2;
};

struct ClientOptions {
  // "host:port", "unix:/path", or any other name that gRPC resolves.
  std::string target = "127.0.0.1:50051";
  // How long a call may take, retries and all chunks of a stream included; then it fails with
  // DEADLINE_EXCEEDED. absl::InfiniteDuration() for no limit.
  absl::Duration timeout = absl::Seconds(60);
  // Absent: plain text.
  std::optional<TlsOptions> tls = std::nullopt;
  RetryOptions retry = {};
  // Largest reply that is accepted, and largest request that is kept for a retry; bytes, at most
  // 2^31 - 1. The default is the server's.
  int64_t max_message_bytes = int64_t{64} << 20;
  // Tensors go over a stream, in chunks of at most this many bytes, where request or reply would be
  // larger. The default keeps both below gRPC's usual limit of 4 MiB. 8 to max_message_bytes.
  int64_t chunk_bytes = int64_t{2} << 20;
};

}  // namespace activation

#endif  // ACTIVATION_CLIENT_OPTIONS_H_
