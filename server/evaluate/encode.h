// The engine's results in the encoding of a reply.
#ifndef ACTIVATION_SERVER_EVALUATE_ENCODE_H_
#define ACTIVATION_SERVER_EVALUATE_ENCODE_H_

#include <cstddef>

#include "proto/element_type.h"
#include "server/wire/reply.h"

namespace activation::server {

// Has run(output) write `count` packed elements of the tensor's type, and turns them into what a
// reply has there, in the same place: count times ReplyElementSize bytes from `output` on.
template <typename Run>
void RunEncoded(const ReplyTensor& tensor, size_t count, std::byte* output, Run run);

// float32 values of elements of a narrower type, each exact. `values` may begin before `elements`
// and overlap them.
void Widen(DataType type, const std::byte* elements, size_t count, std::byte* values);

template <typename Run>
void RunEncoded(const ReplyTensor& tensor, size_t count, std::byte* output, Run run) {
  const size_t size = SizeOf(tensor.type);
  if (ReplyElementSize(tensor) == size) return run(output);
  // The narrow results go to the room's end: widening from the front never overtakes them.
  std::byte* const narrow = output + count * (sizeof(float) - size);
  run(narrow);
  Widen(tensor.type, narrow, count, output);
}

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_EVALUATE_ENCODE_H_
