// Requests answered without a server, and what the engine says to them.
#ifndef ACTIVATION_TESTS_UNIT_ANSWERS_H_
#define ACTIVATION_TESTS_UNIT_ANSWERS_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "proto/element_type.h"
#include "server/evaluate/evaluate.h"
#include "tests/unit/requests.h"

namespace activation::server {

// The orders in which blocks may run.
inline void Forwards(size_t count, BlockRunner run) {
  for (size_t i = 0; i < count; ++i) run(i);
}
inline void Backwards(size_t count, BlockRunner run) {
  for (size_t i = count; i > 0; --i) run(i - 1);
}

inline const std::atomic<bool> not_cancelled = false;

// The reply to a gradient request that arrives in slices of this size.
inline v1::GradientResponse Answer(const v1::GradientRequest& request, size_t slice_size,
                                   ForEachBlock for_each,
                                   std::optional<StreamSums>* sums = nullptr) {
  const grpc::ByteBuffer buffer = InSlices(request.SerializeAsString(), slice_size);
  auto raw = ReadRequest(buffer, Cardinality::kBatch, 1'000);
  const auto plan = MakePlan(*std::move(raw), kGradient, Limits(), nullptr);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const Reply reply = MakeReply(plan->reply);
  EXPECT_TRUE(Evaluate(*plan, reply.destinations, not_cancelled, for_each, sums).ok());
  v1::GradientResponse response;
  EXPECT_TRUE(response.ParseFromString(BytesOf(reply.buffer)));
  return response;
}

// Packed elements from -3 to 3.
inline std::string PackedRamp(DataType type, size_t count) {
  std::string data(count * SizeOf(type), '\0');
  for (size_t i = 0; i < count; ++i) {
    const double x = 6.0 * static_cast<double>(i) / static_cast<double>(count) - 3;
    Encode(type, &x, 1, reinterpret_cast<std::byte*>(data.data()) + i * SizeOf(type));
  }
  return data;
}

inline std::string RunEngine(const engine::Operation& operation, const std::string& input,
                             const std::string* upstream) {
  const size_t count = input.size() / SizeOf(operation.input_type);
  std::string output(count * SizeOf(operation.output_type), '\0');
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const std::byte*>(text.data());
  };
  engine::Run(operation,
              {.input = bytes(input),
               .upstream = upstream != nullptr ? bytes(*upstream) : nullptr,
               .output = reinterpret_cast<std::byte*>(output.data())},
              count);
  return output;
}

inline void SetData(v1::Tensor& tensor, DataType type, const std::string& data) {
  tensor.set_data_type(static_cast<v1::DataType>(NumberOf(type)));
  tensor.set_data(data);
}

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_UNIT_ANSWERS_H_
