#include <cmath>
#include <cstring>
#include <optional>

#include "proto/element_type.h"
#include "tests/bench/cases.h"
#include "tests/bench/onednn.h"
#include "tests/bench/race.h"
#include "tests/bench/simd.h"
#include "tests/bench/slow_path.h"
#include "tests/bench/tensors.h"

namespace activation::bench {
namespace {

using engine::Quantity;

// oneDNN 2.6: https://oneapi-src.github.io/oneDNN/v2.6/dev_guide_eltwise.html
struct Peer {
  const char* name;
  Eltwise eltwise;
};
constexpr Peer kPeers[] = {
    {"gelu", {dnnl::algorithm::eltwise_gelu_erf}},
    {"gelu_tanh", {dnnl::algorithm::eltwise_gelu_tanh}},
    {"sigmoid", {dnnl::algorithm::eltwise_logistic}},
    {"tanh", {dnnl::algorithm::eltwise_tanh}},
    {"silu", {dnnl::algorithm::eltwise_swish, 1}},       // alpha is our beta
    {"softplus", {dnnl::algorithm::eltwise_soft_relu}},  // beta 1
    {"elu", {dnnl::algorithm::eltwise_elu, 1}},          // alpha is our alpha
    {"mish", {dnnl::algorithm::eltwise_mish}},
};

// Beyond this a peer does not compute our function: gelu and gelu_tanh, the nearest two of the
// catalogue, are 4.7e-4 apart. The peers' own errors stay below 1e-5 on these inputs.
constexpr double kMaxDifference = 1e-4;

double LargestDifference(Tensor& a, Tensor& b, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double difference = std::abs(double{a.floats()[i]} - double{b.floats()[i]});
    if (!(difference <= largest)) largest = difference;  // NaN stays
  }
  return largest;
}

void RunPeerCase(benchmark::State& state, const Peer& peer, const engine::Spec& spec,
                 Quantity quantity, const Size& size) {
  const size_t count = size.elements;
  Tensor input = MakeInput(DataType::kFloat32, count);
  Tensor upstream = MakeUpstream(DataType::kFloat32, count);
  Tensor output(DataType::kFloat32, count);
  Tensor expected(DataType::kFloat32, count);

  const engine::Operation operation = {.function = engine::WithDefaults(spec),
                                       .quantity = quantity};
  const std::byte* const factors = quantity == Quantity::kValue ? nullptr : upstream.bytes();
  OneDnn onednn(peer.eltwise, quantity, input.floats(), upstream.floats(), output.floats(), count);
  const SleefFunction& sleef = *FindSleef(peer.name);
  const SleefKernel sleef_kernel = quantity == Quantity::kValue ? sleef.value : sleef.derivative;
  const std::vector<Competitor> competitors = {
      {kOurs,
       [&] {
         engine::Run(operation,
                     {.input = input.bytes(), .upstream = factors, .output = output.bytes()},
                     count);
       }},
      {"oneDNN", [&] { onednn.Run(); }},
      {"SLEEF", [&] { sleef_kernel(input.floats(), upstream.floats(), output.floats(), count); }},
      {"memcpy", [&] { std::memcpy(output.bytes(), input.bytes(), input.size_in_bytes()); }},
  };

  engine::Run(operation, {.input = input.bytes(), .upstream = factors, .output = expected.bytes()},
              count);
  for (const size_t i : {1, 2}) {
    competitors[i].run();
    const double difference = LargestDifference(output, expected, count);
    state.counters[kDifferencePrefix + competitors[i].name] = difference;
    if (!(difference <= kMaxDifference)) {
      const std::string message = competitors[i].name +
                                  " computes another function: " + std::to_string(difference) +
                                  " from ours";
      state.SkipWithError(message.c_str());
      return;
    }
  }
  state.counters[kSlowPath] = SlowPathShare(operation.function, quantity);
  Race(state, size, kCpuClock, competitors);
}

}  // namespace

std::string RegisterPeerCases() {
  std::string left_out;
  for (const Quantity quantity : {Quantity::kValue, Quantity::kDerivative}) {
    for (const Size& size : kSizes) {
      for (const Peer& peer : kPeers) {
        const engine::Spec* const spec = engine::Find(peer.name);
        if (spec == nullptr) continue;
        RegisterRace(std::string("peers/") + NameOf(quantity) + "/" +
                         std::to_string(size.elements) + "/" + peer.name,
                     size, [&peer, spec, quantity, &size](benchmark::State& state) {
                       RunPeerCase(state, peer, *spec, quantity, size);
                     });
      }
    }
  }
  for (const Peer& peer : kPeers) {
    if (engine::Find(peer.name) != nullptr) continue;
    left_out += std::string("Left out: the catalogue has no ") + peer.name + ".\n";
  }
  return left_out;
}

}  // namespace activation::bench
