#include "server/process/stop_signals.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace activation::server {

StopSignals::StopSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void StopSignals::Wait() const {
  int received = 0;
  while (sigwait(&set_, &received) != 0) {
  }
}

bool StopSignals::WaitFor(absl::Duration time) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + absl::ToChronoNanoseconds(time);
  int received = 0;
  do {
    const timespec left =
        absl::ToTimespec(std::max(absl::FromChrono(end - Clock::now()), absl::ZeroDuration()));
    received = sigtimedwait(&set_, nullptr, &left);
  } while (received < 0 && errno == EINTR);
  return received > 0;
}

}  // namespace activation::server
