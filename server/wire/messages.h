// Between the generated messages and our own types, for RPCs that are read and written by protobuf.
#ifndef ACTIVATION_SERVER_WIRE_MESSAGES_H_
#define ACTIVATION_SERVER_WIRE_MESSAGES_H_

#include "activation/v1/activation.pb.h"
#include "server/engine/engine.h"
#include "server/wire/request.h"

namespace activation::server {

// With the bounds of request.h; a tensor's data is borrowed. Of parameter tensors, which no such
// RPC takes, one without values stands for all.
RawTensor ToRaw(const v1::Tensor& message);
RawActivation ToRaw(const v1::Activation& message);

// Canonical name and every parameter, as replies echo them.
v1::Activation ToProto(const engine::Function& function);
v1::ParameterInfo ToProto(const engine::Parameter& parameter);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_MESSAGES_H_
