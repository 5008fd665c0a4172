// Streams that are sent again. gRPC repeats calls with one request by itself (ServiceConfig in
// channel.h); of a stream that is still being written its repetition can lose a message, or wait
// for ever (seen with gRPC 1.51: "3 replies to 4 chunks").
#ifndef ACTIVATION_CLIENT_RETRY_H_
#define ACTIVATION_CLIENT_RETRY_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/options.h"

namespace activation {

// Calls attempt(has_reply), which sets has_reply where it got a reply, until it returns another
// code than UNAVAILABLE, has got a reply, or has been called options.max_attempts times, with the
// waits of RetryOptions between; none begins that would end after `deadline`. Returns what it
// returned last.
absl::Status Retry(const RetryOptions& options, absl::Time deadline,
                   absl::FunctionRef<absl::Status(bool& has_reply)> attempt);

}  // namespace activation

#endif  // ACTIVATION_CLIENT_RETRY_H_
