#include "client/channel.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/read_file.h"

namespace activation {
namespace {

// gRPC makes no more attempts than this, whatever it is asked for.
constexpr int kMaxAttempts = 5;

// What a chunk may add to its elements: names, parameters, shape. chunk_bytes must hold one
// element.
constexpr int64_t kMinChunkBytes = 8;

absl::Status Check(const ClientOptions& options) {
  const RetryOptions& retry = options.retry;
  const struct {
    bool ok;
    const char* message;
  } rules[] = {
      {!options.target.empty(), "target: empty; host:port or unix:/path is needed"},
      {options.timeout > absl::ZeroDuration(), "timeout: must be above 0"},
      {retry.max_attempts >= 1 && retry.max_attempts <= kMaxAttempts,
       "retry.max_attempts: must be 1 to 5"},
      {retry.initial_backoff > absl::ZeroDuration(), "retry.initial_backoff: must be above 0"},
      {retry.max_backoff >= retry.initial_backoff && retry.max_backoff < absl::InfiniteDuration(),
       "retry.max_backoff: must be finite and not below initial_backoff"},
      {retry.multiplier >= 1 && retry.multiplier <= 100, "retry.multiplier: must be 1 to 100"},
      {options.chunk_bytes >= kMinChunkBytes, "chunk_bytes: must be at least 8"},
      {options.max_message_bytes >= options.chunk_bytes &&
           options.max_message_bytes <= std::numeric_limits<int32_t>::max(),
       "max_message_bytes: must be chunk_bytes to 2^31 - 1"},
      {!options.tls.has_value() ||
           options.tls->certificate_file.empty() == options.tls->key_file.empty(),
       "tls: certificate_file and key_file belong together; give both or neither"},
  };
  for (const auto& rule : rules) {
    if (!rule.ok) return absl::InvalidArgumentError(rule.message);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const std::optional<TlsOptions>& tls) {
  if (!tls.has_value()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions pem;
  const struct {
    const std::string& file;
    std::string& text;
  } files[] = {
      {tls->ca_file, pem.pem_root_certs},
      {tls->certificate_file, pem.pem_cert_chain},
      {tls->key_file, pem.pem_private_key},
  };
  for (const auto& [file, text] : files) {
    if (file.empty()) continue;
    absl::StatusOr<std::string> bytes = ReadFile(file);
    if (!bytes.ok()) return bytes.status();
    if (!absl::StrContains(*bytes, "-----BEGIN ")) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", file, "' is not a PEM file: it has no -----BEGIN line"));
    }
    text = *std::move(bytes);
  }
  return grpc::SslCredentials(pem);
}

}  // namespace

std::string ServiceConfig(const RetryOptions& retry) {
  if (retry.max_attempts < 2) return "{}";
  return absl::StrFormat(
      R"({"methodConfig": [{
        "name": [
          {"service": "activation.v1.ActivationService", "method": "EvaluateStream"},
          {"service": "activation.v1.ActivationService", "method": "GradientStream"}
        ]
      }, {
        "name": [{"service": "activation.v1.ActivationService"}],
        "retryPolicy": {
          "maxAttempts": %d, "initialBackoff": "%.9fs", "maxBackoff": "%.9fs",
          "backoffMultiplier": %g, "retryableStatusCodes": ["UNAVAILABLE"]
        }
      }]})",
      retry.max_attempts, absl::ToDoubleSeconds(retry.initial_backoff),
      absl::ToDoubleSeconds(retry.max_backoff), retry.multiplier);
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const ClientOptions& options) {
  if (absl::Status status = Check(options); !status.ok()) return status;
  absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials = Credentials(options.tls);
  if (!credentials.ok()) return credentials.status();

  const int max_message_bytes = static_cast<int>(options.max_message_bytes);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(max_message_bytes);
  arguments.SetServiceConfigJSON(ServiceConfig(options.retry));
  // A request that doesn't fit this buffer (256 KiB by default) is not retried.
  arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, max_message_bytes);
  return grpc::CreateCustomChannel(options.target, *credentials, arguments);
}

}  // namespace activation
