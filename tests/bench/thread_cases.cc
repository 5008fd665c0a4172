#include <atomic>
#include <cstdlib>
#include <memory>

#include "proto/element_type.h"
#include "server/evaluate/evaluate.h"
#include "server/rpc/work_queue.h"
#include "tests/bench/cases.h"
#include "tests/bench/race.h"
#include "tests/bench/tensors.h"

namespace activation::bench {
namespace {

// 16 MiB of float32: a tensor that the server cuts into 256 blocks.
constexpr Size kSize = {.elements = 1 << 22, .calls = 1, .rounds = 101};

server::Plan MakePlan(const engine::Function& function, Tensor& input, size_t count) {
  server::Plan plan;
  server::PlanItem& item = plan.items.emplace_back();
  item.activation = std::make_shared<server::Activation>(server::Activation{.function = function});
  item.input.count = static_cast<int64_t>(count);
  item.input.pieces = {{.data = input.bytes(), .size = input.size_in_bytes(), .begin = 0}};
  server::ReplyItem& reply = plan.reply.emplace_back();
  reply.activation.function = function;
  reply.result.count = item.input.count;
  return plan;
}

void RunThreadCase(benchmark::State& state, const engine::Spec& spec) {
  Tensor input = MakeInput(DataType::kFloat32, kSize.elements);
  Tensor output(DataType::kFloat32, kSize.elements);
  const server::Plan plan = MakePlan(engine::WithDefaults(spec), input, kSize.elements);
  const server::Destination destinations[] = {{.result = output.bytes()}};
  const std::atomic<bool> cancelled = false;

  // In the server the calling thread is one of the queue's; here it stands for one.
  constexpr int64_t kMaxPendingBytes = 1;
  server::WorkQueue one(1, kMaxPendingBytes);
  server::WorkQueue two(2, kMaxPendingBytes);
  const auto evaluate = [&](server::WorkQueue& queue) {
    const auto for_each = [&queue](size_t count, server::BlockRunner run) {
      queue.ForEach(count, run);
    };
    if (!server::Evaluate(plan, destinations, cancelled, for_each, nullptr).ok()) std::abort();
  };
  Race(state, kSize, CLOCK_MONOTONIC,
       {{"1 thread", [&] { evaluate(one); }}, {"2 threads", [&] { evaluate(two); }}});
}

}  // namespace

void RegisterThreadCases() {
  for (const char* name : {"relu", "sigmoid", "gelu", "softplus"}) {
    const engine::Spec& spec = *engine::Find(name);
    RegisterRace(std::string("threads/value/") + std::to_string(kSize.elements) + "/" + name, kSize,
                 [&spec](benchmark::State& state) { RunThreadCase(state, spec); });
  }
}

}  // namespace activation::bench
