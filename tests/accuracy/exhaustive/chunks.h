// Work that is cut into numbered chunks: done by several threads, with progress, and resumable.
#ifndef ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_CHUNKS_H_
#define ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_CHUNKS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/accuracy/exhaustive/tally.h"

namespace activation::accuracy {

struct Work {
  std::string name;
  uint64_t chunks = 0;
  // Does one chunk. Called by one thread.
  using Worker = std::function<Tally(uint64_t chunk)>;
  // Called once by each thread.
  std::function<Worker()> make_worker;
};

struct RunOptions {
  int threads = 1;
  // Where progress is kept, a few times a minute and when stopped; empty: nowhere. A file of other
  // work, or of another build of this program, is ignored and replaced. Removed at the end.
  std::string checkpoint = {};
  // Once true, chunks that have begun are finished and RunChunks returns.
  const std::atomic<bool>* stop = nullptr;
  bool show_progress = false;  // on stderr
};

struct Outcome {
  Tally tally;
  bool finished = false;
  bool resumed = false;  // part of it was done by an earlier run
};

Outcome RunChunks(const Work& work, const RunOptions& options);

}  // namespace activation::accuracy

#endif  // ACTIVATION_TESTS_ACCURACY_EXHAUSTIVE_CHUNKS_H_
