#include "server/wire/messages.h"

#include <algorithm>

namespace activation::server {

RawTensor ToRaw(const v1::Tensor& message) {
  RawTensor raw;
  raw.data_type = message.data_type();
  raw.rank = message.shape_size();
  raw.shape.assign(message.shape().begin(),
                   message.shape().begin() + std::min(message.shape_size(), kMaxRank));
  if (!message.data().empty()) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(message.data().data());
    raw.data = {{.data = bytes, .size = message.data().size(), .begin = 0}};
  }
  raw.float_values.assign(message.float_values().begin(), message.float_values().end());
  raw.double_values.assign(message.double_values().begin(), message.double_values().end());
  return raw;
}

RawActivation ToRaw(const v1::Activation& message) {
  RawActivation raw;
  raw.name = message.name().substr(0, kMaxNameBytes + 1);
  for (const auto& [name, value] : message.parameters()) {
    if (raw.parameters.size() > kMaxRequestParameters) break;
    raw.parameters.emplace_back(name.substr(0, kMaxNameBytes + 1), value);
  }
  // Refused, whatever they hold.
  for (const auto& [name, tensor] : message.parameter_tensors()) {
    raw.parameter_tensors.emplace_back(name.substr(0, kMaxNameBytes + 1), RawAxisTensor());
    break;
  }
  if (message.has_axis()) raw.axis = message.axis();
  raw.formula = message.formula();
  return raw;
}

v1::Activation ToProto(const engine::Function& function) {
  v1::Activation activation;
  activation.set_name(function.spec->name);
  for (size_t i = 0; i < function.spec->parameters.size(); ++i) {
    (*activation.mutable_parameters())[function.spec->parameters[i].name] = function.parameters[i];
  }
  return activation;
}

v1::ParameterInfo ToProto(const engine::Parameter& parameter) {
  v1::ParameterInfo info;
  info.set_name(parameter.name);
  info.set_description(parameter.description);
  info.set_default_value(parameter.default_value);
  info.set_minimum(parameter.minimum);
  info.set_maximum(parameter.maximum);
  info.set_nonzero(parameter.nonzero);
  if (parameter.at_most != nullptr) info.set_at_most(parameter.at_most);
  return info;
}

}  // namespace activation::server
