#include "server/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "activation/v1/activation.pb.h"

namespace activation::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

static_assert(std::endian::native == std::endian::little,
              "packed elements are little-endian, as the engine's are");

// The fields that are read and written, by their numbers in the contract.
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

constexpr int kResultsField = v1::EvaluateResponse::kResultsFieldNumber;
constexpr int kResultField = v1::EvaluationResult::kOutputFieldNumber;
static_assert(kResultsField == v1::GradientResponse::kResultsFieldNumber);
static_assert(kResultsField == v1::EvaluateStreamResponse::kResultFieldNumber);
static_assert(kResultsField == v1::GradientStreamResponse::kResultFieldNumber);
constexpr int kResultActivationField = v1::EvaluationResult::kActivationFieldNumber;
static_assert(kResultActivationField == v1::GradientResult::kActivationFieldNumber);
static_assert(kResultField == v1::GradientResult::kGradientFieldNumber);

static_assert(NumberOf(engine::DataType::kFloat32) == v1::DATA_TYPE_FLOAT32);
static_assert(NumberOf(engine::DataType::kFloat64) == v1::DATA_TYPE_FLOAT64);
static_assert(NumberOf(engine::DataType::kFloat16) == v1::DATA_TYPE_FLOAT16);
static_assert(NumberOf(engine::DataType::kBFloat16) == v1::DATA_TYPE_BFLOAT16);

// A map's entry is a message.
constexpr int kMapKeyField = 1;
constexpr int kMapValueField = 2;

constexpr uint32_t Tag(int field, WireFormatLite::WireType type) {
  return WireFormatLite::MakeTag(field, type);
}
constexpr uint32_t VarintTag(int field) { return Tag(field, WireFormatLite::WIRETYPE_VARINT); }
constexpr uint32_t Fixed32Tag(int field) { return Tag(field, WireFormatLite::WIRETYPE_FIXED32); }
constexpr uint32_t Fixed64Tag(int field) { return Tag(field, WireFormatLite::WIRETYPE_FIXED64); }
constexpr uint32_t LengthTag(int field) {
  return Tag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// ---- Reading. Each function is false where the bytes are not a message. ----

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

// Keeps at most kMaxNameBytes + 1 bytes.
bool ReadName(CodedInputStream& in, std::string& name) {
  return ReadDelimited(in, [&] {
    const bool ok = in.ReadString(&name, in.BytesUntilLimit());
    if (!ok || !google::protobuf::internal::IsStructurallyValidUTF8(name)) return false;
    if (name.size() > kMaxNameBytes + 1) name = name.substr(0, kMaxNameBytes + 1);
    return true;
  });
}

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

bool ReadParameter(CodedInputStream& in, RawActivation& activation) {
  std::string name;
  uint64_t bits = 0;
  const bool ok = ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case LengthTag(kMapKeyField):
        return ReadName(in, name);
      case Fixed64Tag(kMapValueField):
        return in.ReadLittleEndian64(&bits);
      default:
        return SkipField(in, tag);
    }
  });
  if (!ok) return false;
  auto& parameters = activation.parameters;
  const auto old = std::find_if(parameters.begin(), parameters.end(),
                                [&](const auto& parameter) { return parameter.first == name; });
  const double value = std::bit_cast<double>(bits);
  if (old != parameters.end()) {
    old->second = value;
  } else if (parameters.size() <= kMaxRequestParameters) {
    parameters.emplace_back(std::move(name), value);
  }
  return true;
}

bool ReadActivation(CodedInputStream& in, RawActivation& activation) {
  return ReadMessage(in, [&](uint32_t tag) {
    switch (tag) {
      case LengthTag(v1::Activation::kNameFieldNumber):
        return ReadName(in, activation.name);
      case LengthTag(v1::Activation::kParametersFieldNumber):
        return ReadParameter(in, activation);
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
      default:
        return SkipField(in, tag);
    }
  });
}

// ---- Writing. Each Write returns where the next byte goes. ----

size_t FieldSize(size_t length) {
  return 1 + CodedOutputStream::VarintSize64(length) + length;  // every tag here is one byte
}

uint8_t* WriteLength(int field, size_t length, uint8_t* out) {
  out = CodedOutputStream::WriteTagToArray(LengthTag(field), out);
  return CodedOutputStream::WriteVarint64ToArray(length, out);
}

uint8_t* WriteString(int field, std::string_view text, uint8_t* out) {
  out = WriteLength(field, text.size(), out);
  return std::copy(text.begin(), text.end(), out);
}

// Keys and a float64 each, of either map.
size_t MapEntrySize(std::string_view key) { return FieldSize(key.size()) + 1 + sizeof(double); }

// `value` becomes the place of the float64.
uint8_t* WriteMapEntry(int field, std::string_view key, uint8_t* out, std::byte*& value) {
  out = WriteLength(field, MapEntrySize(key), out);
  out = WriteString(kMapKeyField, key, out);
  out = CodedOutputStream::WriteTagToArray(Fixed64Tag(kMapValueField), out);
  value = reinterpret_cast<std::byte*>(out);
  return out + sizeof(double);
}

