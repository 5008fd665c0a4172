#include "server/rpc/comparison_calls.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "server/compare/comparison.h"
#include "server/compare/plan.h"
#include "server/evaluate/errors.h"
#include "server/rpc/call.h"

namespace activation::server {
namespace {

using Clock = std::chrono::steady_clock;
// Between two messages of progress.
constexpr Clock::duration kProgressInterval = std::chrono::milliseconds(250);

// How long a step may take: others soon have their turn, and the work is soon worth the hops
// between threads.
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
  // Counts the request from now on.
  absl::Status Admit(size_t bytes, Backend& backend) {
    return server::Admit(bytes, backend, request_admission_);
  }

  // Takes over the plan, or says why there is none.
  absl::Status Begin(absl::StatusOr<ComparePlan> plan, Backend& backend) {
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    const auto bytes = static_cast<size_t>(Comparison::MostBytes(plan_));
    absl::Status admitted = server::Admit(bytes, backend, figures_admission_);
    if (!admitted.ok()) return admitted;
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
  int64_t total() const { return plan_.subject.domain.count; }

 private:
  std::optional<WorkQueue::Admission> request_admission_;
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

// Makes a plan and goes through it step by step, with OnStep() after each.
template <typename Reactor>
class ComparisonCall : public Call<Reactor> {
 protected:
  explicit ComparisonCall(Backend& backend) : Call<Reactor>(backend) {}

  // make_plan() returns what Job::Begin takes.
  template <typename MakePlan>
  void Begin(size_t request_bytes, MakePlan make_plan) {
    const absl::Status admitted = job_.Admit(request_bytes, this->backend_);
    if (!admitted.ok()) return this->Finish(admitted);
    this->backend_.comparisons.Post([this, make_plan] {
      const absl::Status status =
          WithinMemory([&] { return job_.Begin(make_plan(), this->backend_); });
      if (!status.ok()) return this->Finish(status);
      Step();
    });
  }

  // At the end of the queue.
  void PostStep() {
    this->backend_.comparisons.Post([this] { Step(); });
  }

  virtual void OnStep() = 0;

  Job job_;

 private:
  void Step() {
    if (this->cancelled_) return this->Finish(errors::Cancelled());
    const absl::Status status = job_.Step(this->cancelled_, this->backend_);
    if (!status.ok()) return this->Finish(status);
    OnStep();
  }
};

class UnaryCall final : public ComparisonCall<grpc::ServerUnaryReactor> {
 public:
  UnaryCall(const v1::CompareApproximationsRequest& request,
            v1::CompareApproximationsResponse& response, Backend& backend)
      : ComparisonCall(backend), response_(response) {
    Begin(request.ByteSizeLong(),
          [this, &request] { return MakeComparePlan("", request, backend_.limits); });
  }

 private:
  void OnStep() override {
    if (!job_.comparison().is_done()) return PostStep();
    Finish(WithinMemory([this] {
      response_ = job_.comparison().Report();
      return absl::OkStatus();
    }));
  }

  v1::CompareApproximationsResponse& response_;
};

class StreamCall final
    : public ComparisonCall<grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse>> {
 public:
  StreamCall(const v1::CompareApproximationsStreamRequest& request, Backend& backend)
      : ComparisonCall(backend) {
    Begin(request.ByteSizeLong(), [this, &request]() -> absl::StatusOr<ComparePlan> {
      if (!request.has_comparison()) return errors::MissingField("comparison");
      return MakeStreamedComparePlan("comparison.", request.comparison(), backend_.limits);
    });
  }

  // Work rests while a message is sent, so it never runs ahead of a client that does not read.
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(errors::Cancelled());
    PostStep();
  }

 private:
  void OnStep() override {
    const bool is_done = job_.comparison().is_done();
    if (!is_done && Clock::now() < next_progress_) return PostStep();
    const absl::Status status = WithinMemory([&] {
      if (is_done) {
        *update_.mutable_report() = job_.comparison().Report();
      } else {
        FillProgress(*update_.mutable_progress());
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return Finish(status);
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

  v1::CompareApproximationsStreamResponse update_;
  Clock::time_point next_progress_ = Clock::now() + kProgressInterval;
};

}  // namespace

grpc::ServerUnaryReactor* ServeComparison(const v1::CompareApproximationsRequest& request,
                                          v1::CompareApproximationsResponse& response,
                                          Backend& backend) {
  return new UnaryCall(request, response, backend);
}

grpc::ServerWriteReactor<v1::CompareApproximationsStreamResponse>* ServeComparisonStream(
    const v1::CompareApproximationsStreamRequest& request, Backend& backend) {
  return new StreamCall(request, backend);
}

}  // namespace activation::server
