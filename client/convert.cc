#include "client/convert.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/reply_status.h"

namespace activation {

v1::DataType ToProto(DataType type) { return static_cast<v1::DataType>(NumberOf(type)); }

v1::DataType ToProto(std::optional<DataType> type) {
  return type.has_value() ? ToProto(*type) : v1::DATA_TYPE_UNSPECIFIED;
}

v1::Activation ToProto(const Activation& activation) {
  v1::Activation proto;
  proto.set_name(activation.name);
  proto.set_formula(activation.formula);
  proto.mutable_parameters()->insert(activation.parameters.begin(), activation.parameters.end());
  for (const auto& [name, tensor] : activation.parameter_tensors) {
    (*proto.mutable_parameter_tensors())[name] = ToProto(tensor);
  }
  if (activation.axis.has_value()) proto.set_axis(*activation.axis);
  return proto;
}

v1::Tensor ToProto(Tensor tensor) {
  v1::Tensor proto;
  proto.set_data_type(ToProto(tensor.type));
  proto.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
  proto.set_data(std::move(tensor.data));
  return proto;
}

v1::AxisTensor ToProto(const AxisTensor& tensor) {
  v1::AxisTensor proto;
  *proto.mutable_values() = ToProto(tensor.values);
  if (tensor.axis.has_value()) proto.set_axis(*tensor.axis);
  return proto;
}

Activation FromProto(const v1::Activation& activation) {
  return {.name = activation.name(),
          .parameters = {activation.parameters().begin(), activation.parameters().end()},
          .axis = activation.has_axis() ? std::optional(activation.axis()) : std::nullopt,
          .formula = activation.formula()};
}

absl::StatusOr<Tensor> FromProto(v1::Tensor&& tensor, absl::string_view what, DataType type,
                                 size_t count) {
  if (tensor.data_type() != ToProto(type) || tensor.data().size() != count * SizeOf(type)) {
    return ReplyDoesNotFit(absl::StrCat(what, " is ", v1::DataType_Name(tensor.data_type()),
                                        " with ", tensor.data().size(), " bytes of data, ", count,
                                        " elements of ", NameOf(type), " were expected"));
  }
  return Tensor{.type = type, .data = std::move(*tensor.mutable_data())};
}

}  // namespace activation
