// The process's own figures, read from /proc whenever Prometheus asks, under the names that all
// Prometheus clients use:
//
//   process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
//   process_open_fds, process_max_fds, process_start_time_seconds (since 1970), process_threads
//
// A figure that the system does not give is left out.
#ifndef ACTIVATION_SERVER_PROCESS_PROCESS_METRICS_H_
#define ACTIVATION_SERVER_PROCESS_PROCESS_METRICS_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

namespace activation::server {

class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_PROCESS_METRICS_H_
