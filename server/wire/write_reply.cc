#include "server/wire/write_reply.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "proto/element_type.h"
#include "server/wire/fields.h"

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

// A key and a value, which is a float64 or a message of `size` bytes.
size_t NumberEntrySize(std::string_view key) { return FieldSize(key.size()) + 1 + sizeof(double); }
size_t MessageEntrySize(std::string_view key, size_t size) {
  return FieldSize(key.size()) + FieldSize(size);
}

// `value` becomes the place of the float64.
uint8_t* WriteNumberEntry(int field, std::string_view key, uint8_t* out, std::byte*& value) {
  out = WriteLength(field, NumberEntrySize(key), out);
  out = WriteString(kMapKeyField, key, out);
  out = CodedOutputStream::WriteTagToArray(Fixed64Tag(kMapValueField), out);
  value = reinterpret_cast<std::byte*>(out);
  return out + sizeof(double);
}

// Calls on_number(place, name, value) for each parameter that is a number.
template <typename OnNumber>
void ForEachNumber(const ReplyActivation& activation, OnNumber on_number) {
  if (activation.formula != nullptr) {
    size_t i = 0;
    for (const auto& [name, value] : activation.formula->parameters) {
      on_number(i++, static_cast<std::string_view>(name), value);
    }
    return;
  }
  const auto parameters = activation.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (activation.is_tensor[i]) continue;
    on_number(i, std::string_view(parameters[i].name), activation.function.parameters[i]);
  }
}

size_t NumbersSize(const ReplyActivation& activation) {
  size_t size = 0;
  ForEachNumber(activation, [&](size_t, std::string_view name, double) {
    size += FieldSize(NumberEntrySize(name));
  });
  return size;
}

// The name, or the formula that stands in its place.
std::string_view TextOf(const ReplyActivation& activation) {
  return activation.formula != nullptr
             ? static_cast<std::string_view>(activation.formula->expression)
             : activation.name();
}

size_t ActivationSize(const ReplyActivation& activation) {
  // An axis, below kMaxRank, is one byte after its tag.
  return FieldSize(TextOf(activation).size()) + NumbersSize(activation) +
         (activation.row != nullptr ? 2 : 0);
}

uint8_t* WriteActivation(const ReplyActivation& activation, uint8_t* out) {
  out = WriteLength(kResultActivationField, ActivationSize(activation), out);
  out = WriteString(activation.formula != nullptr ? v1::Activation::kFormulaFieldNumber
                                                  : v1::Activation::kNameFieldNumber,
                    TextOf(activation), out);
  ForEachNumber(activation, [&](size_t, std::string_view name, double number) {
    std::byte* value = nullptr;
    out = WriteNumberEntry(v1::Activation::kParametersFieldNumber, name, out, value);
    std::memcpy(value, &number, sizeof(number));
  });
  if (activation.row == nullptr) return out;
  out = CodedOutputStream::WriteTagToArray(VarintTag(v1::Activation::kAxisFieldNumber), out);
  return CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(activation.axis), out);
}

size_t DataSize(const ReplyTensor& tensor) {
  return static_cast<size_t>(tensor.count) * ReplyElementSize(tensor);
}

int DataField(const ReplyTensor& tensor) {
  if (tensor.encoding == Encoding::kBytes) return v1::Tensor::kDataFieldNumber;
  return tensor.type == DataType::kFloat64 ? v1::Tensor::kDoubleValuesFieldNumber
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

std::string_view ParameterName(const ReplyItem& item, int index) {
  return item.activation.parameters()[static_cast<size_t>(index)].name;
}

size_t ItemSize(const ReplyItem& item) {
  size_t size = FieldSize(ActivationSize(item.activation)) + FieldSize(TensorSize(item.result));
  if (item.value) size += FieldSize(TensorSize(*item.value));
  if (item.has_parameter_gradients) size += NumbersSize(item.activation);
  for (const auto& [index, tensor] : item.tensor_gradients) {
    size += FieldSize(MessageEntrySize(ParameterName(item, index), TensorSize(tensor)));
  }
  if (item.bias_gradient) size += FieldSize(TensorSize(*item.bias_gradient));
  return size;
}

uint8_t* WriteItem(const ReplyItem& item, uint8_t* out, Destination& destination) {
  out = WriteLength(kResultsField, ItemSize(item), out);
  out = WriteActivation(item.activation, out);
  out = WriteTensor(kResultField, item.result, out, destination.result);
  if (item.value) {
    out = WriteTensor(v1::GradientResult::kValueFieldNumber, *item.value, out, destination.value);
  }
  if (item.has_parameter_gradients) {
    ForEachNumber(item.activation, [&](size_t i, std::string_view name, double) {
      out = WriteNumberEntry(v1::GradientResult::kParameterGradientsFieldNumber, name, out,
                             destination.parameter_gradients[i]);
    });
  }
  for (const auto& [index, tensor] : item.tensor_gradients) {
    const std::string_view name = ParameterName(item, index);
    out = WriteLength(v1::GradientResult::kParameterTensorGradientsFieldNumber,
                      MessageEntrySize(name, TensorSize(tensor)), out);
    out = WriteString(kMapKeyField, name, out);
    out = WriteTensor(kMapValueField, tensor, out,
                      destination.parameter_gradients[static_cast<size_t>(index)]);
  }
  if (item.bias_gradient) {
    out = WriteTensor(v1::GradientResult::kBiasGradientFieldNumber, *item.bias_gradient, out,
                      destination.bias_gradient);
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
