#include "server/plan.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <span>
#include <utility>

#include "proto/tensor_codec.h"
#include "server/errors.h"
#include "server/near_names.h"
#include "server/wire.h"

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

bool IsAllowed(const engine::Parameter& parameter, double value) {
  return value >= parameter.minimum && value <= parameter.maximum && std::isfinite(value) &&
         !(parameter.nonzero && value == 0);
}

absl::Status SetParameter(absl::string_view field, absl::string_view name, double value,
                          engine::Function& function) {
  const auto known = function.spec->parameters;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].name != name) continue;
    if (!IsAllowed(known[i], value)) {
      return errors::ParameterOutOfRange(errors::ParameterPath(field, name), value, known[i]);
    }
    function.parameters[i] = value;
    return absl::OkStatus();
  }
  return errors::UnknownParameter(errors::ParameterPath(field, name), *function.spec);
}

// The type, with the two that a typed encoding tells by itself.
absl::StatusOr<engine::DataType> TypeOf(absl::string_view field, const RawTensor& tensor) {
  if (tensor.data_type == 0 && !tensor.float_values.empty()) return engine::DataType::kFloat32;
  if (tensor.data_type == 0 && !tensor.double_values.empty()) return engine::DataType::kFloat64;
  if (tensor.data_type == 0) return errors::MissingDataType(field);
  const auto type = DataTypeOf(tensor.data_type);
  if (!type) {
    return errors::UnsupportedDataType(absl::StrCat(field, ".data_type"), tensor.data_type);
  }
  return *type;
}

// The product of the extents.
absl::StatusOr<int64_t> CountOf(absl::string_view field, const RawTensor& tensor) {
  if (tensor.rank > kMaxRank) return errors::RankTooHigh(field, tensor.rank);
  int64_t count = 1;
  bool overflow = false;
  bool has_zero = false;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t extent = tensor.shape[i];
    if (extent < 0) return errors::NegativeExtent(field, static_cast<int>(i), extent);
    has_zero |= extent == 0;
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (has_zero) return 0;
  if (overflow) return errors::ShapeOverflow(field);
  return count;
}

// Points `elements` at its own packed values.
template <typename T>
void PointAt(const std::vector<T>& values, Elements& elements) {
  const auto bytes = std::as_bytes(std::span(values));
  elements.pieces = {{.data = bytes.data(), .size = bytes.size(), .begin = 0}};
}

// Takes over float_values or double_values, each rounded to the type.
void TakeValues(RawTensor& tensor, Elements& elements) {
  if (elements.type == engine::DataType::kFloat64) {
    elements.doubles = std::move(tensor.double_values);
    return PointAt(elements.doubles, elements);
  }
  if (elements.type == engine::DataType::kFloat32) {
    elements.floats = std::move(tensor.float_values);
    return PointAt(elements.floats, elements);
  }
  const auto encode =
      elements.type == engine::DataType::kFloat16 ? DoubleToFloat16 : DoubleToBFloat16;
  elements.halves.reserve(tensor.float_values.size());
  for (const float value : tensor.float_values) elements.halves.push_back(encode(value));
  PointAt(elements.halves, elements);
}

// The elements where they stand, still without regard to the shape.
absl::Status TakeElements(absl::string_view field, RawTensor& tensor, Elements& elements) {
  const bool has_floats = !tensor.float_values.empty();
  const bool has_doubles = !tensor.double_values.empty();
  if ((tensor.data.empty() ? 0 : 1) + (has_floats ? 1 : 0) + (has_doubles ? 1 : 0) > 1) {
    return errors::TwoEncodings(field);
  }
  const bool is_float64 = elements.type == engine::DataType::kFloat64;
  if (is_float64 ? has_floats : has_doubles) return errors::WrongValues(field, elements.type);
  if (has_floats || has_doubles) {
    elements.encoding = Encoding::kValues;
    elements.count =
        static_cast<int64_t>(has_floats ? tensor.float_values.size() : tensor.double_values.size());
    TakeValues(tensor, elements);
    return absl::OkStatus();
  }
  const size_t bytes = SizeOf(tensor.data);
  const size_t size = engine::SizeOf(elements.type);
  if (tensor.rank == 0 && bytes % size != 0) {
    return errors::PartialElement(field, bytes, elements.type);
  }
  elements.count = static_cast<int64_t>(bytes / size);
  elements.pieces = std::move(tensor.data);
  return absl::OkStatus();
}

absl::StatusOr<engine::Function> FunctionOf(const ItemPath& path, const RawItem& item,
                                            const engine::Function* inherited) {
  if (item.activation) return MakeFunction(path(".activation"), *item.activation);
  if (inherited == nullptr) return errors::MissingField(path(".activation"));
  return *inherited;
}

