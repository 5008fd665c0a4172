// The wire format of the requests of Evaluate, Gradient and their streams, read from gRPC's slices.
//
// A tensor's bytes stay where they arrived: the result points at them. Everything else is parsed as
// the generated classes would: unknown fields are skipped, of a singular field the last one counts,
// messages merge, numbers may be packed or not, in any order.
//
// The request messages of all four RPCs have the same form: field 1 holds an Evaluation or a
// GradientEvaluation, which share their fields' numbers.
#ifndef ACTIVATION_SERVER_WIRE_READ_REQUEST_H_
#define ACTIVATION_SERVER_WIRE_READ_REQUEST_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>

#include "server/wire/request.h"

namespace activation::server {

enum class Cardinality : uint8_t {
  kBatch,   // field 1 is repeated
  kSingle,  // field 1 is not: where it is repeated all the same, it merges
};

// Null if the bytes are not a message. Stops after max_items + 1 items. The result points into
// `buffer`, which must outlive it.
std::optional<RawRequest> ReadRequest(const grpc::ByteBuffer& buffer, Cardinality cardinality,
                                      int64_t max_items);

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_READ_REQUEST_H_
