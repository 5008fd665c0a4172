#include "server/process/server.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/time/clock.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <malloc.h>

#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "activation/v1/activation.grpc.pb.h"
#include "server/process/process_metrics.h"
#include "server/process/tls.h"
#include "server/rpc/metrics_interceptor.h"
#include "server/rpc/service.h"

namespace activation::server {
namespace {

// Between two looks at whether the server has stopped; and how many of them in a row must find no
// call of ours before other calls are cancelled: one that has just arrived may not be counted yet.
constexpr absl::Duration kLook = absl::Milliseconds(10);
constexpr int kQuietLooks = 30;

void Log(absl::string_view line) { std::cerr << absl::StrCat(line, "\n") << std::flush; }

// Keeps large freed blocks for the next message. By default glibc returns them to the kernel at
// once, and the page faults on fresh ones cost more than all other work on a message of 1 MiB:
// 2,229 us a call against 748 us with this. The price: memory stays at the peak that was needed.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void SetTransport(const Limits& limits, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(limits.max_message_bytes));
  builder.SetMaxSendMessageSize(static_cast<int>(limits.max_message_bytes));
  // Requests that are still arriving are not yet among the pending ones. This bounds both: as it
  // fills up, gRPC asks clients for less at a time, and in the end resets calls
  // (RESOURCE_EXHAUSTED). Twice as much, so that the pending ones meet their own limit first, which
  // has a clearer message.
  grpc::ResourceQuota quota("activation-server");
  builder.SetResourceQuota(quota.Resize(2 * static_cast<size_t>(limits.max_pending_bytes)));
  // By default a second server on the same port starts, and takes some of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Clients may send keepalive pings each 10 s, also without a call; gRPC's default closes the
  // connection of one that pings more often than each 5 minutes.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Finds peers that vanished without a word, within 80 s.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
}

// gRPC's reflection library puts itself into every server of a program that links it. This takes it
// out.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) {
      return dynamic_cast<grpc::reflection::ProtoServerReflectionPlugin*>(plugin.get()) != nullptr;
    });
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config) {
  KeepFreedMemory();
  // It would write a line for each name of a request that is not UTF-8.
  google::protobuf::SetLogHandler(nullptr);
  std::unique_ptr<Server> server(new Server(config));
  if (absl::Status status = server->StartMetrics(); !status.ok()) return status;
  if (absl::Status status = server->StartService(); !status.ok()) return status;
  return server;
}

absl::Status Server::StartMetrics() {
  const std::optional<ListenAddress>& address = config_->metrics_listen;
  if (!address.has_value()) return absl::OkStatus();
  try {
    // Each connection takes a thread while its request arrives, so a few slow ones must not be all.
    exposer_ = std::make_unique<prometheus::Exposer>(std::vector<std::string>{
        "listening_ports", address->ToString(), "num_threads", "16", "request_timeout_ms", "2000"});
  } catch (const std::exception&) {  // Its text says nothing more.
    return absl::UnavailableError(absl::StrCat(
        "can't serve metrics on ", address->ToString(),
        ": another process has that port, or the address is not one of this machine's"));
  }
  process_metrics_ = std::make_shared<ProcessMetrics>();
  exposer_->RegisterCollectable(metrics_.registry());
  exposer_->RegisterCollectable(process_metrics_);
  Log(absl::StrCat("metrics on ", address->ToString(exposer_->GetListeningPorts().front())));
  return absl::OkStatus();
}

absl::Status Server::StartService() {
  const Settings& settings = *config_.operator->();
  auto credentials = MakeCredentials(settings.tls);
  if (!credentials.ok()) return credentials.status();
  for (const ListenAddress& address : settings.listen) {
    if (absl::Status status = address.CheckUnclaimed(); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat("can't listen on ", address.ToString(), ": ",
                                                      status.message()));
    }
  }

  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (!settings.reflection) builder.SetOption(std::make_unique<WithoutReflection>());
  SetTransport(settings.limits, builder);
  std::vector<int> ports(settings.listen.size(), 0);
  for (size_t i = 0; i < ports.size(); ++i) {
    builder.AddListeningPort(settings.listen[i].ToString(), *credentials, &ports[i]);
  }
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeMetricsInterceptor(metrics_, calls_));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  service_ = MakeService(settings.limits, static_cast<int>(settings.threads), metrics_);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    // Ports are bound in order, and the first that fails is the last that is tried.
    const size_t failed = std::find(ports.begin(), ports.end(), 0) - ports.begin();
    return absl::UnavailableError(absl::StrCat(
        "can't listen on ", settings.listen[failed].ToString(),
        ": another process has it, or the address is not one that this process may use"));
  }
  server_->GetHealthCheckService()->SetServingStatus(v1::ActivationService::service_full_name(),
                                                     true);
  for (size_t i = 0; i < ports.size(); ++i) {
    Log(absl::StrCat("listening on ", settings.listen[i].ToString(ports[i])));
  }
  return absl::OkStatus();
}

void Server::Drain(const StopSignals& signals) {
  Log(absl::StrCat("draining: health says NOT_SERVING, calls are still served for ",
                   absl::FormatDuration(config_->lame_duck)));
  server_->GetHealthCheckService()->Shutdown();
  signals.WaitFor(config_->lame_duck);

  Log(absl::StrCat("stopping: calls in flight may end within ",
                   absl::FormatDuration(config_->shutdown_timeout)));
  const auto deadline = absl::ToChronoTime(absl::Now() + config_->shutdown_timeout);
  const std::future<void> stopped =
      std::async(std::launch::async, [this, deadline] { server_->Shutdown(deadline); });
  const auto is_stopped = [&stopped] {
    return stopped.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  int quiet_looks = 0;
  while (!is_stopped()) {
    const bool hurry = signals.WaitFor(kLook);
    quiet_looks = calls_ == 0 ? quiet_looks + 1 : 0;
    if (hurry || quiet_looks == kQuietLooks) grpc_server_cancel_all_calls(server_->c_server());
  }
  Log("stopped");
}

}  // namespace activation::server
