#include "client/evaluate_call.h"

#include <algorithm>
#include <utility>

#include "client/tensor_call.h"

namespace activation {
namespace {

// The names that RunTensorCall needs; gradient_call.cc has its own.
struct EvaluateRpc {
  using Stub = v1::ActivationService::Stub;
  using Item = v1::Evaluation;
  using Result = v1::EvaluationResult;
  using Request = v1::EvaluateRequest;
  using Response = v1::EvaluateResponse;
  using StreamRequest = v1::EvaluateStreamRequest;
  using StreamResponse = v1::EvaluateStreamResponse;
  static constexpr auto kUnary = &Stub::Evaluate;
  static constexpr auto kStream = &Stub::EvaluateStream;
  static Item* AddItem(Request& request) { return request.add_evaluations(); }
  static Item* ItemOf(StreamRequest& request) { return request.mutable_evaluation(); }
};

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
  absl::Status status = RunTensorCall<EvaluateRpc>(
      stub, options, *chunks,
      [&](size_t index, v1::Evaluation& item) {
        Fill(*chunks, index, activation, input, output_type, bias, item);
      },
      [&](size_t index, v1::EvaluationResult& reply) {
        result.activation = TakeActivation(*chunks, reply.activation());
        return chunks->Append(index, "output", reply.activation(),
                              std::move(*reply.mutable_output()), result.output);
      });
  if (!status.ok()) return status;
  return result;
}

}  // namespace activation
