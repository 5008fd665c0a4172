#include "server/compare_call.h"

#include <absl/strings/string_view.h>

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

// A comparison from the request on, for either kind of call.
class Job {
 public:
  // Whether the request may wait for a worker.
  absl::Status Admit(size_t bytes, Backend& backend) {
    admission_ = backend.queue.Admit(static_cast<int64_t>(bytes));
    return admission_ ? absl::OkStatus() : BusyStatus(bytes, backend);
  }

  // The plan, or why there is none.
  absl::Status Begin(absl::StatusOr<ComparePlan> plan, const Backend& backend) try {
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    comparison_.emplace(plan_, std::min(kBlocksPerThread * backend.queue.threads(), kMostBlocks));
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return errors::OutOfMemory();
  }

  // Goes one step further, as far as it is not cancelled meanwhile.
  absl::Status Step(const std::atomic<bool>& cancelled, Backend& backend) {
    std::atomic<bool> has_memory = true;
    comparison_->Step([&](size_t count, absl::FunctionRef<void(size_t)> run) {
      backend.queue.ForEach(count, [&](size_t i) {
        if (cancelled) return;
        try {
          run(i);
        } catch (const std::bad_alloc&) {
          has_memory = false;
        }
      });
    });
    if (cancelled) return errors::Cancelled();
    return has_memory ? absl::OkStatus() : errors::OutOfMemory();
  }

  const Comparison& comparison() const { return *comparison_; }
  int64_t total() const { return plan_.domain.count; }

 private:
  // Of a step: enough that threads seldom wait for the last one.
  static constexpr int kBlocksPerThread = 4;
  // Each has figures of its own.
  static constexpr int kMostBlocks = 128;

  std::optional<WorkQueue::Admission> admission_;
  ComparePlan plan_;
  std::optional<Comparison> comparison_;
};

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
    backend_.queue.Post([this, &request] {
      const absl::Status status =
          job_.Begin(MakeComparePlan("", request, backend_.limits), backend_);
      if (!status.ok()) return Finish(ToGrpcStatus(status));
      Run();
    });
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  void Run() {
    if (cancelled_) return Finish(ToGrpcStatus(errors::Cancelled()));
    const absl::Status status = job_.Step(cancelled_, backend_);
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    if (!job_.comparison().is_done()) return backend_.queue.Post([this] { Run(); });
    response_ = job_.comparison().Report();
    Finish(grpc::Status::OK);
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
    backend_.queue.Post([this, &request] {
      const absl::Status status = job_.Begin(
          request.has_comparison()
              ? MakeStreamedComparePlan("comparison.", request.comparison(), backend_.limits)
              : errors::MissingField("comparison"),
          backend_);
      if (!status.ok()) return Finish(ToGrpcStatus(status));
      Run();
    });
  }

  // Work rests while a message is sent, so it never runs ahead of a client that does not read.
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(ToGrpcStatus(errors::Cancelled()));
    backend_.queue.Post([this] { Run(); });
  }

  void OnCancel() override { cancelled_ = true; }

  void OnDone() override { delete this; }

 private:
  void Run() {
    if (cancelled_) return Finish(ToGrpcStatus(errors::Cancelled()));
    const absl::Status status = job_.Step(cancelled_, backend_);
    if (!status.ok()) return Finish(ToGrpcStatus(status));
    if (job_.comparison().is_done()) {
      *update_.mutable_report() = job_.comparison().Report();
      return StartWriteAndFinish(&update_, grpc::WriteOptions(), grpc::Status::OK);
    }
    if (Clock::now() < next_progress_) return backend_.queue.Post([this] { Run(); });
    next_progress_ = Clock::now() + kProgressInterval;
    v1::CompareProgress& progress = *update_.mutable_progress();
    progress.set_done(job_.comparison().done());
    progress.set_total(job_.total());
    const std::vector<double> worst = job_.comparison().WorstUlp();
    progress.mutable_max_ulp_errors()->Assign(worst.begin(), worst.end());
    StartWrite(&update_);
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
