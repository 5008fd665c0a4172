#include "tests/client/fake_service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/convert.h"
#include "client/tensor.h"
#include "grpcpp/health_check_service_interface.h"

namespace activation {
namespace {

constexpr double kDefaultFactor = 2;

grpc::Status FindFactor(const v1::Activation& activation, double& factor,
                        v1::Activation& resolved) {
  if (activation.name() != "scale") {
    return {grpc::StatusCode::NOT_FOUND, "no activation is named '" + activation.name() + "'"};
  }
  factor = kDefaultFactor;
  for (const auto& [name, value] : activation.parameters()) {
    if (name != "factor") {
      return {grpc::StatusCode::INVALID_ARGUMENT, "unknown parameter '" + name + "'"};
    }
    factor = value;
  }
  resolved.set_name("scale");
  (*resolved.mutable_parameters())["factor"] = factor;
  return grpc::Status::OK;
}

DataType TypeOf(v1::DataType type) { return DataTypeOf(type).value_or(DataType::kFloat32); }

std::vector<double> Numbers(const v1::Tensor& tensor) {
  return ToDoubles({.type = TypeOf(tensor.data_type()), .data = tensor.data()});
}

v1::Tensor Reply(const v1::Tensor& input, v1::DataType output_type, std::vector<double> numbers,
                 bool cut) {
  if (cut && !numbers.empty()) numbers.pop_back();
  const DataType type =
      TypeOf(output_type == v1::DATA_TYPE_UNSPECIFIED ? input.data_type() : output_type);
  return ToProto(
      MakeTensor(type, numbers, std::vector<int64_t>(input.shape().begin(), input.shape().end())));
}

}  // namespace

grpc::Status FakeService::Begin(grpc::ServerContext* context) {
  ++calls;
  const absl::Time until = absl::Now() + absl::Milliseconds(delay_ms.load());
  while (absl::Now() < until && !context->IsCancelled()) absl::SleepFor(absl::Milliseconds(2));
  if (unavailable.fetch_sub(1) > 0) return {grpc::StatusCode::UNAVAILABLE, "not now"};
  return grpc::Status::OK;
}

void FakeService::Measure(const google::protobuf::Message& message) {
  const auto bytes = static_cast<int64_t>(message.ByteSizeLong());
  int64_t largest = largest_message;
  while (bytes > largest && !largest_message.compare_exchange_weak(largest, bytes)) {
  }
}

grpc::Status FakeService::Answer(const v1::Evaluation& evaluation, v1::EvaluationResult& result) {
  double factor = 0;
  grpc::Status status = FindFactor(evaluation.activation(), factor, *result.mutable_activation());
  if (!status.ok()) return status;
  std::vector<double> numbers = Numbers(evaluation.input());
  for (double& number : numbers) number *= factor;
  *result.mutable_output() =
      Reply(evaluation.input(), evaluation.output_type(), std::move(numbers), short_replies);
  return grpc::Status::OK;
}

grpc::Status FakeService::Answer(const v1::GradientEvaluation& gradient, double& factor_gradient,
                                 v1::GradientResult& result) {
  double factor = 0;
  grpc::Status status = FindFactor(gradient.activation(), factor, *result.mutable_activation());
  if (!status.ok()) return status;
  const std::vector<double> x = Numbers(gradient.input());
  const std::vector<double> upstream =
      gradient.has_upstream() ? Numbers(gradient.upstream()) : std::vector<double>(x.size(), 1);
  if (upstream.size() != x.size()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "upstream: another size"};
  }
  std::vector<double> derivative(x.size());
  std::vector<double> value(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    derivative[i] = upstream[i] * factor;
    value[i] = x[i] * factor;
    factor_gradient += upstream[i] * x[i];
  }
  const v1::DataType type = gradient.output_type();
  *result.mutable_gradient() = Reply(gradient.input(), type, std::move(derivative), short_replies);
  if (gradient.return_value()) {
    *result.mutable_value() = Reply(gradient.input(), type, std::move(value), false);
  }
  if (gradient.return_parameter_gradients()) {
    (*result.mutable_parameter_gradients())["factor"] = factor_gradient;
  }
  return grpc::Status::OK;
}

grpc::Status FakeService::Evaluate(grpc::ServerContext* context, const v1::EvaluateRequest* request,
                                   v1::EvaluateResponse* response) {
  grpc::Status status = Begin(context);
  Measure(*request);
  for (const v1::Evaluation& evaluation : request->evaluations()) {
    if (status.ok()) status = Answer(evaluation, *response->add_results());
  }
  Measure(*response);
  return status;
}

