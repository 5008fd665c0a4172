#include "server/rpc/work_queue.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace activation::server {
namespace {

TEST(WorkQueue, RunsWhatWasPostedBeforeItIsGone) {
  std::atomic<int> ran = 0;
  {
    WorkQueue queue(2, 100);
    for (int i = 0; i < 1'000; ++i) queue.Post([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1'000);
}

TEST(WorkQueue, AdmitsUpToItsBoundAndAgainWhenBytesAreReleased) {
  WorkQueue queue(1, 100);
  auto first = queue.Admit(60);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(queue.Admit(41).has_value());
  EXPECT_EQ(queue.pending_bytes(), 60);
  auto second = queue.Admit(40);
  EXPECT_TRUE(second.has_value());
  first.reset();
  EXPECT_EQ(queue.pending_bytes(), 40);
  EXPECT_TRUE(queue.Admit(60).has_value());
  second.reset();
  EXPECT_EQ(queue.pending_bytes(), 0);
}

TEST(WorkQueue, ReleasesBytesOnceWhenAnAdmissionMoves) {
  WorkQueue queue(1, 100);
  std::optional<WorkQueue::Admission> kept = queue.Admit(10);
  std::optional<WorkQueue::Admission> moved = std::move(kept);
  kept = queue.Admit(5);
  *kept = *std::move(moved);
  EXPECT_EQ(queue.pending_bytes(), 10);
  kept.reset();
  EXPECT_EQ(queue.pending_bytes(), 0);
}

TEST(ForEach, CallsEachIndexOnce) {
  WorkQueue queue(4, 100);
  for (const size_t count : {0, 1, 2, 1'000}) {
    std::vector<std::atomic<int>> calls(count);
    queue.ForEach(count, [&](size_t i) { ++calls[i]; });
    for (const auto& number : calls) EXPECT_EQ(number, 1);
  }
}

TEST(ForEach, ReturnsOnWorkersThatAreAllBusyWithIt) {
  std::atomic<int> calls = 0;
  {
    WorkQueue queue(2, 100);
    for (int i = 0; i < 50; ++i) {
      queue.Post([&] { queue.ForEach(20, [&](size_t) { ++calls; }); });
    }
  }
  EXPECT_EQ(calls, 1'000);
}

}  // namespace
}  // namespace activation::server
