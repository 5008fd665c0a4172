#include "server/wire/read_request.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "proto/element_type.h"
#include "server/formula/parse.h"
#include "server/wire/fields.h"

namespace activation::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// What all requests share.
constexpr int kItemsField = v1::EvaluateRequest::kEvaluationsFieldNumber;
constexpr int kActivationField = v1::Evaluation::kActivationFieldNumber;
constexpr int kInputField = v1::Evaluation::kInputFieldNumber;
constexpr int kOutputTypeField = v1::Evaluation::kOutputTypeFieldNumber;
static_assert(kItemsField == v1::GradientRequest::kGradientsFieldNumber);
static_assert(kItemsField == v1::EvaluateStreamRequest::kEvaluationFieldNumber);
static_assert(kItemsField == v1::GradientStreamRequest::kGradientFieldNumber);
static_assert(kActivationField == v1::GradientEvaluation::kActivationFieldNumber);
static_assert(kInputField == v1::GradientEvaluation::kInputFieldNumber);
static_assert(kOutputTypeField == v1::GradientEvaluation::kOutputTypeFieldNumber);
constexpr int kBiasField = v1::Evaluation::kBiasFieldNumber;
static_assert(kBiasField == v1::GradientEvaluation::kBiasFieldNumber);

// Each function is false where the bytes are not a message.

// Reads with read(), a tag or a length, where it takes no more bytes than the generated classes
// allow.
template <typename Read>
bool ReadShortVarint(CodedInputStream& in, Read read) {
  constexpr int kMaxBytes = 5;  // 32 bits, 7 in each
  const int start = in.CurrentPosition();
  return read() && in.CurrentPosition() - start <= kMaxBytes;
}

// Calls on_field(tag) for each field up to the end of the current limit.
template <typename OnField>
bool ReadFields(CodedInputStream& in, OnField on_field) {
  for (uint32_t tag = 0;;) {
    if (!ReadShortVarint(in, [&] { return (tag = in.ReadTag(), true); })) return false;
    if (tag == 0) return in.ConsumedEntireMessage();
    if (!on_field(tag)) return false;
  }
}

// Calls read() with the limit set to the length-delimited field that comes next, and sees that it
// consumed the field.
template <typename Read>
bool ReadDelimited(CodedInputStream& in, Read read) {
  uint32_t length = 0;
  if (!ReadShortVarint(in, [&] { return in.ReadVarint32(&length); })) return false;
  if (length > INT32_MAX) return false;
  const auto limit = in.PushLimit(static_cast<int>(length));
  // The limit around it may be nearer, for a length that lies. Nothing may trust such a length,
  // least of all allocate by it.
  if (in.BytesUntilLimit() != static_cast<int>(length)) return false;
  if (!read() || in.BytesUntilLimit() != 0) return false;
  in.PopLimit(limit);
  return true;
}

template <typename OnField>
bool ReadMessage(CodedInputStream& in, OnField on_field) {
  return ReadDelimited(in, [&] { return ReadFields(in, on_field); });
}

bool ReadEnum(CodedInputStream& in, int& value) {
  uint64_t bits = 0;
  if (!in.ReadVarint64(&bits)) return false;
  value = static_cast<int>(bits);
  return true;
}

// Where there are more than 32 bits, the low ones count.
bool ReadInt32(CodedInputStream& in, std::optional<int32_t>& value) {
  uint64_t bits = 0;
  if (!in.ReadVarint64(&bits)) return false;
  value = static_cast<int32_t>(bits);
  return true;
}

bool ReadBool(CodedInputStream& in, bool& value) {
  uint64_t bits = 0;
  if (!in.ReadVarint64(&bits)) return false;
  value = bits != 0;
  return true;
}

// Calls on_piece for each stretch of memory of the length-delimited field that comes next.
template <typename OnPiece>
bool ReadPieces(CodedInputStream& in, OnPiece on_piece) {
  return ReadDelimited(in, [&] {
    while (in.BytesUntilLimit() > 0) {
      const void* data = nullptr;
      int size = 0;
      if (!in.GetDirectBufferPointer(&data, &size)) return false;
      on_piece(static_cast<const std::byte*>(data), static_cast<size_t>(size));
      in.Skip(size);
    }
    return true;
  });
}

