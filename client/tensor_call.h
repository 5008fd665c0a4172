// What Evaluate and Gradient share: a tensor goes as one message or, where it is larger than a
// chunk, as a stream of chunks.
#ifndef ACTIVATION_CLIENT_TENSOR_CALL_H_
#define ACTIVATION_CLIENT_TENSOR_CALL_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "activation/v1/activation.grpc.pb.h"
#include "client/call.h"
#include "client/chunks.h"
#include "client/convert.h"
#include "client/exchange.h"
#include "client/options.h"
#include "client/requests.h"
#include "client/retry.h"

namespace activation {

// INVALID_ARGUMENT unless each tensor of the activation, and the bias, is one.
absl::Status ValidateValues(const Activation& activation, const std::optional<AxisTensor>& bias);

// The activation of a reply, with the axis of the whole tensor.
Activation TakeActivation(const Chunks& chunks, const v1::Activation& reply);

// The fields that the items of both calls have.
template <class Item>
void Fill(const Chunks& chunks, size_t index, const Activation& activation, Tensor& input,
          std::optional<DataType> output_type, const std::optional<AxisTensor>& bias, Item& item) {
  *item.mutable_activation() = chunks.ForChunk(activation);
  *item.mutable_input() = chunks.Take(index, input);
  item.set_output_type(ToProto(output_type));
  if (bias.has_value()) *item.mutable_bias() = chunks.ForChunk(*bias);
}

// Sends each chunk as `fill` makes it, and hands its result to `take`. Where there are more chunks
// than one, `fill` may be called again from the first on, for another attempt. Rpc names the call's
// messages and methods.
template <class Rpc>
absl::Status RunTensorCall(v1::ActivationService::Stub& stub, const ClientOptions& options,
                           const Chunks& chunks,
                           absl::FunctionRef<void(size_t, typename Rpc::Item&)> fill,
                           absl::FunctionRef<absl::Status(size_t, typename Rpc::Result&)> take) {
  if (chunks.count() <= 1) {
    typename Rpc::Request request;
    fill(0, *Rpc::AddItem(request));
    absl::StatusOr<typename Rpc::Response> response =
        Call<typename Rpc::Response>(options, stub, Rpc::kUnary, request);
    if (!response.ok()) return response.status();
    if (response->results_size() == 1) return take(0, *response->mutable_results(0));
    return ReplyDoesNotFit(absl::StrCat(response->results_size(), " results to 1 item"));
  }
  const absl::Time deadline = DeadlineFromNow(options);
  return Retry(options.retry, deadline, [&](bool& has_reply) {
    grpc::ClientContext context;
    SetDeadline(deadline, context);
    return Exchange<typename Rpc::StreamRequest, typename Rpc::StreamResponse>(
        context, *(stub.*Rpc::kStream)(&context), chunks.count(),
        [&](size_t index) {
          typename Rpc::StreamRequest request;
          fill(index, *Rpc::ItemOf(request));
          return request;
        },
        [&](size_t index, typename Rpc::StreamResponse&& response) {
          has_reply = true;
          return take(index, *response.mutable_result());
        });
  });
}

}  // namespace activation

#endif  // ACTIVATION_CLIENT_TENSOR_CALL_H_
