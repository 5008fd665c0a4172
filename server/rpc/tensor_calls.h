// Evaluate and Gradient, and their streams: a chunk in, its result out, one after the other.
#ifndef ACTIVATION_SERVER_RPC_TENSOR_CALLS_H_
#define ACTIVATION_SERVER_RPC_TENSOR_CALLS_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/evaluate/plan.h"
#include "server/rpc/backend.h"

namespace activation::server {

// The reactors of one call each; they delete themselves.
grpc::ServerUnaryReactor* ServeUnary(const RequestKind& kind, const grpc::ByteBuffer& request,
                                     grpc::ByteBuffer& response, Backend& backend);

// The next chunk is received while a result is sent, but not computed before that is done, so that
// a call holds at most two chunks and one result.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServeStream(const RequestKind& kind,
                                                                         Backend& backend);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_TENSOR_CALLS_H_