// Passes over a field that is unknown, or known with another wire type.
bool SkipField(CodedInputStream& in, uint32_t tag) {
  if (WireFormatLite::GetTagFieldNumber(tag) == 0) return false;
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
    return WireFormatLite::SkipField(&in, tag);
  }
  return ReadDelimited(in, [&] { return in.Skip(in.BytesUntilLimit()); });
}

// Keeps at most `limit` + 1 bytes.
bool ReadText(CodedInputStream& in, size_t limit, std::string& text) {
  return ReadDelimited(in, [&] {
    const bool ok = in.ReadString(&text, in.BytesUntilLimit());
    if (!ok || !google::protobuf::internal::IsStructurallyValidUTF8(text)) return false;
    if (text.size() > limit + 1) text = text.substr(0, limit + 1);
    return true;
  });
}

bool ReadName(CodedInputStream& in, std::string& name) { return ReadText(in, kMaxNameBytes, name); }

bool ReadBytes(CodedInputStream& in, Pieces& pieces) {
  pieces.clear();
  return ReadPieces(in, [&](const std::byte* data, size_t size) {
    pieces.push_back({.data = data, .size = size, .begin = SizeOf(pieces)});
  });
}

// `bits` is the unsigned integer of the number's size that `read` fills.
template <typename Number, typename Bits>
bool ReadNumber(CodedInputStream& in, bool (CodedInputStream::*read)(Bits*),
                std::vector<Number>& numbers) {
  Bits bits = 0;
  if (!(in.*read)(&bits)) return false;
  numbers.push_back(std::bit_cast<Number>(bits));
  return true;
}

template <typename Number>
bool ReadPackedNumbers(CodedInputStream& in, std::vector<Number>& numbers) {
  return ReadDelimited(in, [&] {
    const size_t size = static_cast<size_t>(in.BytesUntilLimit());
    const size_t before = numbers.size();
    if (size % sizeof(Number) != 0) return false;
    numbers.resize(before + size / sizeof(Number));
    return in.ReadRaw(numbers.data() + before, static_cast<int>(size));
  });
}

bool ReadExtent(CodedInputStream& in, RawTensor& tensor) {
  uint64_t extent = 0;
  if (!in.ReadVarint64(&extent)) return false;
  if (tensor.rank < kMaxRank) tensor.shape.push_back(static_cast<int64_t>(extent));
  ++tensor.rank;
  return true;
}

bool ReadTensor(CodedInputStream& in, RawTensor& tensor) {
  return ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case VarintTag(v1::Tensor::kDataTypeFieldNumber):
        return ReadEnum(in, tensor.data_type);
      case VarintTag(v1::Tensor::kShapeFieldNumber):
        return ReadExtent(in, tensor);
      case LengthTag(v1::Tensor::kShapeFieldNumber):
        return ReadDelimited(in, [&] {
          while (in.BytesUntilLimit() > 0) {
            if (!ReadExtent(in, tensor)) return false;
          }
          return true;
        });
      case LengthTag(v1::Tensor::kDataFieldNumber):
        return ReadBytes(in, tensor.data);
      case Fixed32Tag(v1::Tensor::kFloatValuesFieldNumber):
        return ReadNumber(in, &CodedInputStream::ReadLittleEndian32, tensor.float_values);
      case LengthTag(v1::Tensor::kFloatValuesFieldNumber):
        return ReadPackedNumbers(in, tensor.float_values);
      case Fixed64Tag(v1::Tensor::kDoubleValuesFieldNumber):
        return ReadNumber(in, &CodedInputStream::ReadLittleEndian64, tensor.double_values);
      case LengthTag(v1::Tensor::kDoubleValuesFieldNumber):
        return ReadPackedNumbers(in, tensor.double_values);
      default:
        return SkipField(in, tag);
    }
  });
}

// The message of a singular field: where it stands twice, they merge.
template <typename T>
T& Mutable(std::optional<T>& field) {
  return field.has_value() ? *field : field.emplace();
}

bool ReadAxisTensor(CodedInputStream& in, RawAxisTensor& tensor) {
  return ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case LengthTag(v1::AxisTensor::kValuesFieldNumber):
        return ReadTensor(in, Mutable(tensor.values));
      case VarintTag(v1::AxisTensor::kAxisFieldNumber):
        return ReadInt32(in, tensor.axis);
      default:
        return SkipField(in, tag);
    }
  });
}

