// Where work runs that takes longer than a callback of gRPC may: a pool of threads, and a bound on
// the bytes of the requests that wait for it or are in it.
#ifndef ACTIVATION_SERVER_RPC_WORK_QUEUE_H_
#define ACTIVATION_SERVER_RPC_WORK_QUEUE_H_

#include <absl/functional/function_ref.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace asio {
class thread_pool;
}

namespace activation::server {

class WorkQueue {
 public:
  // At least one thread.
  WorkQueue(int threads, int64_t max_pending_bytes);
  // Runs what was posted.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Keeps bytes counted as pending as long as it lives.
  class Admission {
   public:
    Admission(std::atomic<int64_t>& pending, int64_t bytes) : pending_(&pending), bytes_(bytes) {}
    ~Admission() { Release(); }
    Admission(Admission&& other) noexcept
        : pending_(std::exchange(other.pending_, nullptr)), bytes_(other.bytes_) {}
    Admission& operator=(Admission&& other) noexcept {
      Release();
      pending_ = std::exchange(other.pending_, nullptr);
      bytes_ = other.bytes_;
      return *this;
    }

   private:
    void Release() {
      if (pending_ != nullptr) pending_->fetch_sub(bytes_, std::memory_order_relaxed);
    }

    std::atomic<int64_t>* pending_;
    int64_t bytes_;
  };

  // Nothing where the bytes would not fit beside those that are pending.
  std::optional<Admission> Admit(int64_t bytes);

  int64_t pending_bytes() const { return pending_bytes_.load(std::memory_order_relaxed); }
  int64_t max_pending_bytes() const { return max_pending_bytes_; }
  int threads() const { return threads_; }

  // Runs work() on a worker, after what was posted before. It must not throw. What it needs has to
  // live until it has run.
  void Post(std::function<void()> work);

  // Calls run(i) for each i below count, on the calling thread and on workers that have nothing
  // before it, in no order; returns after the last call has. May be called on a worker. `run` must
  // not throw.
  void ForEach(size_t count, absl::FunctionRef<void(size_t)> run);

 private:
  const int threads_;
  const int64_t max_pending_bytes_;
  std::atomic<int64_t> pending_bytes_ = 0;
  const std::unique_ptr<asio::thread_pool> pool_;
};

}  // namespace activation::server

#endif  // ACTIVATION_SERVER_RPC_WORK_QUEUE_H_
