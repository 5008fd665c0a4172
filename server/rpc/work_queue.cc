#include "server/rpc/work_queue.h"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <latch>
#include <memory>
#include <new>
#include <utility>

namespace activation::server {
namespace {

// Outlives the call that made it where a helper comes too late, and then only finds nothing to do.
struct Loop {
  Loop(absl::FunctionRef<void(size_t)> body, size_t rounds)
      : run(body), count(rounds), unfinished(static_cast<ptrdiff_t>(rounds)) {}

  // Runs what nobody has taken yet.
  void Help() {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      run(i);
      unfinished.count_down();
    }
  }

  const absl::FunctionRef<void(size_t)> run;
  const size_t count;
  std::atomic<size_t> next = 0;
  std::latch unfinished;
};

}  // namespace

WorkQueue::WorkQueue(int threads, int64_t max_pending_bytes)
    : threads_(threads),
      max_pending_bytes_(max_pending_bytes),
      pool_(std::make_unique<asio::thread_pool>(threads)) {}

WorkQueue::~WorkQueue() { pool_->join(); }

std::optional<WorkQueue::Admission> WorkQueue::Admit(int64_t bytes) {
  Admission admission(pending_bytes_, bytes);
  const int64_t before = pending_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes > max_pending_bytes_) return std::nullopt;
  return admission;
}

void WorkQueue::Post(std::function<void()> work) { asio::post(*pool_, std::move(work)); }

void WorkQueue::ForEach(size_t count, absl::FunctionRef<void(size_t)> run) {
  const auto loop = std::make_shared<Loop>(run, count);
  const size_t helpers = std::min(count, static_cast<size_t>(threads_));
  try {
    for (size_t i = 1; i < helpers; ++i) Post([loop] { loop->Help(); });
  } catch (const std::bad_alloc&) {  // fewer helpers, then
  }
  loop->Help();
  loop->unfinished.wait();
}

}  // namespace activation::server
