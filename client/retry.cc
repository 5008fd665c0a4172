#include "client/retry.h"

#include <algorithm>
#include <random>

#include "absl/time/clock.h"

namespace activation {

absl::Status Retry(const RetryOptions& options, absl::Time deadline,
                   absl::FunctionRef<absl::Status(bool& has_reply)> attempt) {
  std::minstd_rand random{std::random_device{}()};
  absl::Duration backoff = options.initial_backoff;
  for (int attempts = 1;; ++attempts) {
    bool has_reply = false;
    absl::Status status = attempt(has_reply);
    const bool is_final = !absl::IsUnavailable(status) || has_reply;
    if (is_final || attempts >= options.max_attempts) return status;
    const absl::Duration wait = std::uniform_real_distribution<double>()(random) * backoff;
    if (absl::Now() + wait >= deadline) return status;
    absl::SleepFor(wait);
    backoff = std::min(backoff * options.multiplier, options.max_backoff);
  }
}

}  // namespace activation
