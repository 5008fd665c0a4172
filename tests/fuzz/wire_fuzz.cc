// Any bytes as a request: the server's own reader must accept what the generated classes accept,
// and no more. Differences that are known, each with its reason:
//
// Fields 4 to 6: the reader takes each Evaluation for a GradientEvaluation, and refuses these where
// they are damaged, which the generated class of an Evaluation, that lacks them, passes over.
//
// Groups, which are always unknown fields: the two do not count the depth alike, nor a tag's bytes.
//
// The first byte chooses the message and the size of the slices in which the rest arrives.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "activation/v1/activation.pb.h"
#include "server/wire/read_request.h"

namespace activation::server {
namespace {

// More than the bytes can hold.
constexpr int64_t kMaxItems = 1'000'000;

grpc::ByteBuffer InSlices(std::span<const uint8_t> bytes, size_t slice_size) {
  std::vector<grpc::Slice> slices;
  for (size_t i = 0; i < bytes.size(); i += slice_size) {
    const auto slice = bytes.subspan(i, std::min(slice_size, bytes.size() - i));
    slices.emplace_back(slice.data(), slice.size());
  }
  return {slices.data(), slices.size()};
}

// Whether a group begins in these bytes, or in a field of theirs if that were a message.
bool HasGroup(std::span<const uint8_t> bytes) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  while (const uint32_t tag = in.ReadTag()) {
    const auto type = WireFormatLite::GetTagWireType(tag);
    if (type == WireFormatLite::WIRETYPE_START_GROUP) return true;
    if (type != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      continue;
    }
    uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return false;
    const auto field = bytes.subspan(static_cast<size_t>(in.CurrentPosition()));
    if (HasGroup(field.first(std::min<size_t>(length, field.size())))) return true;
    if (length > field.size() || !in.Skip(static_cast<int>(length))) return false;
  }
  return false;
}

template <typename Message>
bool Accepts(std::span<const uint8_t> bytes) {
  return Message().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void Require(bool condition, std::span<const uint8_t> bytes) {
  if (!condition && !HasGroup(bytes)) std::abort();
}

// `Message` is what the bytes may be taken for; a message of gradients is what the reader takes
// them for.
template <typename Message, typename MessageOfGradients>
void TestOne(std::span<const uint8_t> bytes, size_t slice_size, Cardinality cardinality) {
  const bool accepted =
      ReadRequest(InSlices(bytes, slice_size), cardinality, kMaxItems).has_value();
  Require(accepted == Accepts<MessageOfGradients>(bytes), bytes);
  Require(!accepted || Accepts<Message>(bytes), bytes);
}

void TestBytes(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const std::span<const uint8_t> bytes(data + 1, size - 1);
  const size_t slice_size = 1 + (data[0] >> 2);
  // The generated classes log each name that is not UTF-8.
  static const google::protobuf::LogSilencer silence;
  switch (data[0] & 3) {
    case 0:
      TestOne<v1::EvaluateRequest, v1::GradientRequest>(bytes, slice_size, Cardinality::kBatch);
      break;
    case 1:
      TestOne<v1::EvaluateStreamRequest, v1::GradientStreamRequest>(bytes, slice_size,
                                                                    Cardinality::kSingle);
      break;
    case 2:
      TestOne<v1::GradientRequest, v1::GradientRequest>(bytes, slice_size, Cardinality::kBatch);
      break;
    default:
      TestOne<v1::GradientStreamRequest, v1::GradientStreamRequest>(bytes, slice_size,
                                                                    Cardinality::kSingle);
  }
}

}  // namespace
}  // namespace activation::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  activation::server::TestBytes(data, size);
  return 0;
}
