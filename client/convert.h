// Between the library's types and the contract's messages.
#ifndef ACTIVATION_CLIENT_CONVERT_H_
#define ACTIVATION_CLIENT_CONVERT_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "activation/v1/activation.pb.h"
#include "client/requests.h"
#include "client/tensor.h"

namespace activation {

v1::DataType ToProto(DataType type);
// UNSPECIFIED for none.
v1::DataType ToProto(std::optional<DataType> type);
v1::Activation ToProto(const Activation& activation);
// Encoded as `data`.
v1::Tensor ToProto(Tensor tensor);
v1::AxisTensor ToProto(const AxisTensor& tensor);

Activation FromProto(const v1::Activation& activation);

// The elements of one reply, as a flat vector. INTERNAL, with `what` as the field's name, unless it
// has `count` elements of `type`, encoded as `data`.
absl::StatusOr<Tensor> FromProto(v1::Tensor&& tensor, absl::string_view what, DataType type,
                                 size_t count);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_CONVERT_H_
