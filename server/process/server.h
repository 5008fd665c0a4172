// A running activation server: the gRPC service with health, reflection and TLS, and beside it the
// port on which Prometheus finds the metrics.
//
// gRPC's health answers for "" and for "activation.v1.ActivationService". What it logs (to standard
// error): one line "metrics on HOST:PORT", then for each address one line "listening on ADDRESS",
// with the port that was bound; when these lines are out, calls are served. Then a line per step of
// the drain.
#ifndef ACTIVATION_SERVER_PROCESS_SERVER_H_
#define ACTIVATION_SERVER_PROCESS_SERVER_H_

#include <absl/status/statusor.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>
#include <prometheus/exposer.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "server/process/config.h"
#include "server/process/stop_signals.h"
#include "server/rpc/metrics.h"

namespace activation::server {

class Server {
 public:
  // Serves when it returns. Otherwise the status says which address or file was in the way.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config);

  // Ends it without losing a call: health says NOT_SERVING for the lame-duck time while calls are
  // still served, then no new call is taken, and those in flight have until the shutdown timeout
  // before they are cancelled. A signal cuts the step under way short. Call it once.
  void Drain(const StopSignals& signals);

 private:
  explicit Server(const Config& config) : config_(config) {}

  absl::Status StartMetrics();
  absl::Status StartService();

  const Config config_;
  // In the order of need: what comes later uses what comes before.
  Metrics metrics_;
  // ActivationService's calls that are not over.
  std::atomic<int64_t> calls_ = 0;
  std::unique_ptr<prometheus::Exposer> exposer_;
  std::shared_ptr<prometheus::Collectable> process_metrics_;
  std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_SERVER_H_
