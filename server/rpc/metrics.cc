#include "server/rpc/metrics.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <prometheus/family.h>
#include <prometheus/labels.h>

#include <algorithm>
#include <iterator>

#include "activation/v1/activation.pb.h"
#include "proto/element_type.h"

namespace activation::server {
namespace {

// By status code, spelt as go-grpc-prometheus does.
constexpr std::array<const char*, kStatusCodeCount> kStatusCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

// Durations in seconds, from the cheapest call on to a long comparison.
constexpr double kSeconds[] = {10e-6,  25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3,
                               2.5e-3, 5e-3,  10e-3, 25e-3,  50e-3,  0.1,    0.25,
                               0.5,    1,     2.5,   5,      10,     30};

struct Method {
  bool is_ours;
  std::string service;
  std::string name;
  bool client_streaming;
  bool server_streaming;
};

std::vector<Method> Methods() {
  // gRPC's own, whose descriptors are not in the program.
  std::vector<Method> methods = {
      {false, "grpc.health.v1.Health", "Check", false, false},
      {false, "grpc.health.v1.Health", "Watch", false, true},
      {false, "grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo", true, true},
  };
  const google::protobuf::ServiceDescriptor* service =
      v1::EvaluateRequest::descriptor()->file()->service(0);
  for (int i = 0; i < service->method_count(); ++i) {
    const google::protobuf::MethodDescriptor* method = service->method(i);
    methods.push_back({true, service->full_name(), method->name(), method->client_streaming(),
                       method->server_streaming()});
  }
  return methods;
}

const char* TypeName(const Method& method) {
  if (method.client_streaming) return method.server_streaming ? "bidi_stream" : "client_stream";
  return method.server_streaming ? "server_stream" : "unary";
}

}  // namespace

Metrics::Metrics() : registry_(std::make_shared<prometheus::Registry>()) {
  AddRpcs();
  AddElementCounters();
  prometheus::BuildGauge()
      .Name("activation_build_info")
      .Help("1, with the server's version and the instruction set in use")
      .Register(*registry_)
      .Add({{"version", ACTIVATION_VERSION},
            {"simd_target", engine::SimdTarget()},
            {"compiler", ACTIVATION_COMPILER}})
      .Set(1);
}

void Metrics::AddRpcs() {
  using prometheus::BuildCounter;
  prometheus::Registry& registry = *registry_;
  auto& started =
      BuildCounter().Name("grpc_server_started_total").Help("Calls begun").Register(registry);
  auto& handled = BuildCounter()
                      .Name("grpc_server_handled_total")
                      .Help("Calls ended, by status code")
                      .Register(registry);
  auto& received = BuildCounter()
                       .Name("grpc_server_msg_received_total")
                       .Help("Messages received")
                       .Register(registry);
  auto& sent =
      BuildCounter().Name("grpc_server_msg_sent_total").Help("Messages sent").Register(registry);
  auto& in_flight = prometheus::BuildGauge()
                        .Name("grpc_server_in_flight")
                        .Help("Calls begun and not yet ended")
                        .Register(registry);
  auto& seconds = prometheus::BuildHistogram()
                      .Name("grpc_server_handling_seconds")
                      .Help("Time from a call's arrival to its status, in seconds")
                      .Register(registry);
  const prometheus::Histogram::BucketBoundaries buckets(std::begin(kSeconds), std::end(kSeconds));
  for (const Method& method : Methods()) {
    const prometheus::Labels labels = {{"grpc_type", TypeName(method)},
                                       {"grpc_service", method.service},
                                       {"grpc_method", method.name}};
    RpcMetrics& rpc = rpcs_[absl::StrCat("/", method.service, "/", method.name)];
    rpc.is_ours = method.is_ours;
    rpc.started = &started.Add(labels);
    rpc.messages_received = &received.Add(labels);
    rpc.messages_sent = &sent.Add(labels);
    rpc.in_flight = &in_flight.Add(labels);
    rpc.handling_seconds = &seconds.Add(labels, buckets);
    for (int code = 0; code < kStatusCodeCount; ++code) {
      prometheus::Labels with_code = labels;
      with_code["grpc_code"] = kStatusCodeNames[code];
      rpc.handled[code] = &handled.Add(with_code);
    }
  }
}

void Metrics::AddElementCounters() {
  auto& elements = prometheus::BuildCounter()
                       .Name("activation_elements_total")
                       .Help("Input elements computed, by activation and data type")
                       .Register(*registry_);
  const auto add_counters = [&](const char* name, ElementCounters& counters) {
    for (size_t i = 0; i < kDataTypeCount; ++i) {
      counters[i] = &elements.Add({{"activation", name}, {"data_type", kElementTypes[i].name}});
    }
  };
  for (const engine::Spec* spec : engine::Catalogue()) {
    add_counters(spec->name, elements_.emplace_back());
  }
  for (const engine::RowSpec* row : engine::RowCatalogue()) {
    add_counters(row->name, row_elements_.emplace_back());
  }
  add_counters("formula", formula_elements_);
}

void Metrics::AddElements(const engine::Spec& activation, DataType input_type, int64_t count) {
  elements_[engine::IndexOf(activation)][static_cast<size_t>(input_type)]->Increment(
      static_cast<double>(count));
}

void Metrics::AddElements(const engine::RowSpec& activation, DataType input_type, int64_t count) {
  const auto rows = engine::RowCatalogue();
  const auto place = std::ranges::find(rows, &activation) - rows.begin();
  row_elements_[static_cast<size_t>(place)][static_cast<size_t>(input_type)]->Increment(
      static_cast<double>(count));
}

void Metrics::AddFormulaElements(DataType input_type, int64_t count) {
  formula_elements_[static_cast<size_t>(input_type)]->Increment(static_cast<double>(count));
}

const RpcMetrics* Metrics::FindRpc(std::string_view method) const {
  const auto found = rpcs_.find(method);
  return found == rpcs_.end() ? nullptr : &found->second;
}

}  // namespace activation::server
