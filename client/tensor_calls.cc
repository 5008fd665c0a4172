#include "client/tensor_calls.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/chunks.h"
#include "client/exchange.h"

namespace activation {
namespace {

// The one result of a batch of one.
template <class Response>
absl::StatusOr<decltype(std::declval<Response>().mutable_results(0))> OnlyResult(
    absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  if (response->results_size() == 1) return response->mutable_results(0);
  return absl::InternalError(absl::StrCat("the server's reply does not fit the request: ",
                                          response->results_size(), " results to 1 item"));
}

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

absl::Status ValidateValues(const Activation& activation, const std::optional<AxisTensor>& bias) {
  for (const auto& [name, tensor] : activation.parameter_tensors) {
    if (absl::Status status = Validate(tensor.values); !status.ok()) return status;
  }
  return bias.has_value() ? Validate(bias->values) : absl::OkStatus();
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

Activation TakeActivation(const Chunks& chunks, const v1::Activation& reply) {
  Activation activation = FromProto(reply);
  if (activation.axis.has_value()) activation.axis = chunks.ForWhole(*activation.axis);
  return activation;
}

}  // namespace

absl::StatusOr<EvaluateResult> RunEvaluate(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options,
                                           const Activation& activation, Tensor input,
                                           std::optional<DataType> output_type,
                                           const std::optional<AxisTensor>& bias) {
  if (absl::Status status = Validate(input); !status.ok()) return status;
  if (absl::Status status = ValidateValues(activation, bias); !status.ok()) return status;
  const DataType type = output_type.value_or(input.type);
  const absl::StatusOr<Chunks> chunks = Chunks::Make(
      options, input, activation, bias, std::max(SizeOf(input.type), SizeOf(type)), false);
  if (!chunks.ok()) return chunks.status();
  EvaluateResult result{.output = chunks->MakeJoined(type)};

  const auto fill = [&](v1::Tensor tensor, v1::Evaluation* evaluation) {
    *evaluation->mutable_activation() = chunks->ForChunk(activation);
    *evaluation->mutable_input() = std::move(tensor);
    evaluation->set_output_type(ToProto(output_type));
    if (bias.has_value()) *evaluation->mutable_bias() = chunks->ForChunk(*bias);
  };
  const auto take = [&](size_t index, v1::EvaluationResult& reply) {
    result.activation = TakeActivation(*chunks, reply.activation());
    return chunks->Append(index, "output", reply.activation(), std::move(*reply.mutable_output()),
                          result.output);
  };

  absl::Status status;
  if (chunks->count() <= 1) {
    v1::EvaluateRequest request;
    fill(ToProto(std::move(input)), request.add_evaluations());
    auto response =
        Call<v1::EvaluateResponse>(options, stub, &v1::ActivationService::Stub::Evaluate, request);
    auto only = OnlyResult(response);
    status = only.ok() ? take(0, **only) : only.status();
  } else {
    grpc::ClientContext context;
    SetDeadline(options, context);
    status = Exchange<v1::EvaluateStreamRequest, v1::EvaluateStreamResponse>(
        context, *stub.EvaluateStream(&context), chunks->count(),
        [&](size_t index) {
          v1::EvaluateStreamRequest request;
          fill(chunks->Slice(index, input), request.mutable_evaluation());
          return request;
        },
        [&](size_t index, v1::EvaluateStreamResponse&& response) {
          return take(index, *response.mutable_result());
        });
  }
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<GradientResult> RunGradient(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options, GradientRequest request) {
  if (absl::Status status = Validate(request.input); !status.ok()) return status;
  if (absl::Status status = ValidateUpstream(request); !status.ok()) return status;
  if (absl::Status status = ValidateValues(request.activation, request.bias); !status.ok()) {
    return status;
  }
  const DataType type = request.output_type.value_or(request.input.type);
  const size_t request_bytes = SizeOf(request.input.type) * (request.upstream.has_value() ? 2 : 1);
  const size_t reply_bytes = SizeOf(type) * (request.return_value ? 2 : 1);
  const bool is_halved =
      request.upstream.has_value() && request.upstream->size() < request.input.size();
  const absl::StatusOr<Chunks> chunks =
      Chunks::Make(options, request.input, request.activation, request.bias,
                   std::max(request_bytes, reply_bytes), is_halved);
  if (!chunks.ok()) return chunks.status();
  GradientResult result{.gradient = chunks->MakeJoined(type)};
  if (request.return_value) result.value = chunks->MakeJoined(type);

  const auto fill = [&](v1::Tensor input, std::optional<v1::Tensor> upstream,
                        v1::GradientEvaluation* gradient) {
    *gradient->mutable_activation() = chunks->ForChunk(request.activation);
    *gradient->mutable_input() = std::move(input);
    gradient->set_output_type(ToProto(request.output_type));
    if (upstream.has_value()) *gradient->mutable_upstream() = *std::move(upstream);
    gradient->set_return_value(request.return_value);
    gradient->set_return_parameter_gradients(request.return_parameter_gradients);
    if (request.bias.has_value()) *gradient->mutable_bias() = chunks->ForChunk(*request.bias);
  };
  const auto take = [&](size_t index, v1::GradientResult& reply) {
    result.activation = TakeActivation(*chunks, reply.activation());
    absl::Status status = TakeParameterGradients(request, reply, result);
    if (!status.ok()) return status;
    status = chunks->Append(index, "gradient", reply.activation(),
                            std::move(*reply.mutable_gradient()), result.gradient);
    if (status.ok() && result.value.has_value()) {
      status = chunks->Append(index, "value", reply.activation(), std::move(*reply.mutable_value()),
                              *result.value);
    }
    return status;
  };

  absl::Status status;
  if (chunks->count() <= 1) {
    v1::GradientRequest message;
    std::optional<v1::Tensor> upstream;
    if (request.upstream.has_value()) upstream = ToProto(*std::move(request.upstream));
    fill(ToProto(std::move(request.input)), std::move(upstream), message.add_gradients());
    auto response =
        Call<v1::GradientResponse>(options, stub, &v1::ActivationService::Stub::Gradient, message);
    auto only = OnlyResult(response);
    status = only.ok() ? take(0, **only) : only.status();
  } else {
    grpc::ClientContext context;
    SetDeadline(options, context);
    status = Exchange<v1::GradientStreamRequest, v1::GradientStreamResponse>(
        context, *stub.GradientStream(&context), chunks->count(),
        [&](size_t index) {
          v1::GradientStreamRequest message;
          std::optional<v1::Tensor> upstream;
          if (request.upstream.has_value()) upstream = chunks->Slice(index, *request.upstream);
          fill(chunks->Slice(index, request.input), std::move(upstream),
               message.mutable_gradient());
          return message;
        },
        [&](size_t index, v1::GradientStreamResponse&& response) {
          return take(index, *response.mutable_result());
        });
  }
  if (!status.ok()) return status;
  return result;
}

}  // namespace activation
