#include "server/process/process_metrics.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <prometheus/client_metric.h>
#include <prometheus/metric_type.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

namespace activation::server {
namespace {

// Places in /proc/self/stat after the command's closing parenthesis; proc(5) counts from 3 there.
enum StatField {
  kUserTicks = 11,
  kSystemTicks = 12,
  kThreads = 17,
  kStartTicks = 19,
  kVirtualBytes = 20,
  kResidentPages = 21
};

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Stat {
 public:
  Stat() : text_(ReadFile("/proc/self/stat")) {
    const size_t command_end = text_.rfind(')');
    if (command_end != std::string::npos && command_end + 2 <= text_.size()) {
      fields_ = absl::StrSplit(absl::string_view(text_).substr(command_end + 2), ' ');
    }
  }

  std::optional<double> Get(StatField field) const {
    double value = 0;
    if (fields_.size() <= field || !absl::SimpleAtod(fields_[field], &value)) return std::nullopt;
    return value;
  }

 private:
  std::string text_;
  std::vector<absl::string_view> fields_;
};

// Seconds since 1970 at which the machine started.
std::optional<double> BootTime() {
  const std::string text = ReadFile("/proc/stat");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(line, ' ');
    double seconds = 0;
    if (words.first == "btime" && absl::SimpleAtod(words.second, &seconds)) return seconds;
  }
  return std::nullopt;
}

std::optional<double> OpenDescriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  double count = -1;  // One of them is the iterator's own.
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  if (error) return std::nullopt;
  return count;
}

std::optional<double> MaxDescriptors() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

std::optional<double> Combine(std::optional<double> a, std::optional<double> b, double unit_of_b) {
  if (!a || !b) return std::nullopt;
  return *a + *b * unit_of_b;
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const {
  using prometheus::MetricType;
  const Stat stat;
  const double tick_seconds = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto scaled = [&stat](StatField field, double unit) {
    return Combine(0, stat.Get(field), unit);
  };
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&families](const char* name, const char* help, MetricType type,
                               std::optional<double> value) {
    if (!value) return;
    prometheus::ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = *value;
    families.push_back({name, help, type, {metric}});
  };
  add("process_cpu_seconds_total", "Processor time used, user and system, in seconds",
      MetricType::Counter,
      Combine(scaled(kUserTicks, tick_seconds), stat.Get(kSystemTicks), tick_seconds));
  add("process_resident_memory_bytes", "Memory in use", MetricType::Gauge,
      scaled(kResidentPages, page_bytes));
  add("process_virtual_memory_bytes", "Address space in use", MetricType::Gauge,
      stat.Get(kVirtualBytes));
  add("process_open_fds", "Open file descriptors", MetricType::Gauge, OpenDescriptors());
  add("process_max_fds", "Most file descriptors that may be open", MetricType::Gauge,
      MaxDescriptors());
  add("process_start_time_seconds", "Start of the process, in seconds since 1970",
      MetricType::Gauge, Combine(BootTime(), stat.Get(kStartTicks), tick_seconds));
  add("process_threads", "Threads of the process", MetricType::Gauge, stat.Get(kThreads));
  return families;
}

}  // namespace activation::server
