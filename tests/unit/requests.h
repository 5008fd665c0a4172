// Requests for tests: as text, as bytes in slices, as read from them.
#ifndef ACTIVATION_TESTS_UNIT_REQUESTS_H_
#define ACTIVATION_TESTS_UNIT_REQUESTS_H_

#include <google/protobuf/text_format.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/wire/read_request.h"
#include "server/wire/write_reply.h"

namespace activation::server {

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// The bytes as they may arrive: in slices of at most `slice_size` bytes, the first one shorter.
inline grpc::ByteBuffer InSlices(const std::string& bytes, size_t slice_size) {
  std::vector<grpc::Slice> slices;
  size_t end = 0;
  for (size_t at = 0; at < bytes.size(); at = end) {
    end = std::min(bytes.size(), at == 0 ? (slice_size + 1) / 2 : at + slice_size);
    slices.emplace_back(bytes.data() + at, end - at);
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

inline std::string BytesOf(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  EXPECT_TRUE(buffer.DumpToSingleSlice(&slice).ok());
  return std::string(reinterpret_cast<const char*>(slice.begin()), slice.size());
}

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_UNIT_REQUESTS_H_
