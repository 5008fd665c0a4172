#include "client/gradient_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tensor_call.h"

namespace activation {
namespace {

// The names that RunTensorCall needs; evaluate_call.cc has its own.
struct GradientRpc {
  using Stub = v1::ActivationService::Stub;
  using Item = v1::GradientEvaluation;
  using Result = v1::GradientResult;
  using Request = v1::GradientRequest;
  using Response = v1::GradientResponse;
  using StreamRequest = v1::GradientStreamRequest;
  using StreamResponse = v1::GradientStreamResponse;
  static constexpr auto kUnary = &Stub::Gradient;
  static constexpr auto kStream = &Stub::GradientStream;
  static Item* AddItem(Request& request) { return request.add_gradients(); }
  static Item* ItemOf(StreamRequest& request) { return request.mutable_gradient(); }
};

absl::Status ValidateUpstream(const GradientRequest& request) {
  if (!request.upstream.has_value()) return absl::OkStatus();
  const Tensor& upstream = *request.upstream;
  if (absl::Status status = Validate(upstream); !status.ok()) return status;
  // Half as many are right for a gated row function: the server knows whether it is one.
  if (upstream.type == request.input.type &&
      (upstream.size() == request.input.size() || upstream.size() * 2 == request.input.size())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "upstream has ", upstream.size(), " elements of ", NameOf(upstream.type), "; the input has ",
      request.input.size(), " of ", NameOf(request.input.type), ", and both must be alike"));
}

absl::Status Validate(const GradientRequest& request) {
  absl::Status status = Validate(request.input);
  if (status.ok()) status = ValidateUpstream(request);
  if (status.ok()) status = ValidateValues(request.activation, request.bias);
  return status;
}

absl::StatusOr<Chunks> MakeChunks(const ClientOptions& options, const GradientRequest& request,
                                  DataType type) {
  const size_t request_bytes = SizeOf(request.input.type) * (request.upstream.has_value() ? 2 : 1);
  const size_t reply_bytes = SizeOf(type) * (request.return_value ? 2 : 1);
  const bool is_halved =
      request.upstream.has_value() && request.upstream->size() < request.input.size();
  return Chunks::Make(options, request.input, request.activation, request.bias,
                      std::max(request_bytes, reply_bytes), is_halved);
}

// Sums of a parameter or the bias: float64, as many as the values they are for.
absl::StatusOr<Tensor> TakeSums(const std::string& what, const AxisTensor& values,
                                v1::Tensor&& reply) {
  absl::StatusOr<Tensor> sums =
      FromProto(std::move(reply), what, DataType::kFloat64, values.values.size());
  if (sums.ok()) sums->shape = values.values.shape;
  return sums;
}

absl::Status TakeParameterGradients(const GradientRequest& request, v1::GradientResult& reply,
                                    GradientResult& result) {
  // Totals so far, so that the last reply's are those of the whole tensor.
  result.parameter_gradients = {reply.parameter_gradients().begin(),
                                reply.parameter_gradients().end()};
  if (!request.return_parameter_gradients) return absl::OkStatus();
  for (const auto& [name, values] : request.activation.parameter_tensors) {
    absl::StatusOr<Tensor> sums =
        TakeSums(absl::StrCat("parameter_tensor_gradients[\"", name, "\"]"), values,
                 std::move((*reply.mutable_parameter_tensor_gradients())[name]));
    if (!sums.ok()) return sums.status();
    result.parameter_tensor_gradients[name] = *std::move(sums);
  }
  if (!request.bias.has_value()) return absl::OkStatus();
  absl::StatusOr<Tensor> sums =
      TakeSums("bias_gradient", *request.bias, std::move(*reply.mutable_bias_gradient()));
  if (!sums.ok()) return sums.status();
  result.bias_gradient = *std::move(sums);
  return absl::OkStatus();
}

absl::Status TakeResult(const Chunks& chunks, size_t index, const GradientRequest& request,
                        v1::GradientResult& reply, GradientResult& result) {
  result.activation = TakeActivation(chunks, reply.activation());
  absl::Status status = TakeParameterGradients(request, reply, result);
  if (!status.ok()) return status;
  status = chunks.Append(index, "gradient", reply.activation(),
                         std::move(*reply.mutable_gradient()), result.gradient);
  if (!status.ok() || !result.value.has_value()) return status;
  return chunks.Append(index, "value", reply.activation(), std::move(*reply.mutable_value()),
                       *result.value);
}

}  // namespace

absl::StatusOr<GradientResult> RunGradient(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options, GradientRequest request) {
  if (absl::Status status = Validate(request); !status.ok()) return status;
  const DataType type = request.output_type.value_or(request.input.type);
  const absl::StatusOr<Chunks> chunks = MakeChunks(options, request, type);
  if (!chunks.ok()) return chunks.status();

  GradientResult result{.gradient = chunks->MakeJoined(type)};
  if (request.return_value) result.value = chunks->MakeJoined(type);
  absl::Status status = RunTensorCall<GradientRpc>(
      stub, options, *chunks,
      [&](size_t index, v1::GradientEvaluation& item) {
        Fill(*chunks, index, request.activation, request.input, request.output_type, request.bias,
             item);
        if (request.upstream.has_value()) {
          *item.mutable_upstream() = chunks->Take(index, *request.upstream);
        }
        item.set_return_value(request.return_value);
        item.set_return_parameter_gradients(request.return_parameter_gradients);
      },
      [&](size_t index, v1::GradientResult& reply) {
        return TakeResult(*chunks, index, request, reply, result);
      });
  if (!status.ok()) return status;
  return result;
}

}  // namespace activation
