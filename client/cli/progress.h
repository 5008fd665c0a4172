// What happens while a long call runs: a line of progress on standard error, and Ctrl-C.
#ifndef ACTIVATION_CLIENT_CLI_PROGRESS_H_
#define ACTIVATION_CLIENT_CLI_PROGRESS_H_

#include <stop_token>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "activation/v1/activation.pb.h"

namespace activation::cli {

// "42.0 %, 12.3 M points/s, 1 min 5 s left, worst 12.5 ULP", so long after the start.
std::string DescribeProgress(const v1::CompareProgress& progress, absl::Duration elapsed);

// Shows progress on standard error: as one line that is written over and removed in the end on a
// terminal; line by line elsewhere, if `always`; otherwise not at all.
class ProgressLine {
 public:
  explicit ProgressLine(bool always);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const v1::CompareProgress& progress);

 private:
  const bool terminal_;
  const bool shown_;
  const absl::Time start_;
};

// While it lives, the first Ctrl-C (SIGINT) asks to stop; the second ends the program as usual. To
// be made before the threads that must not get the signal.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::thread watcher_;
};

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_PROGRESS_H_
