// Client options as a gRPC channel: credentials, retry policy, size limits.
#ifndef ACTIVATION_CLIENT_CHANNEL_H_
#define ACTIVATION_CLIENT_CHANNEL_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/options.h"
#include "grpcpp/grpcpp.h"

namespace activation {

// Checks every option and reads the TLS files. INVALID_ARGUMENT names the option at fault.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const ClientOptions& options);

// gRPC's service config, which is where it takes its retry policy from. The health service is left
// out: a health check reports, it doesn't wait for better news; and so are streams of tensors
// (retry.h).
std::string ServiceConfig(const RetryOptions& retry);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_CHANNEL_H_
