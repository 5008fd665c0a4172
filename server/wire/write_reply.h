// The wire format of the replies of Evaluate, Gradient and their streams.
//
// A reply is written into one slice of exactly its size, with room for the results, so that they
// are computed in place. The replies of all four RPCs have the same form: field 1 holds an
// EvaluationResult or a GradientResult, which share their fields' numbers.
#ifndef ACTIVATION_SERVER_WIRE_WRITE_REPLY_H_
#define ACTIVATION_SERVER_WIRE_WRITE_REPLY_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <span>
#include <vector>

#include "server/wire/reply.h"

namespace activation::server {

// The size of a reply with these results, bytes.
int64_t ReplySize(std::span<const ReplyItem> items);

struct Reply {
  grpc::ByteBuffer buffer;
  // One for each item; they point into `buffer`.
  std::vector<Destination> destinations;
};

// A reply that is complete but for its results. Its size must be below 2 GiB. Throws
// std::bad_alloc.
Reply MakeReply(std::span<const ReplyItem> items);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_WRITE_REPLY_H_
