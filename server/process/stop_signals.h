// SIGTERM and SIGINT, taken by waiting for them instead of by a handler, in which hardly anything
// may be done. SIGPIPE is ignored from then on: a peer that hangs up must not end the server.
#ifndef ACTIVATION_SERVER_PROCESS_STOP_SIGNALS_H_
#define ACTIVATION_SERVER_PROCESS_STOP_SIGNALS_H_

#include <absl/time/time.h>
#include <signal.h>

namespace activation::server {

class StopSignals {
 public:
  // Blocks the signals in this thread and in those that it starts. Make it before any other thread,
  // since one in which they are not blocked would be killed by them.
  StopSignals();

  // Returns on the next signal.
  void Wait() const;

  // Whether a signal came within that time.
  bool WaitFor(absl::Duration time) const;

 private:
  sigset_t set_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_PROCESS_STOP_SIGNALS_H_
