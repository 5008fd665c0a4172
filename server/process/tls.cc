#include "server/process/tls.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string>

namespace activation::server {
namespace {

// How often the files are looked at, seconds. Reading three small files costs next to nothing.
constexpr unsigned kReloadSeconds = 2;

absl::Status Wrong(absl::string_view flag, const std::string& file, absl::string_view what) {
  const unsigned long error = ERR_peek_last_error();  // NOLINT(google-runtime-int): OpenSSL's type
  const char* reason = ERR_reason_error_string(error);
  const std::string because = reason != nullptr ? absl::StrCat(" (", reason, ")") : "";
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(flag, "=", file, ": ", what, because));
}

// gRPC itself only logs what is wrong, and then refuses each client.
absl::Status Check(const TlsFiles& files) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  SSL_CTX_free);
  if (context == nullptr) return absl::InternalError("OpenSSL gives no context");
  const std::string& chain = files.certificate_chain;
  if (SSL_CTX_use_certificate_chain_file(context.get(), chain.c_str()) != 1) {
    return Wrong("--tls-cert", chain, "not a readable PEM file with a certificate chain");
  }
  const std::string& key = files.private_key;
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Wrong("--tls-key", key,
                 absl::StrCat("not a readable PEM file with the private key of ", chain));
  }
  const std::string& authorities = files.client_authorities;
  if (!authorities.empty() &&
      SSL_CTX_load_verify_locations(context.get(), authorities.c_str(), nullptr) != 1) {
    return Wrong("--tls-client-ca", authorities, "not a readable PEM file with certificates");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(
    const std::optional<TlsFiles>& files) {
  if (!files.has_value()) return grpc::InsecureServerCredentials();
  if (absl::Status status = Check(*files); !status.ok()) return status;
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files->private_key, files->certificate_chain, files->client_authorities, kReloadSeconds));
  options.watch_identity_key_cert_pairs();
  if (!files->client_authorities.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace activation::server
