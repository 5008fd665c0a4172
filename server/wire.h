// The wire format of Evaluate, Gradient and their streams, read from and written to gRPC's slices.
//
// A request's tensor bytes stay where they arrived: the result points at them. Everything else is
// parsed as the generated classes would: unknown fields are skipped, of a singular field the last
// one counts, messages merge, numbers may be packed or not, in any order. A reply is written into
// one slice of exactly its size, with room for the results, so that they are computed in place.
//
// The request messages of all four RPCs have the same form: field 1 holds an Evaluation or a
// GradientEvaluation, which share their fields' numbers; so do the replies.
#ifndef ACTIVATION_SERVER_WIRE_H_
#define ACTIVATION_SERVER_WIRE_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/request.h"

namespace activation::server {

enum class Cardinality : uint8_t {
  kBatch,   // field 1 is repeated
  kSingle,  // field 1 is not: where it is repeated all the same, it merges
};

// Null if the bytes are not a message. Stops after max_items + 1 items. The result points into
// `buffer`, which must outlive it.
std::optional<RawRequest> ReadRequest(const grpc::ByteBuffer& buffer, Cardinality cardinality,
                                      int64_t max_items);

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

#endif  // ACTIVATION_SERVER_WIRE_H_
