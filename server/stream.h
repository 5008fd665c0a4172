// EvaluateStream and GradientStream: a chunk in, its result out, one after the other.
#ifndef ACTIVATION_SERVER_STREAM_H_
#define ACTIVATION_SERVER_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/answer.h"
#include "server/plan.h"

namespace activation::server {

// The reactor of one call; it deletes itself. The next chunk is received while a result is sent,
// but not computed before that is done, so that a call holds at most two chunks and one result.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ServeStream(const RequestKind& kind,
                                                                         Backend& backend);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_STREAM_H_
