// Fields of the contract as numbers and tags, for read_request.cc and write_reply.cc.
#ifndef ACTIVATION_SERVER_WIRE_FIELDS_H_
#define ACTIVATION_SERVER_WIRE_FIELDS_H_

#include <google/protobuf/wire_format_lite.h>

#include <bit>
#include <cstdint>

#include "activation/v1/activation.pb.h"

namespace activation::server {

static_assert(std::endian::native == std::endian::little,
              "packed elements are little-endian, as the engine's are");

// A map's entry is a message with these.
inline constexpr int kMapKeyField = 1;
inline constexpr int kMapValueField = 2;

// A field's number together with how its value is encoded.
constexpr uint32_t Tag(int field, google::protobuf::internal::WireFormatLite::WireType type) {
  return google::protobuf::internal::WireFormatLite::MakeTag(field, type);
}
constexpr uint32_t VarintTag(int field) {
  return Tag(field, google::protobuf::internal::WireFormatLite::WIRETYPE_VARINT);
}
constexpr uint32_t Fixed32Tag(int field) {
  return Tag(field, google::protobuf::internal::WireFormatLite::WIRETYPE_FIXED32);
}
constexpr uint32_t Fixed64Tag(int field) {
  return Tag(field, google::protobuf::internal::WireFormatLite::WIRETYPE_FIXED64);
}
constexpr uint32_t LengthTag(int field) {
  return Tag(field, google::protobuf::internal::WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_WIRE_FIELDS_H_