grpc::Status FakeService::Gradient(grpc::ServerContext* context, const v1::GradientRequest* request,
                                   v1::GradientResponse* response) {
  grpc::Status status = Begin(context);
  Measure(*request);
  for (const v1::GradientEvaluation& gradient : request->gradients()) {
    double factor_gradient = 0;
    if (status.ok()) status = Answer(gradient, factor_gradient, *response->add_results());
  }
  Measure(*response);
  return status;
}

grpc::Status FakeService::AfterReply(int replies) {
  ++chunks;
  if (replies == replies_before_failure) return {grpc::StatusCode::ABORTED, "enough"};
  return grpc::Status::OK;
}

grpc::Status FakeService::EvaluateStream(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::EvaluateStreamResponse, v1::EvaluateStreamRequest>* stream) {
  grpc::Status status = Begin(context);
  v1::EvaluateStreamRequest request;
  for (int replies = 1; status.ok() && replies <= replies_per_stream && stream->Read(&request);
       ++replies) {
    Measure(request);
    v1::EvaluateStreamResponse response;
    status = Answer(request.evaluation(), *response.mutable_result());
    Measure(response);
    if (status.ok() && stream->Write(response)) status = AfterReply(replies);
  }
  return status;
}

grpc::Status FakeService::GradientStream(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::GradientStreamResponse, v1::GradientStreamRequest>* stream) {
  grpc::Status status = Begin(context);
  double factor_gradient = 0;
  v1::GradientStreamRequest request;
  for (int replies = 1; status.ok() && replies <= replies_per_stream && stream->Read(&request);
       ++replies) {
    Measure(request);
    v1::GradientStreamResponse response;
    status = Answer(request.gradient(), factor_gradient, *response.mutable_result());
    Measure(response);
    if (status.ok() && stream->Write(response)) status = AfterReply(replies);
  }
  return status;
}

grpc::Status FakeService::CompareApproximations(grpc::ServerContext* context,
                                                const v1::CompareApproximationsRequest* request,
                                                v1::CompareApproximationsResponse* response) {
  grpc::Status status = Begin(context);
  *response->mutable_reference() = request->reference();
  for (int i = 0; i < request->candidates_size(); ++i) {
    v1::ApproximationReport& report = *response->add_reports();
    *report.mutable_candidate() = request->candidates(i);
    report.set_points(request->has_grid()
                          ? request->grid().points()
                          : static_cast<int64_t>(Numbers(request->points()).size()));
    report.mutable_max_absolute_error()->set_error(0.5);
    report.mutable_max_absolute_error()->set_x(request->grid().from());
    report.set_mean_absolute_error(i);
  }
  return status;
}

grpc::Status FakeService::CompareApproximationsStream(
    grpc::ServerContext* context, const v1::CompareApproximationsStreamRequest* request,
    grpc::ServerWriter<v1::CompareApproximationsStreamResponse>* stream) {
  v1::CompareApproximationsStreamResponse update;
  for (const int done : {1, 2}) {
    update.mutable_progress()->set_done(done);
    update.mutable_progress()->set_total(2);
    stream->Write(update);
  }
  grpc::Status status =
      CompareApproximations(context, &request->comparison(), update.mutable_report());
  if (status.ok() && !context->IsCancelled()) stream->Write(update);
  return status;
}

grpc::Status FakeService::ListActivations(grpc::ServerContext* context,
                                          const v1::ListActivationsRequest* /*request*/,
                                          v1::ListActivationsResponse* response) {
  v1::ActivationInfo& info = *response->add_activations();
  info.set_name("scale");
  info.add_aliases("fake:scale");
  info.set_formula("factor * x");
  info.set_derivative("factor");
  info.set_description("A straight line.");
  v1::ParameterInfo& factor = *info.add_parameters();
  factor.set_name("factor");
  factor.set_default_value(kDefaultFactor);
  factor.set_minimum(-10);
  factor.set_maximum(10);
  v1::PresetInfo& preset = *response->add_presets();
  preset.set_name("scale_by_sum");
  preset.set_reference("scale");
  preset.set_description("Sums in place of a product.");
  preset.set_source("Nowhere, 2000");
  preset.set_formula("x+x");
  return Begin(context);
}

grpc::Status FakeService::GetServerInfo(grpc::ServerContext* context,
                                        const v1::GetServerInfoRequest* /*request*/,
                                        v1::GetServerInfoResponse* response) {
  response->set_version("0.0.0-fake");
  response->set_simd_target("NONE");
  return Begin(context);
}

std::unique_ptr<grpc::Server> StartFake(FakeService& service, const std::string& address,
                                        int* port) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server != nullptr) {
    server->GetHealthCheckService()->SetServingStatus(v1::ActivationService::service_full_name(),
                                                      true);
  }
  return server;
}

}  // namespace activation
