#include "client/cli/progress.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace activation::cli {
namespace {

// Wakes the watcher; it does nothing where nobody waits for it.
constexpr int kWake = SIGURG;

sigset_t Signals(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  return signals;
}

void Watch(std::stop_source& source) {
  const sigset_t both = Signals({SIGINT, kWake});
  int signal = 0;
  sigwait(&both, &signal);
  if (signal != SIGINT) return;
  source.request_stop();
  const sigset_t interrupt = Signals({SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  const sigset_t wake = Signals({kWake});
  sigwait(&wake, &signal);
}

// "820 ", "12.3 k ", "4.56 M ": what counts points follows.
std::string Magnitude(double value) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, " G "}, {1e6, " M "}, {1e3, " k "}};
  for (const Unit& unit : kUnits) {
    if (value >= unit.size) return absl::StrFormat("%.3g%s", value / unit.size, unit.name);
  }
  return absl::StrFormat("%.3g ", value);
}

std::string Left(absl::Duration left) {
  const int64_t seconds = absl::ToInt64Seconds(absl::Ceil(left, absl::Seconds(1)));
  if (seconds < 60) return absl::StrCat(seconds, " s");
  if (seconds < 3600) return absl::StrCat(seconds / 60, " min ", seconds % 60, " s");
  return absl::StrCat(seconds / 3600, " h ", seconds % 3600 / 60, " min");
}

}  // namespace

std::string DescribeProgress(const v1::CompareProgress& progress, absl::Duration elapsed) {
  const auto done = static_cast<double>(progress.done());
  const auto total = static_cast<double>(progress.total());
  std::string text = absl::StrFormat("%.1f %%", total > 0 ? 100 * done / total : 0);
  if (done > 0 && elapsed > absl::ZeroDuration()) {
    absl::StrAppend(&text, ", ", Magnitude(done / absl::ToDoubleSeconds(elapsed)), "points/s, ",
                    Left(elapsed * ((total - done) / done)), " left");
  }
  if (progress.max_ulp_errors_size() > 0) {
    const auto& errors = progress.max_ulp_errors();
    absl::StrAppend(&text, absl::StrFormat(", worst %.4g ULP",
                                           *std::max_element(errors.begin(), errors.end())));
  }
  return text;
}

ProgressLine::ProgressLine(bool always)
    : terminal_(isatty(STDERR_FILENO) == 1), shown_(terminal_ || always), start_(absl::Now()) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::Show(const v1::CompareProgress& progress) {
  if (!shown_) return;
  const std::string text = DescribeProgress(progress, absl::Now() - start_);
  std::fprintf(stderr, terminal_ ? "\r%s\x1b[K" : "%s\n", text.c_str());
  std::fflush(stderr);
}

Interruption::Interruption() {
  const sigset_t both = Signals({SIGINT, kWake});
  pthread_sigmask(SIG_BLOCK, &both, nullptr);
  watcher_ = std::thread(Watch, std::ref(source_));
}

Interruption::~Interruption() {
  pthread_kill(watcher_.native_handle(), kWake);
  watcher_.join();
  const sigset_t both = Signals({SIGINT, kWake});
  pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
}

}  // namespace activation::cli