size_t ParametersSize(const engine::Spec& spec) {
  size_t size = 0;
  for (const engine::Parameter& parameter : spec.parameters) {
    size += FieldSize(MapEntrySize(parameter.name));
  }
  return size;
}

size_t ActivationSize(const engine::Spec& spec) {
  return FieldSize(std::string_view(spec.name).size()) + ParametersSize(spec);
}

uint8_t* WriteActivation(const engine::Function& function, uint8_t* out) {
  out = WriteLength(kResultActivationField, ActivationSize(*function.spec), out);
  out = WriteString(v1::Activation::kNameFieldNumber, function.spec->name, out);
  for (size_t i = 0; i < function.spec->parameters.size(); ++i) {
    std::byte* value = nullptr;
    out = WriteMapEntry(v1::Activation::kParametersFieldNumber, function.spec->parameters[i].name,
                        out, value);
    std::memcpy(value, &function.parameters[i], sizeof(double));
  }
  return out;
}

size_t DataSize(const ReplyTensor& tensor) {
  return static_cast<size_t>(tensor.count) * ReplyElementSize(tensor);
}

int DataField(const ReplyTensor& tensor) {
  if (tensor.encoding == Encoding::kBytes) return v1::Tensor::kDataFieldNumber;
  return tensor.type == engine::DataType::kFloat64 ? v1::Tensor::kDoubleValuesFieldNumber
                                                   : v1::Tensor::kFloatValuesFieldNumber;
}

size_t ShapeSize(const Shape& shape) {
  size_t size = 0;
  for (const int64_t extent : shape) {
    size += CodedOutputStream::VarintSize64(static_cast<uint64_t>(extent));
  }
  return size;
}

size_t TensorSize(const ReplyTensor& tensor) {
  const size_t shape = tensor.shape.empty() ? 0 : FieldSize(ShapeSize(tensor.shape));
  return 2 + shape + (tensor.count == 0 ? 0 : FieldSize(DataSize(tensor)));
}

// `data` becomes the place of the elements.
uint8_t* WriteTensor(int field, const ReplyTensor& tensor, uint8_t* out, std::byte*& data) {
  out = WriteLength(field, TensorSize(tensor), out);
  out = CodedOutputStream::WriteTagToArray(VarintTag(v1::Tensor::kDataTypeFieldNumber), out);
  out = CodedOutputStream::WriteVarint32ToArray(NumberOf(tensor.type), out);
  if (!tensor.shape.empty()) {
    out = WriteLength(v1::Tensor::kShapeFieldNumber, ShapeSize(tensor.shape), out);
    for (const int64_t extent : tensor.shape) {
      out = CodedOutputStream::WriteVarint64ToArray(static_cast<uint64_t>(extent), out);
    }
  }
  if (tensor.count == 0) return out;
  out = WriteLength(DataField(tensor), DataSize(tensor), out);
  data = reinterpret_cast<std::byte*>(out);
  return out + DataSize(tensor);
}

size_t ItemSize(const ReplyItem& item) {
  const size_t tensor = FieldSize(TensorSize(item.result));
  return FieldSize(ActivationSize(*item.function.spec)) + (item.has_value ? 2 : 1) * tensor +
         (item.has_parameter_gradients ? ParametersSize(*item.function.spec) : 0);
}

uint8_t* WriteItem(const ReplyItem& item, uint8_t* out, Destination& destination) {
  out = WriteLength(kResultsField, ItemSize(item), out);
  out = WriteActivation(item.function, out);
  out = WriteTensor(kResultField, item.result, out, destination.result);
  if (item.has_value) {
    out = WriteTensor(v1::GradientResult::kValueFieldNumber, item.result, out, destination.value);
  }
  if (!item.has_parameter_gradients) return out;
  for (size_t i = 0; i < item.function.spec->parameters.size(); ++i) {
    out = WriteMapEntry(v1::GradientResult::kParameterGradientsFieldNumber,
                        item.function.spec->parameters[i].name, out,
                        destination.parameter_gradients[i]);
  }
  return out;
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

int64_t ReplySize(std::span<const ReplyItem> items) {
  size_t size = 0;
  for (const ReplyItem& item : items) size += FieldSize(ItemSize(item));
  return static_cast<int64_t>(size);
}

Reply MakeReply(std::span<const ReplyItem> items) {
  const size_t size = static_cast<size_t>(ReplySize(items));
  // Not grpc_slice_malloc, which aborts where memory runs out, and keeps short slices inside the
  // slice object, where the destinations would not survive a move.
  auto* const bytes = static_cast<uint8_t*>(::operator new(size));
  const grpc::Slice slice(bytes, size, [](void* memory) { ::operator delete(memory); });
  Reply reply;
  reply.destinations.resize(items.size());
  uint8_t* out = bytes;
  for (size_t i = 0; i < items.size(); ++i) out = WriteItem(items[i], out, reply.destinations[i]);
  reply.buffer = grpc::ByteBuffer(&slice, 1);
  return reply;
}

}  // namespace activation::server
