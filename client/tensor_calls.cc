#include "client/tensor_calls.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/exchange.h"

namespace activation {
namespace {

// A tensor's elements in pieces of `chunk` each, the last one shorter.
struct Chunks {
  size_t elements;
  size_t chunk;

  size_t count() const { return (elements + chunk - 1) / chunk; }
  size_t size(size_t index) const { return std::min(chunk, elements - index * chunk); }

  v1::Tensor Slice(size_t index, const Tensor& tensor) const {
    const size_t bytes = SizeOf(tensor.type);
    return ToProto(Tensor{.type = tensor.type,
                          .data = tensor.data.substr(index * chunk * bytes, size(index) * bytes)});
  }

  // Adds one reply's elements to those before; a whole tensor is taken over without a copy.
  absl::Status Append(size_t index, const char* what, v1::Tensor&& reply, Tensor& joined) const {
    absl::StatusOr<Tensor> part = FromProto(std::move(reply), what, joined.type, size(index));
    if (!part.ok()) return part.status();
    if (count() <= 1) {
      joined.data = std::move(part->data);
    } else {
      joined.data += part->data;
    }
    return absl::OkStatus();
  }

  // Where replies are joined.
  Tensor MakeJoined(DataType type, const Tensor& input) const {
    Tensor joined{.type = type, .shape = input.shape};
    if (count() > 1) joined.data.reserve(elements * SizeOf(type));
    return joined;
  }
};

// Pieces of which request and reply, at most `bytes_per_element` each way, stay within chunk_bytes.
Chunks Split(const ClientOptions& options, const Tensor& input, size_t bytes_per_element) {
  const size_t chunk = static_cast<size_t>(options.chunk_bytes) / bytes_per_element;
  return {.elements = input.size(), .chunk = std::max(size_t{1}, chunk)};
}

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
  if (upstream.type == request.input.type && upstream.size() == request.input.size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "upstream has ", upstream.size(), " elements of ", NameOf(upstream.type), "; the input has ",
      request.input.size(), " of ", NameOf(request.input.type), ", and both must be alike"));
}

}  // namespace

absl::StatusOr<EvaluateResult> RunEvaluate(v1::ActivationService::Stub& stub,
                                           const ClientOptions& options,
                                           const Activation& activation, Tensor input,
                                           std::optional<DataType> output_type) {
  if (absl::Status status = Validate(input); !status.ok()) return status;
  const DataType type = output_type.value_or(input.type);
  const Chunks chunks = Split(options, input, std::max(SizeOf(input.type), SizeOf(type)));
  EvaluateResult result{.output = chunks.MakeJoined(type, input)};

  const auto fill = [&](v1::Tensor tensor, v1::Evaluation* evaluation) {
    *evaluation->mutable_activation() = ToProto(activation);
    *evaluation->mutable_input() = std::move(tensor);
    evaluation->set_output_type(ToProto(output_type));
  };
  const auto take = [&](size_t index, v1::EvaluationResult& reply) {
    result.activation = FromProto(reply.activation());
    return chunks.Append(index, "output", std::move(*reply.mutable_output()), result.output);
  };

  absl::Status status;
  if (chunks.count() <= 1) {
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
        context, *stub.EvaluateStream(&context), chunks.count(),
        [&](size_t index) {
          v1::EvaluateStreamRequest request;
          fill(chunks.Slice(index, input), request.mutable_evaluation());
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
  const DataType type = request.output_type.value_or(request.input.type);
  const size_t request_bytes = SizeOf(request.input.type) * (request.upstream.has_value() ? 2 : 1);
  const size_t reply_bytes = SizeOf(type) * (request.return_value ? 2 : 1);
  const Chunks chunks = Split(options, request.input, std::max(request_bytes, reply_bytes));
  GradientResult result{.gradient = chunks.MakeJoined(type, request.input)};
  if (request.return_value) result.value = chunks.MakeJoined(type, request.input);

  const auto fill = [&](v1::Tensor input, std::optional<v1::Tensor> upstream,
                        v1::GradientEvaluation* gradient) {
    *gradient->mutable_activation() = ToProto(request.activation);
    *gradient->mutable_input() = std::move(input);
    gradient->set_output_type(ToProto(request.output_type));
    if (upstream.has_value()) *gradient->mutable_upstream() = *std::move(upstream);
    gradient->set_return_value(request.return_value);
    gradient->set_return_parameter_gradients(request.return_parameter_gradients);
  };
  const auto take = [&](size_t index, v1::GradientResult& reply) {
    result.activation = FromProto(reply.activation());
    // Totals so far, so that the last reply's are those of the whole tensor.
    result.parameter_gradients = {reply.parameter_gradients().begin(),
                                  reply.parameter_gradients().end()};
    absl::Status status =
        chunks.Append(index, "gradient", std::move(*reply.mutable_gradient()), result.gradient);
    if (status.ok() && result.value.has_value()) {
      status = chunks.Append(index, "value", std::move(*reply.mutable_value()), *result.value);
    }
    return status;
  };

  absl::Status status;
  if (chunks.count() <= 1) {
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
        context, *stub.GradientStream(&context), chunks.count(),
        [&](size_t index) {
          v1::GradientStreamRequest message;
          std::optional<v1::Tensor> upstream;
          if (request.upstream.has_value()) upstream = chunks.Slice(index, *request.upstream);
          fill(chunks.Slice(index, request.input), std::move(upstream), message.mutable_gradient());
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
