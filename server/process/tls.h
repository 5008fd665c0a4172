// How connections are secured.
#ifndef ACTIVATION_SERVER_PROCESS_TLS_H_
#define ACTIVATION_SERVER_PROCESS_TLS_H_

#include <absl/status/statusor.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <optional>

#include "server/process/config.h"

namespace activation::server {

// Without files: connections in plain. With them: TLS 1.2 or 1.3, mutual if client_authorities is
// set. Files that change are taken up for new connections within some seconds. INVALID_ARGUMENT
// names the file that can't be read, holds no PEM of its kind, or does not fit the other.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(
    const std::optional<TlsFiles>& files);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_TLS_H_