absl::StatusOr<Elements> UpstreamOf(const ItemPath& path, RawTensor tensor, const Elements& input) {
  auto upstream = MakeElements(path(".upstream"), std::move(tensor));
  if (!upstream.ok()) return upstream;
  if (upstream->type != input.type) {
    return errors::TypeMismatch(path(".upstream"), upstream->type, "input", input.type);
  }
  if (upstream->count != input.count) {
    return errors::UpstreamCountMismatch(path(".upstream"), upstream->count, input.count);
  }
  return upstream;
}

absl::Status AddItem(const ItemPath& path, RawItem item, const engine::Function* inherited,
                     Plan& plan) {
  const bool is_gradient = path.kind.quantity == engine::Quantity::kDerivative;
  auto function = FunctionOf(path, item, inherited);
  if (!function.ok()) return function.status();
  if (!item.input) return errors::MissingField(path(".input"));
  auto input = MakeElements(path(".input"), *std::move(item.input));
  if (!input.ok()) return input.status();
  const auto type = MakeDataType(path(".output_type"), item.output_type, input->type);
  if (!type.ok()) return type.status();

  PlanItem& planned = plan.items.emplace_back();
  if (is_gradient && item.upstream) {
    auto upstream = UpstreamOf(path, *std::move(item.upstream), *input);
    if (!upstream.ok()) return upstream.status();
    planned.upstream = *std::move(upstream);
  }
  plan.reply.push_back({
      .function = *function,
      .result = {.type = *type,
                 .encoding = input->encoding,
                 .shape = input->shape,
                 .count = input->count},
      .has_value = is_gradient && item.return_value,
      .has_parameter_gradients = is_gradient && item.return_parameter_gradients,
  });
  planned.quantity = path.kind.quantity;
  planned.input = *std::move(input);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<engine::Function> MakeFunction(absl::string_view field,
                                              const RawActivation& activation) {
  if (activation.name.empty()) return errors::MissingField(absl::StrCat(field, ".name"));
  auto function = engine::FindFunction(activation.name);
  if (!function) {
    return errors::UnknownActivation(absl::StrCat(field, ".name"), activation.name,
                                     FindNearNames(activation.name));
  }
  if (activation.parameters.size() > kMaxRequestParameters) {
    return errors::TooManyParameters(absl::StrCat(field, ".parameters"));
  }
  for (const auto& [name, value] : activation.parameters) {
    const absl::Status status = SetParameter(field, name, value, *function);
    if (!status.ok()) return status;
  }
  if (const auto above = engine::FindExcess(*function)) {
    const engine::Parameter& parameter = function->spec->parameters[*above];
    const size_t bound = engine::PlaceOf(*function->spec, parameter.at_most);
    return errors::ParameterAboveAnother(errors::ParameterPath(field, parameter.name),
                                         function->parameters[*above], parameter.at_most,
                                         function->parameters[bound]);
  }
  return *function;
}

absl::StatusOr<engine::DataType> MakeDataType(absl::string_view field, int number,
                                              engine::DataType fallback) {
  if (number == 0) return fallback;
  const auto type = DataTypeOf(number);
  if (!type) return errors::UnsupportedDataType(field, number);
  return *type;
}

absl::StatusOr<Elements> MakeElements(absl::string_view field, RawTensor tensor) {
  Elements elements;
  const auto type = TypeOf(field, tensor);
  if (!type.ok()) return type.status();
  elements.type = *type;
  const uint64_t bytes = SizeOf(tensor.data);
  const absl::Status taken = TakeElements(field, tensor, elements);
  if (!taken.ok()) return taken;
  if (tensor.rank == 0) return elements;

  const auto count = CountOf(field, tensor);
  if (!count.ok()) return count.status();
  if (elements.encoding == Encoding::kValues) {
    if (elements.count != *count) {
      return errors::WrongValueCount(field, static_cast<uint64_t>(elements.count), *count);
    }
  } else if (elements.count != *count || bytes % engine::SizeOf(elements.type) != 0) {
    return errors::WrongByteCount(field, bytes, *count, elements.type);
  }
  elements.shape = std::move(tensor.shape);
  return elements;
}

absl::StatusOr<Plan> MakePlan(RawRequest request, const RequestKind& kind, const Limits& limits,
                              const engine::Function* inherited) {
  if (request.items.empty()) {
    return kind.is_stream ? errors::MissingField(kind.field) : errors::EmptyBatch(kind.field);
  }
  if (static_cast<int64_t>(request.items.size()) > limits.max_batch_items) {
    return errors::TooManyItems(kind.field, limits.max_batch_items);
  }
  Plan plan;
  plan.items.reserve(request.items.size());
  plan.reply.reserve(request.items.size());
  for (size_t i = 0; i < request.items.size(); ++i) {
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