// An entry of a map from names, whose value read_value() reads. The last one of a name counts; of
// the others, the first kMaxRequestParameters + 1 are kept.
template <typename Entries, typename ReadValue>
bool ReadMapEntry(CodedInputStream& in, uint32_t value_tag, Entries& entries,
                  ReadValue read_value) {
  typename Entries::value_type entry;
  const bool ok = ReadMessage(in, [&](uint32_t tag) {
    if (tag == LengthTag(kMapKeyField)) return ReadName(in, entry.first);
    return tag == value_tag ? read_value(entry.second) : SkipField(in, tag);
  });
  if (!ok) return false;
  const auto old = std::find_if(entries.begin(), entries.end(),
                                [&](const auto& other) { return other.first == entry.first; });
  if (old != entries.end()) {
    old->second = std::move(entry.second);
  } else if (entries.size() <= kMaxRequestParameters) {
    entries.push_back(std::move(entry));
  }
  return true;
}

bool ReadParameter(CodedInputStream& in, RawActivation& activation) {
  return ReadMapEntry(in, Fixed64Tag(kMapValueField), activation.parameters, [&](double& value) {
    uint64_t bits = 0;
    if (!in.ReadLittleEndian64(&bits)) return false;
    value = std::bit_cast<double>(bits);
    return true;
  });
}

bool ReadParameterTensor(CodedInputStream& in, RawActivation& activation) {
  return ReadMapEntry(in, LengthTag(kMapValueField), activation.parameter_tensors,
                      [&](RawAxisTensor& tensor) { return ReadAxisTensor(in, tensor); });
}

bool ReadActivation(CodedInputStream& in, RawActivation& activation) {
  return ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case LengthTag(v1::Activation::kNameFieldNumber):
        return ReadName(in, activation.name);
      case LengthTag(v1::Activation::kParametersFieldNumber):
        return ReadParameter(in, activation);
      case LengthTag(v1::Activation::kParameterTensorsFieldNumber):
        return ReadParameterTensor(in, activation);
      case VarintTag(v1::Activation::kAxisFieldNumber):
        return ReadInt32(in, activation.axis);
      case LengthTag(v1::Activation::kFormulaFieldNumber):
        return ReadText(in, formula::kMaxExpressionBytes, activation.formula);
      default:
        return SkipField(in, tag);
    }
  });
}

bool ReadItem(CodedInputStream& in, RawItem& item) {
  return ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case LengthTag(kActivationField):
        return ReadActivation(in, Mutable(item.activation));
      case LengthTag(kInputField):
        return ReadTensor(in, Mutable(item.input));
      case VarintTag(kOutputTypeField):
        return ReadEnum(in, item.output_type);
      case LengthTag(v1::GradientEvaluation::kUpstreamFieldNumber):
        return ReadTensor(in, Mutable(item.upstream));
      case VarintTag(v1::GradientEvaluation::kReturnValueFieldNumber):
        return ReadBool(in, item.return_value);
      case VarintTag(v1::GradientEvaluation::kReturnParameterGradientsFieldNumber):
        return ReadBool(in, item.return_parameter_gradients);
      case LengthTag(kBiasField):
        return ReadAxisTensor(in, Mutable(item.bias));
      default:
        return SkipField(in, tag);
    }
  });
}

}  // namespace

std::optional<RawRequest> ReadRequest(const grpc::ByteBuffer& buffer, Cardinality cardinality,
                                      int64_t max_items) {
  // The reader lacks a const, but does not change the buffer.
  grpc::ProtoBufferReader slices(const_cast<grpc::ByteBuffer*>(&buffer));
  CodedInputStream in(&slices);
  if (buffer.Length() > INT32_MAX) return std::nullopt;
  in.PushLimit(static_cast<int>(buffer.Length()));
  RawRequest request;
  const auto has_too_many = [&] { return static_cast<int64_t>(request.items.size()) > max_items; };
  const bool ok = ReadFields(in, [&](uint32_t tag) {
    if (tag != LengthTag(kItemsField)) return SkipField(in, tag);
    if (cardinality == Cardinality::kBatch || request.items.empty()) request.items.emplace_back();
    return !has_too_many() && ReadItem(in, request.items.back());
  });
  if (!ok && !has_too_many()) return std::nullopt;
  return request;
}

}  // namespace activation::server
