#include "tests/accuracy/exhaustive/chunks.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace activation::accuracy {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kProgressInterval = std::chrono::seconds(1);
constexpr auto kProgressIntervalOfLogs = std::chrono::seconds(30);
constexpr auto kCheckpointInterval = std::chrono::seconds(10);

// What a checkpoint belongs to: a proof holds for one build of the engine.
std::string KeyOf(const Work& work) {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(program), {}};
  return work.name + " " + std::to_string(work.chunks) + " " +
         std::to_string(std::hash<std::string_view>()(bytes));
}

class Runner {
 public:
  Runner(const Work& work, const RunOptions& options)
      : work_(work), options_(options), key_(KeyOf(work)) {}

  Outcome Run() {
    Outcome outcome;
    outcome.resumed = ReadCheckpoint();
    const double seconds_before = total_.seconds;
    first_ = next_ = merged_;
    start_ = Clock::now();
    std::vector<std::thread> threads;
    running_ = options_.threads;
    for (int i = 0; i < options_.threads; ++i) threads.emplace_back([this] { RunThread(); });
    Watch(seconds_before);
    for (std::thread& thread : threads) thread.join();
    total_.seconds = seconds_before + Seconds(Clock::now() - start_).count();
    outcome.finished = merged_ == work_.chunks;
    if (outcome.finished) {
      std::error_code ignored;
      std::filesystem::remove(options_.checkpoint, ignored);
    } else {
      WriteCheckpoint();
    }
    outcome.tally = std::move(total_);
    return outcome;
  }

 private:
  bool Stopped() const { return options_.stop != nullptr && *options_.stop; }

  void RunThread() {
    const Work::Worker worker = work_.make_worker();
    std::unique_lock lock(mutex_);
    while (next_ < work_.chunks && !Stopped()) {
      const uint64_t chunk = next_++;
      lock.unlock();
      Tally tally = worker(chunk);
      lock.lock();
      // In order, so that what has been merged is described by one number.
      done_.emplace(chunk, std::move(tally));
      for (auto i = done_.begin(); i != done_.end() && i->first == merged_; i = done_.erase(i)) {
        Add(i->second, total_);
        ++merged_;
      }
    }
    --running_;
    changed_.notify_all();
  }

  // Until all threads are done.
  void Watch(double seconds_before) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto shown = start_, kept = start_;
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, kProgressInterval);
      const auto now = Clock::now();
      total_.seconds = seconds_before + Seconds(now - start_).count();
      if (options_.show_progress &&
          now - shown >= (terminal ? kProgressInterval : kProgressIntervalOfLogs)) {
        Show(Seconds(now - start_).count(), terminal ? "\r\033[K" : "", terminal ? "" : "\n");
        shown = now;
      }
      if (now - kept >= kCheckpointInterval) {
        WriteCheckpoint();
        kept = now;
      }
    }
    if (options_.show_progress && terminal) std::fputs("\r\033[K", stderr);
  }

  void Show(double seconds, const char* before, const char* after) const {
    const double share = static_cast<double>(merged_) / static_cast<double>(work_.chunks);
    const double here = static_cast<double>(merged_ - first_) / static_cast<double>(work_.chunks);
    const double inputs = static_cast<double>(total_.inputs);
    std::fprintf(stderr,
                 "%s%s: %.1f %%, %.1f million/s, %.0f s left, %.3g %% by the oracle, %llu wrong%s",
                 before, work_.name.c_str(), 100 * share,
                 merged_ == first_ ? 0 : inputs / share * here / seconds * 1e-6,
                 merged_ == first_ ? 0 : (1 - share) / here * seconds,
                 inputs == 0 ? 0 : 100 * static_cast<double>(total_.by_oracle) / inputs,
                 static_cast<unsigned long long>(total_.wrong), after);
  }

  bool ReadCheckpoint() {
    std::ifstream in(options_.checkpoint);
    std::string key;
    uint64_t merged = 0;
    Tally tally;
    if (!std::getline(in, key) || key != key_ || !(in >> merged) || !Read(in, tally)) return false;
    merged_ = merged;
    total_ = std::move(tally);
    return true;
  }

  // Through another file, so that a whole checkpoint exists at any time.
  void WriteCheckpoint() const {
    if (options_.checkpoint.empty()) return;
    const std::string part = options_.checkpoint + ".part";
    std::ofstream out(part);
    out << key_ << '\n' << merged_ << '\n';
    Write(total_, out);
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(part, options_.checkpoint, error);
    if (!out || error) {
      std::fprintf(stderr, "cannot write %s\n", options_.checkpoint.c_str());
    }
  }

  const Work& work_;
  const RunOptions& options_;
  const std::string key_;
  Clock::time_point start_;
  uint64_t first_ = 0;  // chunks that were done before

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  uint64_t next_ = 0;    // the first chunk that nobody has taken
  uint64_t merged_ = 0;  // the chunks before this one are in total_
  Tally total_;
  std::map<uint64_t, Tally> done_;  // and not yet merged
  int running_ = 0;
};

}  // namespace

Outcome RunChunks(const Work& work, const RunOptions& options) {
  return Runner(work, options).Run();
}

}  // namespace activation::accuracy
