// What the server tells about itself: the catalogue, its version and its limits.
#ifndef ACTIVATION_SERVER_DESCRIBE_H_
#define ACTIVATION_SERVER_DESCRIBE_H_

#include "activation/v1/activation.pb.h"
#include "server/engine/engine.h"
#include "server/limits.h"

namespace activation::server {

// Canonical name and every parameter, as replies echo them.
v1::Activation ToProto(const engine::Function& function);

v1::ParameterInfo ToProto(const engine::Parameter& parameter);

v1::ListActivationsResponse ListActivations();

v1::GetServerInfoResponse GetServerInfo(const Limits& limits, int threads);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_DESCRIBE_H_
