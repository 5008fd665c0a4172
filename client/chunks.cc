#include "client/chunks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/convert.h"
#include "client/reply_status.h"

namespace activation {
namespace {

// The contract's default axes.
int32_t DefaultParameterAxis(size_t axes) { return axes > 1 ? 1 : 0; }
constexpr int32_t kDefaultBiasAxis = -1;
constexpr int32_t kDefaultRowAxis = -1;

int32_t AxisCount(const std::vector<int64_t>& shape) {
  return std::max(static_cast<int32_t>(shape.size()), 1);
}

absl::Status CheckAxis(const char* what, int32_t axis, int32_t axes) {
  if (axis >= -axes && axis < axes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, ": there is no axis ", axis, "; the input has ", axes, ", ", -axes, " to ", axes - 1));
}

}  // namespace

absl::StatusOr<Chunks> Chunks::Make(const ClientOptions& options, const Tensor& input,
                                    const Activation& activation,
                                    const std::optional<AxisTensor>& bias, size_t bytes_per_element,
                                    bool is_halved) {
  Chunks chunks;
  chunks.elements_ = input.size();
  chunks.shape_ = input.shape;
  const size_t most =
      std::max(static_cast<size_t>(options.chunk_bytes) / bytes_per_element, size_t{1});
  chunks.chunk_ = most;
  if (chunks.count() <= 1) {  // whatever it holds, the server judges it
    chunks.chunk_ = std::max(chunks.elements_, size_t{1});
    return chunks;
  }

  const int32_t axes = AxisCount(input.shape);
  const auto resolve = [&](int32_t axis) { return axis < 0 ? axis + axes : axis; };
  int32_t first = axes - 1;
  const auto keep = [&](const char* what, int32_t axis) {
    absl::Status status = CheckAxis(what, axis, axes);
    if (status.ok()) first = std::min(first, resolve(axis));
    return status;
  };
  for (const auto& [name, tensor] : activation.parameter_tensors) {
    absl::Status status =
        keep(name.c_str(), tensor.axis.value_or(DefaultParameterAxis(static_cast<size_t>(axes))));
    if (!status.ok()) return status;
  }
  if (bias.has_value()) {
    absl::Status status = keep("bias", bias->axis.value_or(kDefaultBiasAxis));
    if (!status.ok()) return status;
  }
  absl::Status status = keep("axis", activation.axis.value_or(kDefaultRowAxis));
  if (!status.ok()) return status;

  size_t part = 1;
  for (size_t i = static_cast<size_t>(first); i < input.shape.size(); ++i) {
    part *= static_cast<size_t>(input.shape[i]);
  }
  if (input.shape.empty()) part = chunks.elements_;
  const bool must_be_whole = !activation.parameter_tensors.empty() || bias.has_value() ||
                             activation.axis.has_value() || is_halved;
  // Elements may go one by one, unless it is a row function, which the reply tells.
  if (!must_be_whole && part > most) return chunks;
  chunks.has_parts_ = true;
  chunks.first_axis_ = first;
  chunks.chunk_ = std::max(most / part, size_t{1}) * part;
  return chunks;
}

size_t Chunks::Size(size_t index) const { return std::min(chunk_, elements_ - index * chunk_); }

v1::Tensor Chunks::Take(size_t index, Tensor& tensor) const {
  if (count() <= 1) return ToProto(std::move(tensor));
  const size_t ratio = tensor.size() < elements_ ? 2 : 1;
  const size_t bytes = SizeOf(tensor.type);
  const size_t size = Size(index) / ratio;
  Tensor slice{.type = tensor.type,
               .data = tensor.data.substr(index * chunk_ / ratio * bytes, size * bytes)};
  if (has_parts_ && ratio == 1 && !shape_.empty()) {
    slice.shape.assign(shape_.begin() + first_axis_, shape_.end());
    int64_t part = 1;
    for (const int64_t extent : slice.shape) part *= extent;
    slice.shape.insert(slice.shape.begin(), static_cast<int64_t>(size) / part);
  }
  return ToProto(std::move(slice));
}

int32_t Chunks::Resolve(std::optional<int32_t> axis, int32_t fallback) const {
  const int32_t asked = axis.value_or(fallback);
  return (asked < 0 ? asked + AxisCount(shape_) : asked) - first_axis_ + 1;
}

v1::Activation Chunks::ForChunk(const Activation& activation) const {
  v1::Activation chunk = ToProto(activation);
  if (!has_parts_ || shape_.empty()) return chunk;
  for (const auto& [name, tensor] : activation.parameter_tensors) {
    (*chunk.mutable_parameter_tensors())[name].set_axis(
        Resolve(tensor.axis, DefaultParameterAxis(shape_.size())));
  }
  if (activation.axis.has_value()) chunk.set_axis(Resolve(activation.axis, kDefaultRowAxis));
  return chunk;
}

v1::AxisTensor Chunks::ForChunk(const AxisTensor& bias) const {
  v1::AxisTensor chunk = ToProto(bias);
  if (has_parts_ && !shape_.empty()) chunk.set_axis(Resolve(bias.axis, kDefaultBiasAxis));
  return chunk;
}

absl::Status Chunks::Append(size_t index, const char* what, const v1::Activation& activation,
                            v1::Tensor&& reply, Tensor& joined) const {
  if (activation.has_axis() && count() > 1 && !has_parts_) {
    return absl::InvalidArgumentError(absl::StrCat(
        activation.name(), " is a row function, and a row is larger than ",
        "ClientOptions::chunk_bytes: give Activation::axis, so that rows are sent whole"));
  }
  size_t size = Size(index);
  const bool is_half = reply.data().size() * 2 == size * SizeOf(joined.type);
  if (activation.has_axis() && is_half) size /= 2;
  std::vector<int64_t> shape = {reply.shape().begin(), reply.shape().end()};
  absl::StatusOr<Tensor> part = FromProto(std::move(reply), what, joined.type, size);
  if (!part.ok()) return part.status();
  if (count() <= 1) {
    joined.data = std::move(part->data);
    joined.shape = std::move(shape);
    absl::Status fits = Validate(joined);
    if (fits.ok()) return fits;
    return ReplyDoesNotFit(absl::StrCat(what, " is a ", fits.message()));
  }
  joined.data += part->data;
  if (index == 0 && size < Size(0) && !joined.shape.empty()) {
    joined.shape[static_cast<size_t>(ForWhole(activation.axis()))] /= 2;
  }
  return absl::OkStatus();
}

int32_t Chunks::ForWhole(int32_t axis) const { return has_parts_ ? axis + first_axis_ - 1 : axis; }

Tensor Chunks::MakeJoined(DataType type) const {
  Tensor joined{.type = type, .shape = shape_};
  if (count() > 1) joined.data.reserve(elements_ * SizeOf(type));
  return joined;
}

}  // namespace activation
