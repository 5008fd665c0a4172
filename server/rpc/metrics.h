// What the server measures, in Prometheus's form, served on a port of its own (see
// server/process/server.h).
//
//   grpc_server_started_total, _handled_total, _handling_seconds, _msg_received_total,
//   _msg_sent_total   by grpc_type, grpc_service and grpc_method, named and labelled as
//                     go-grpc-prometheus does, so that existing dashboards fit; handled also by
//                     grpc_code
//   grpc_server_in_flight      calls begun and not yet ended, by the same labels
//
//   activation_elements_total  input elements computed, by activation (canonical name) and
//   data_type
//
//   activation_build_info      1, with the version and the SIMD target as labels
//
//   process_*                  see server/process/process_metrics.h
//
// Every time series is made at start-up, since looking one up in prometheus-cpp costs up to 7 us,
// and so that rates have a zero to start from. Labels come from the catalogue and the service
// descriptor, never from a client. All methods but the constructor are thread-safe.
#ifndef ACTIVATION_SERVER_RPC_METRICS_H_
#define ACTIVATION_SERVER_RPC_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proto/element_type.h"
#include "server/engine/engine.h"
#include "server/engine/rows.h"

namespace activation::server {

// Status codes of gRPC, OK (0) to UNAUTHENTICATED (16).
inline constexpr int kStatusCodeCount = 17;

// The time series of one method of one gRPC service. The pointers are valid as long as the Metrics.
struct RpcMetrics {
  // Whether it is one of ActivationService's, not of health's or reflection's.
  bool is_ours;
  prometheus::Counter* started;
  prometheus::Counter* messages_received;
  prometheus::Counter* messages_sent;
  prometheus::Gauge* in_flight;
  prometheus::Histogram* handling_seconds;
  std::array<prometheus::Counter*, kStatusCodeCount> handled;
};

class Metrics {
 public:
  Metrics();

  // Counts `count` elements of type `input_type` that went through an activation, one of
  // engine::Catalogue()'s or of engine::RowCatalogue()'s. Takes some 10 ns.
  void AddElements(const engine::Spec& activation, DataType input_type, int64_t count);
  void AddElements(const engine::RowSpec& activation, DataType input_type, int64_t count);
  // Those that went through formulas of callers' own, all under the label "formula".
  void AddFormulaElements(DataType input_type, int64_t count);

  // The time series of a method, as "/activation.v1.ActivationService/Evaluate"; null if it is
  // neither ActivationService's nor health's nor reflection's.
  const RpcMetrics* FindRpc(std::string_view method) const;

  // What to expose.
  const std::shared_ptr<prometheus::Registry>& registry() const { return registry_; }

 private:
  void AddRpcs();
  void AddElementCounters();

  using ElementCounters = std::array<prometheus::Counter*, kDataTypeCount>;

  std::shared_ptr<prometheus::Registry> registry_;
  // By the activation's place in its catalogue.
  std::vector<ElementCounters> elements_;
  std::vector<ElementCounters> row_elements_;
  ElementCounters formula_elements_;
  std::map<std::string, RpcMetrics, std::less<>> rpcs_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_METRICS_H_
