// The tool that proves correct rounding can fail, can be stopped, and goes on where it was.
#include "tests/accuracy/exhaustive/proof.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include "tests/accuracy/exhaustive/chunks.h"
#include "tests/accuracy/exhaustive/results.h"

namespace activation::accuracy {
namespace {

using engine::Quantity;

std::string TemporaryFile(const std::string& name) {
  std::string path = testing::TempDir() + name + std::to_string(getpid());
  std::filesystem::remove(path);
  return path;
}

std::string ContentsOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// In bits, float32 numbers from 1 to 1.125.
constexpr uint64_t kChunkOfOne = 0x3f800000 >> 20;

Tally RunOneChunk(const Job& job, uint64_t chunk) {
  const auto work = MakeWork(job);
  EXPECT_TRUE(work.ok()) << work.status();
  return work->make_worker()(chunk);
}

TEST(Proof, FindsNothingWrongWhereNothingIs) {
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    const Tally tally =
        RunOneChunk({.spec = engine::Find("gelu"), .quantity = quantity}, kChunkOfOne);
    EXPECT_EQ(tally.inputs, 1u << 20);
    EXPECT_EQ(tally.wrong, 0u);
    EXPECT_LT(tally.by_oracle, 10u);
  }
}

TEST(Proof, ReportsOneWrongResultWithItsBits) {
  const auto tamper = [](std::span<const float> x, std::span<float> y) {
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 0x1.08p+0f) y[i] = std::nextafter(y[i], 0.0f);
    }
  };
  const Tally tally = RunOneChunk({.spec = engine::Find("relu"), .tamper = tamper}, kChunkOfOne);
  EXPECT_EQ(tally.inputs, 1u << 20);
  EXPECT_EQ(tally.wrong, 1u);
  ASSERT_EQ(tally.failures.size(), 1u);
  EXPECT_EQ(tally.failures[0],
            "at 0x1.08p+0 (3f840000): 0x1.07fffep+0 (3f83ffff), should be 0x1.08p+0 (3f840000)");
}

TEST(Proof, CountsAllWrongResultsAndDescribesTheFirst) {
  const auto tamper = [](std::span<const float>, std::span<float> y) {
    for (float& each : y) each = std::nextafter(each, 0.0f);
  };
  const Tally tally = RunOneChunk(
      {.spec = engine::Find("elu"), .mode = Mode::kParameters, .inputs = 1, .tamper = tamper}, 0);
  EXPECT_GT(tally.wrong, tally.inputs / 2);
  EXPECT_EQ(tally.failures.size(), kDescribedFailures);
  EXPECT_NE(tally.failures[0].find(" alpha="), std::string::npos);
}

TEST(Proof, MeasuresFloat64) {
  const Tally tally =
      RunOneChunk({.spec = engine::Find("gelu"), .mode = Mode::kFloat64, .inputs = 1}, 0);
  EXPECT_EQ(tally.inputs, 1024u);
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_GT(tally.worst_ulp, 0.4);
  EXPECT_LE(tally.worst_ulp, 1);
}

TEST(Proof, NeedsParametersToVary) {
  EXPECT_FALSE(MakeWork({.spec = engine::Find("relu"), .mode = Mode::kParameters}).ok());
}

// Counts each chunk that is done, and stops in the midst of them.
struct CountedWork {
  std::mutex mutex;
  std::multiset<uint64_t> done;
  std::atomic<bool> stop = false;
  uint64_t stop_at = 0;

  Work work() {
    return {"counted", 100, [this]() -> Work::Worker {
              return [this](uint64_t chunk) {
                const std::lock_guard lock(mutex);
                done.insert(chunk);
                if (chunk == stop_at) stop = true;
                Tally tally{.inputs = 10, .by_oracle = 1};
                if (chunk % 50 == 7) {
                  tally.wrong = 1;
                  tally.failures = {"at " + std::to_string(chunk)};
                }
                return tally;
              };
            }};
  }
};

TEST(Proof, StopsAndGoesOnWhereItWas) {
  const std::string checkpoint = TemporaryFile("checkpoint");
  CountedWork counted;
  counted.stop_at = 30;
  const RunOptions options{.threads = 3, .checkpoint = checkpoint, .stop = &counted.stop};
  const Outcome first = RunChunks(counted.work(), options);
  EXPECT_FALSE(first.finished);
  EXPECT_FALSE(first.resumed);
  EXPECT_GE(first.tally.inputs, 310u);
  EXPECT_LT(first.tally.inputs, 1000u);

  counted.stop = false;
  counted.stop_at = 1000;
  const Outcome second = RunChunks(counted.work(), options);
  EXPECT_TRUE(second.finished);
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(second.tally.inputs, 1000u);
  EXPECT_EQ(second.tally.by_oracle, 100u);
  EXPECT_EQ(second.tally.wrong, 2u);
  EXPECT_EQ(second.tally.failures, (std::vector<std::string>{"at 7", "at 57"}));
  EXPECT_GE(second.tally.seconds, first.tally.seconds);
  EXPECT_EQ(counted.done.size(), 100u) << "a chunk was done twice or not at all";
  EXPECT_FALSE(std::filesystem::exists(checkpoint));
}

TEST(Proof, IgnoresTheCheckpointOfOtherWork) {
  const std::string checkpoint = TemporaryFile("foreign");
  CountedWork counted;
  counted.stop_at = 30;
  const RunOptions options{.threads = 1, .checkpoint = checkpoint, .stop = &counted.stop};
  EXPECT_FALSE(RunChunks(counted.work(), options).finished);
  Work other = counted.work();
  other.name = "other";
  counted.stop = false;
  const Outcome outcome = RunChunks(other, {.threads = 1, .checkpoint = checkpoint});
  EXPECT_FALSE(outcome.resumed);
  EXPECT_EQ(outcome.tally.inputs, 1000u);
}

TEST(Proof, RecordsResultsAndReplacesEarlierOnes) {
  const std::string path = TemporaryFile("results");
  const Job relu{.spec = engine::Find("relu")};
  const Job gelu{.spec = engine::Find("gelu"), .mode = Mode::kFloat64};
  ASSERT_TRUE(Record(path, relu, "AVX2", {.inputs = 1, .wrong = 5, .seconds = 2}).ok());
  ASSERT_TRUE(Record(path, gelu, "AVX2",
                     {.inputs = 3, .by_oracle = 3, .worst_ulp = 0.50049, .worst_place = "0x1p+0"})
                  .ok());
  ASSERT_TRUE(Record(path, relu, "AVX2", {.inputs = 2, .seconds = 4},
                     {.revision = "1234abc", .machine = "A CPU", .sources = "00ff"})
                  .ok());
  EXPECT_EQ(ContentsOf(path),
            "activation\tquantity\tmode\ttarget\tinputs\tby_oracle\twrong\tworst_ulp\tworst_input\t"
            "seconds\trevision\tmachine\tsources\n"
            "gelu\tvalue\tfloat64\tAVX2\t3\t3\t0\t0.500\t0x1p+0\t0\tnot recorded\tnot "
            "recorded\tnot recorded\n"
            "relu\tvalue\tall\tAVX2\t2\t0\t0\t-\t-\t4\t1234abc\tA CPU\t00ff\n");
  EXPECT_FALSE(Record("/no/such/folder/results", relu, "AVX2", {}).ok());
}

}  // namespace
}  // namespace activation::accuracy
