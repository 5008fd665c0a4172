#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "server/wire.h"
#include "server/wire_fields.h"

namespace activation::server {
namespace {

using google::protobuf::io::CodedOutputStream;

// What all replies share.
constexpr int kResultsField = v1::EvaluateResponse::kResultsFieldNumber;
constexpr int kResultField = v1::EvaluationResult::kOutputFieldNumber;
static_assert(kResultsField == v1::GradientResponse::kResultsFieldNumber);
static_assert(kResultsField == v1::EvaluateStreamResponse::kResultFieldNumber);
static_assert(kResultsField == v1::GradientStreamResponse::kResultFieldNumber);
constexpr int kResultActivationField = v1::EvaluationResult::kActivationFieldNumber;
static_assert(kResultActivationField == v1::GradientResult::kActivationFieldNumber);
static_assert(kResultField == v1::GradientResult::kGradientFieldNumber);

// Each Write function returns where the next byte goes.

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
