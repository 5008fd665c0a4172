// What the server tells about itself: the catalogue, its version and its limits.
#ifndef ACTIVATION_SERVER_RPC_DESCRIBE_H_
#define ACTIVATION_SERVER_RPC_DESCRIBE_H_

#include "activation/v1/activation.pb.h"
#include "server/wire/limits.h"

namespace activation::server {

v1::ListActivationsResponse ListActivations();

v1::GetServerInfoResponse GetServerInfo(const Limits& limits, int threads);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_DESCRIBE_H_
