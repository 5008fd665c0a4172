#include "client/client.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "activation/v1/activation.grpc.pb.h"
#include "client/call.h"
#include "client/channel.h"
#include "client/evaluate_call.h"
#include "client/gradient_call.h"
#include "client/reply_status.h"
#include "grpcpp/grpcpp.h"
#include "health.grpc.pb.h"

namespace activation {

struct Client::Connection {
  ClientOptions options;
  std::unique_ptr<v1::ActivationService::Stub> service;
  std::unique_ptr<grpc::health::v1::Health::Stub> health;
};

namespace {

// The elements of a tensor whose type is Element's.
template <class Element>
std::vector<Element> Elements(const Tensor& tensor) {
  std::vector<Element> elements(tensor.size());
  std::copy_n(tensor.data.data(), tensor.data.size(), reinterpret_cast<char*>(elements.data()));
  return elements;
}

template <class Element>
absl::StatusOr<std::vector<Element>> Values(const Client& client, std::string_view name,
                                            std::span<const Element> x,
                                            const Parameters& parameters) {
  absl::StatusOr<EvaluateResult> result =
      client.Evaluate({.name = std::string(name), .parameters = parameters}, MakeTensor(x));
  if (!result.ok()) return result.status();
  return Elements<Element>(result->output);
}

template <class Element>
absl::StatusOr<std::vector<Element>> Gradients(const Client& client, std::string_view name,
                                               std::span<const Element> x,
                                               const Parameters& parameters) {
  absl::StatusOr<GradientResult> result =
      client.Gradient({.activation = {.name = std::string(name), .parameters = parameters},
                       .input = MakeTensor(x)});
  if (!result.ok()) return result.status();
  return Elements<Element>(result->gradient);
}

}  // namespace

Client::Client(std::shared_ptr<const Connection> connection) : connection_(std::move(connection)) {}

absl::StatusOr<Client> Client::Make(ClientOptions options) {
  absl::StatusOr<std::shared_ptr<grpc::Channel>> channel = MakeChannel(options);
  if (!channel.ok()) return channel.status();
  return Client(std::make_shared<const Connection>(
      Connection{.options = std::move(options),
                 .service = v1::ActivationService::NewStub(*channel),
                 .health = grpc::health::v1::Health::NewStub(*channel)}));
}

// Not templates: a vector converts to a span of its own type only where that type is written out.
absl::StatusOr<std::vector<float>> Client::Evaluate(std::string_view name, std::span<const float> x,
                                                    const Parameters& parameters) const {
  return Values(*this, name, x, parameters);
}

absl::StatusOr<std::vector<double>> Client::Evaluate(std::string_view name,
                                                     std::span<const double> x,
                                                     const Parameters& parameters) const {
  return Values(*this, name, x, parameters);
}

absl::StatusOr<std::vector<float>> Client::Gradient(std::string_view name, std::span<const float> x,
                                                    const Parameters& parameters) const {
  return Gradients(*this, name, x, parameters);
}

absl::StatusOr<std::vector<double>> Client::Gradient(std::string_view name,
                                                     std::span<const double> x,
                                                     const Parameters& parameters) const {
  return Gradients(*this, name, x, parameters);
}

absl::StatusOr<EvaluateResult> Client::Evaluate(const Activation& activation, Tensor input,
                                                std::optional<DataType> output_type,
                                                const std::optional<AxisTensor>& bias) const {
  return RunEvaluate(*connection_->service, connection_->options, activation, std::move(input),
                     output_type, bias);
}

absl::StatusOr<GradientResult> Client::Gradient(GradientRequest request) const {
  return RunGradient(*connection_->service, connection_->options, std::move(request));
}

absl::StatusOr<v1::CompareApproximationsResponse> Client::Compare(
    const v1::CompareApproximationsRequest& request) const {
  return Call<v1::CompareApproximationsResponse>(
      connection_->options, *connection_->service,
      &v1::ActivationService::Stub::CompareApproximations, request);
}

absl::StatusOr<v1::CompareApproximationsResponse> Client::Compare(
    const v1::CompareApproximationsRequest& request,
    const std::function<void(const v1::CompareProgress&)>& on_progress,
    const std::stop_token& stop) const {
  grpc::ClientContext context;
  SetDeadline(DeadlineFromNow(connection_->options), context);
  v1::CompareApproximationsStreamRequest message;
  *message.mutable_comparison() = request;
  const auto stream = connection_->service->CompareApproximationsStream(&context, message);
  const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
  std::optional<v1::CompareApproximationsResponse> report;
  for (v1::CompareApproximationsStreamResponse update; stream->Read(&update);) {
    if (update.has_report()) report = std::move(*update.mutable_report());
    if (update.has_progress()) on_progress(update.progress());
  }
  const absl::Status status = FromGrpc(stream->Finish());
  if (absl::IsCancelled(status) && stop.stop_requested()) {
    return absl::CancelledError("stopped before the end, as asked for");
  }
  if (!status.ok()) return status;
  if (report.has_value()) return *std::move(report);
  return ReplyDoesNotFit("it ended without report");
}

absl::StatusOr<v1::ListActivationsResponse> Client::List() const {
  return Call<v1::ListActivationsResponse>(connection_->options, *connection_->service,
                                           &v1::ActivationService::Stub::ListActivations,
                                           v1::ListActivationsRequest());
}

absl::StatusOr<v1::GetServerInfoResponse> Client::Info() const {
  return Call<v1::GetServerInfoResponse>(connection_->options, *connection_->service,
                                         &v1::ActivationService::Stub::GetServerInfo,
                                         v1::GetServerInfoRequest());
}

absl::Status Client::Health(std::string_view service) const {
  using grpc::health::v1::HealthCheckResponse;
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(std::string(service));
  absl::StatusOr<HealthCheckResponse> response = Call<HealthCheckResponse>(
      connection_->options, *connection_->health, &grpc::health::v1::Health::Stub::Check, request);
  if (!response.ok()) return response.status();
  if (response->status() == HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the server says ", HealthCheckResponse::ServingStatus_Name(response->status()),
                   ", not SERVING"));
}

}  // namespace activation
