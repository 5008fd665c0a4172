#include "server/compare_call.h"

#include <absl/strings/string_view.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "server/compare.h"
#include "server/compare_plan.h"
#include "server/errors.h"

namespace activation::server {
namespace {

using Clock = std::chrono::steady_clock;
// Between two messages of progress.
constexpr Clock::duration kProgressInterval = std::chrono::milliseconds(250);

// Of a step, so that others soon have their turn, and the work is soon worth the hops between
// threads.
constexpr Clock::duration kLeastStep = std::chrono::milliseconds(2);
constexpr Clock::duration kMostStep = std::chrono::milliseconds(8);
// Blocks for each thread in a step.
constexpr int64_t kMostBlocks = 64;
// Each has figures of its own.
constexpr int kMostThreads = 16;

// Has the system prefer all other threads to this one, which is one of those for comparisons. On
// Linux that is a matter of each thread.
void StepBack() {
  constexpr int kNiceness = 5;
  thread_local const int result = setpriority(PRIO_PROCESS, 0, kNiceness);
  static_cast<void>(result);  // where it is refused, they are as good as others
}

// A comparison from the request on, for either kind of call.
class Job {
 public:
  // Whether the request may wait for a worker.
  absl::Status Admit(size_t bytes, Backend& backend) {
    admission_ = backend.queue.Admit(static_cast<int64_t>(bytes));
    return admission_ ? absl::OkStatus() : BusyStatus(bytes, backend);
  }

  // Takes over the plan, or says why there is none.
  absl::Status Begin(absl::StatusOr<ComparePlan> plan, Backend& backend) {
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    const int64_t bytes = Comparison::MostBytes(plan_);
    figures_admission_ = backend.queue.Admit(bytes);
    if (!figures_admission_) return BusyStatus(static_cast<size_t>(bytes), backend);
    comparison_.emplace(plan_, std::min(backend.comparisons.threads(), kMostThreads));
    return absl::OkStatus();
  }

  // Goes one step further.
  absl::Status Step(const std::atomic<bool>& cancelled, Backend& backend) {
    std::atomic<bool> has_memory = true;
    const Clock::time_point start = Clock::now();
    comparison_->Step(blocks_, cancelled, [&](size_t count, absl::FunctionRef<void(size_t)> run) {
      backend.comparisons.ForEach(count, [&](size_t i) {
        StepBack();
        try {
          run(i);
        } catch (const std::bad_alloc&) {
          has_memory = false;
        }
      });
    });
    const Clock::duration took = Clock::now() - start;
    if (took < kLeastStep) blocks_ = std::min(blocks_ * 2, kMostBlocks);
    if (took > kMostStep) blocks_ = std::max<int64_t>(blocks_ / 2, 1);
    if (cancelled) return errors::Cancelled();
    return has_memory ? absl::OkStatus() : errors::OutOfMemory();
  }

  const Comparison& comparison() const { return *comparison_; }
  int64_t total() const { return plan_.domain.count; }

 private:
  std::optional<WorkQueue::Admission> admission_;
  std::optional<WorkQueue::Admission> figures_admission_;
  ComparePlan plan_;
  std::optional<Comparison> comparison_;
  int64_t blocks_ = 1;
};

// What `work` returns; out of memory where there is none for it.
template <class Work>
absl::Status WithinMemory(Work work) try {
  return work();
} catch (const std::bad_alloc&) {
  return errors::OutOfMemory();
}

class Call final : public grpc::ServerUnaryReactor {
 public:
  Call(const v1::CompareApproximationsRequest& request, v1::CompareApproximationsResponse& response,
       Backend& backend)
      : response_(response), backend_(backend) {
    const absl::Status admitted = job_.Admit(request.ByteSizeLong(), backend_);
    if (!admitted.ok()) {
      Finish(ToGrpcStatus(admitted));
      return;
    }
    backend_.comparisons.Post([this, &request] {
      const absl::Status status = WithinMemory(
          [&] { return job_.Begin(MakeComparePlan("", request, backend_.limits), backend_); });
      if (!status.ok()) return Finish(ToGrpcStatus(status));
      Run();
    });
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  void Run() {
    if (cancelled_) return Finish(ToGrpcStatus(errors::Cancelled()));
    absl::Status status = job_.Step(cancelled_, backend_);
    if (status.ok()) {
      if (!job_.comparison().is_done()) return backend_.comparisons.Post([this] { Run(); });
      status = WithinMemory([this] {
        response_ = job_.comparison().Report();
        return absl::OkStatus();
      });
    }
    Finish(ToGrpcStatus(status));
  }

  v1::CompareApproximationsResponse& response_;
  Backend& backend_;
  Job job_;
  std::atomic<bool> cancelled_ = false;
};

class StreamCall final : public grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse> {
 public:
  StreamCall(const v1::CompareApproximationsStreamRequest& request, Backend& backend)
      : backend_(backend) {
    const absl::Status admitted = job_.Admit(request.ByteSizeLong(), backend_);
    if (!admitted.ok()) {
      Finish(ToGrpcStatus(admitted));
      return;
    }
    backend_.comparisons.Post([this, &request] {
      const absl::Status status = WithinMemory([&] {
        return job_.Begin(
            request.has_comparison()
                ? MakeStreamedComparePlan("comparison.", request.comparison(), backend_.limits)
                : errors::MissingField("comparison"),
            backend_);
      });
      if (!status.ok()) return Finish(ToGrpcStatus(status));
      Run();
    });
  }

  // Work rests while a message is sent, so it never runs ahead of a client that does not read.
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(ToGrpcStatus(errors::Cancelled()));
    backend_.comparisons.Post([this] { Run(); });
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  void Run() {
    if (cancelled_) return Finish(ToGrpcStatus(errors::Cancelled()));
    absl::Status status = job_.Step(cancelled_, backend_);
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    const bool is_done = job_.comparison().is_done();
    if (!is_done && Clock::now() < next_progress_) {
      return backend_.comparisons.Post([this] { Run(); });
    }
    status = WithinMemory([&] {
      if (is_done) {
        *update_.mutable_report() = job_.comparison().Report();
      } else {
        FillProgress(*update_.mutable_progress());
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    if (is_done) return StartWriteAndFinish(&update_, grpc::WriteOptions(), grpc::Status::OK);
    next_progress_ = Clock::now() + kProgressInterval;
    StartWrite(&update_);
  }

  void FillProgress(v1::CompareProgress& progress) const {
    progress.set_done(job_.comparison().done());
    progress.set_total(job_.total());
    const std::vector<double> worst = job_.comparison().WorstUlp();
    progress.mutable_max_ulp_errors()->Assign(worst.begin(), worst.end());
  }

  Backend& backend_;
  Job job_;
  v1::CompareApproximationsStreamResponse update_;
  Clock::time_point next_progress_ = Clock::now() + kProgressInterval;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

grpc::ServerUnaryReactor* ServeComparison(const v1::CompareApproximationsRequest& request,
                                          v1::CompareApproximationsResponse& response,
                                          Backend& backend) {
  return new Call(request, response, backend);
}

grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse>* ServeComparisonStream(
    const v1::CompareApproximationsStreamRequest& request, Backend& backend) {
  return new StreamCall(request, backend);
}

}  // namespace activation::server
