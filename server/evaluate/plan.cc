#include "server/evaluate/plan.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "proto/element_type.h"
#include "server/evaluate/errors.h"
#include "server/wire/reply.h"
#include "server/wire/write_reply.h"

namespace activation::server {
namespace {

// The path of a part of one item, made only when it is needed: it stands in errors.
struct ItemPath {
  const RequestKind& kind;
  size_t index;

  std::string operator()(absl::string_view part) const {
    return kind.is_stream ? absl::StrCat(kind.field, part)
                          : absl::StrCat(kind.field, "[", index, "]", part);
  }
};

absl::StatusOr<std::shared_ptr<const Activation>> ActivationOf(
    const ItemPath& path, RawItem& item, const std::shared_ptr<const Activation>& inherited) {
  if (item.activation) {
    auto activation = MakeActivation(path(".activation"), *std::move(item.activation));
    if (!activation.ok()) return activation.status();
    return std::make_shared<const Activation>(*std::move(activation));
  }
  if (inherited == nullptr) return errors::MissingField(path(".activation"));
  return inherited;
}

// PyTorch's for the weight of prelu.
int DefaultParameterAxis(const Shape& shape) { return AxisCount(shape) > 1 ? 1 : 0; }
constexpr int kDefaultBiasAxis = -1;
constexpr int kDefaultRowAxis = -1;

absl::StatusOr<int> ResolveAxis(absl::string_view field, int64_t axis, const Elements& input) {
  const auto found = FindAxis(input.shape, axis);
  if (!found) return errors::AxisOutOfRange(field, axis, AxisCount(input.shape));
  return *found;
}

// Where `count` values along an axis lie.
absl::StatusOr<AxisLayout> LayOut(absl::string_view field, int64_t axis, size_t count,
                                  const Elements& input) {
  const auto resolved = ResolveAxis(absl::StrCat(field, ".axis"), axis, input);
  if (!resolved.ok()) return resolved.status();
  const AxisLayout layout = LayoutOf(input.shape, input.count, *resolved);
  if (count != layout.extent) {
    return errors::WrongLength(absl::StrCat(field, ".values"), static_cast<int64_t>(count),
                               *resolved, static_cast<int64_t>(layout.extent));
  }
  return layout;
}

absl::Status LayOutTensors(const ItemPath& path, PlanItem& item) {
  const Activation& activation = *item.activation;
  for (const ParameterTensor& tensor : activation.tensors) {
    const auto& parameter =
        activation.function.spec->parameters[static_cast<size_t>(tensor.parameter)];
    const std::string field =
        errors::ParameterPath(path(".activation"), "parameter_tensors", parameter.name);
    const int64_t axis = tensor.axis.value_or(DefaultParameterAxis(item.input.shape));
    const auto layout = LayOut(field, axis, tensor.values.size(), item.input);
    if (!layout.ok()) return layout.status();
    item.tensors.push_back(*layout);
  }
  return absl::OkStatus();
}

// Sets item.bias; returns what its gradient looks like.
absl::StatusOr<ReplyTensor> AddBias(const std::string& field, RawAxisTensor raw, PlanItem& item) {
  if (item.activation->row != nullptr) {
    return errors::BiasOfRowFunction(field, item.activation->row->name);
  }
  if (item.activation->formula != nullptr) return errors::BiasOfFormula(field);
  const int64_t axis = raw.axis.value_or(kDefaultBiasAxis);
  auto values = MakeAxisValues(field, std::move(raw));
  if (!values.ok()) return values.status();
  if (values->type != item.input.type) {
    return errors::TypeMismatch(absl::StrCat(field, ".values"), values->type, "input",
                                item.input.type);
  }
  const size_t count = static_cast<size_t>(values->count);
  const auto layout = LayOut(field, axis, count, item.input);
  if (!layout.ok()) return layout.status();
  Bias& bias = item.bias.emplace();
  bias.layout = *layout;
  bias.type = values->type;
  bias.values.resize(count * SizeOf(values->type));
  ElementReader(*values).Copy(0, count, bias.values.data());
  return ReplyTensor{.type = DataType::kFloat64,
                     .encoding = values->encoding,
                     .shape = values->shape,
                     .count = values->count};
}

// Lays the rows out; changes `value`, which is as the input, to what the function makes of it.
absl::Status LayOutRows(const ItemPath& path, PlanItem& item, ReplyActivation& echo,
                        ReplyTensor& value) {
  const Activation& activation = *item.activation;
  const auto axis =
      ResolveAxis(path(".activation.axis"), activation.axis.value_or(kDefaultRowAxis), item.input);
  if (!axis.ok()) return axis.status();
  item.rows = LayoutOf(item.input.shape, item.input.count, *axis);
  echo.axis = *axis;
  if (!activation.row->halves) return absl::OkStatus();
  if (item.rows.extent % 2 != 0) {
    return errors::OddExtent(path(".input"), *axis, static_cast<int64_t>(item.rows.extent),
                             activation.row->name);
  }
  value.count /= 2;
  if (!value.shape.empty()) value.shape[static_cast<size_t>(*axis)] /= 2;
  return absl::OkStatus();
}

absl::StatusOr<Elements> UpstreamOf(const ItemPath& path, RawTensor tensor, const PlanItem& item,
                                    int64_t count) {
  auto upstream = MakeElements(path(".upstream"), std::move(tensor));
  if (!upstream.ok()) return upstream;
  if (upstream->type != item.input.type) {
    return errors::TypeMismatch(path(".upstream"), upstream->type, "input", item.input.type);
  }
  if (upstream->count != count) {
    return errors::UpstreamCountMismatch(path(".upstream"), upstream->count,
                                         count == item.input.count ? "input" : "the result", count);
  }
  return upstream;
}

void DescribeParameterGradients(const PlanItem& item, const std::optional<ReplyTensor>& bias,
                                ReplyItem& reply) {
  reply.has_parameter_gradients = true;
  for (const ParameterTensor& tensor : item.activation->tensors) {
    reply.tensor_gradients.emplace_back(
        tensor.parameter, ReplyTensor{.type = DataType::kFloat64,
                                      .encoding = tensor.encoding,
                                      .shape = tensor.shape,
                                      .count = static_cast<int64_t>(tensor.values.size())});
  }
  reply.bias_gradient = bias;
}

absl::Status AddItem(const ItemPath& path, RawItem raw,
                     const std::shared_ptr<const Activation>& inherited, Plan& plan) {
  const bool is_gradient = path.kind.quantity == engine::Quantity::kDerivative;
  PlanItem& item = plan.items.emplace_back();
  item.quantity = path.kind.quantity;
  auto activation = ActivationOf(path, raw, inherited);
  if (!activation.ok()) return activation.status();
  item.activation = *std::move(activation);
  if (!raw.input) return errors::MissingField(path(".input"));
  auto input = MakeElements(path(".input"), *std::move(raw.input));
  if (!input.ok()) return input.status();
  item.input = *std::move(input);
  const auto type = MakeDataType(path(".output_type"), raw.output_type, item.input.type);
  if (!type.ok()) return type.status();

  ReplyItem& reply = plan.reply.emplace_back();
  reply.activation = {
      .row = item.activation->row,
      .function = item.activation->function,
      .formula = item.activation->formula != nullptr ? &item.activation->formula->spec : nullptr};
  for (const ParameterTensor& tensor : item.activation->tensors) {
    reply.activation.is_tensor[static_cast<size_t>(tensor.parameter)] = true;
  }
  reply.result = {.type = *type,
                  .encoding = item.input.encoding,
                  .shape = item.input.shape,
                  .count = item.input.count};
  ReplyTensor value = reply.result;
  absl::Status laid_out = item.activation->row != nullptr
                              ? LayOutRows(path, item, reply.activation, value)
                              : LayOutTensors(path, item);
  if (!laid_out.ok()) return laid_out;
  std::optional<ReplyTensor> bias_gradient;
  if (raw.bias) {
    auto added = AddBias(path(".bias"), *std::move(raw.bias), item);
    if (!added.ok()) return added.status();
    bias_gradient = *std::move(added);
  }
  if (!is_gradient) {
    reply.result = std::move(value);
    return absl::OkStatus();
  }
  if (raw.upstream) {
    auto upstream = UpstreamOf(path, *std::move(raw.upstream), item, value.count);
    if (!upstream.ok()) return upstream.status();
    item.upstream = *std::move(upstream);
  } else if (item.activation->row != nullptr) {
    return errors::MissingUpstream(path(".upstream"), item.activation->row->name);
  }
  if (raw.return_parameter_gradients && item.activation->formula != nullptr) {
    return errors::ParameterGradientsOfFormula(path(".return_parameter_gradients"));
  }
  if (raw.return_value) reply.value = std::move(value);
  if (raw.return_parameter_gradients) DescribeParameterGradients(item, bias_gradient, reply);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Plan> MakePlan(RawRequest request, const RequestKind& kind, const Limits& limits,
                              const std::shared_ptr<const Activation>& inherited) {
  if (request.items.empty()) {
    return kind.is_stream ? errors::MissingField(kind.field) : errors::EmptyBatch(kind.field);
  }
  if (static_cast<int64_t>(request.items.size()) > limits.max_batch_items) {
    return errors::TooManyItems(kind.field, limits.max_batch_items);
  }
  Plan plan;
  plan.items.reserve(request.items.size());
  plan.reply.reserve(request.items.size());
  size_t formula_bytes = 0;
  for (size_t i = 0; i < request.items.size(); ++i) {
    if (request.items[i].activation) formula_bytes += request.items[i].activation->formula.size();
    if (formula_bytes > kMaxFormulaBytesOfBatch) {
      return errors::TooManyFormulas(kind.field, kMaxFormulaBytesOfBatch);
    }
    const absl::Status status = AddItem({kind, i}, std::move(request.items[i]), inherited, plan);
    if (!status.ok()) return status;
  }
  const int64_t bytes = ReplySize(plan.reply);
  if (bytes > limits.max_message_bytes) {
    return errors::ReplyTooLarge(bytes, limits.max_message_bytes);
  }
  return plan;
}

}  // namespace activation::server
