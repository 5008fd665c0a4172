// Plans of requests in text, and what is said of those that don't become one.
#ifndef ACTIVATION_TESTS_UNIT_PLANNER_H_
#define ACTIVATION_TESTS_UNIT_PLANNER_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "server/evaluate/plan.h"
#include "tests/unit/requests.h"

namespace activation::server {

inline constexpr Limits kSmallLimits = {.max_message_bytes = 1'000, .max_batch_items = 3};

// The plan of a request that is sent as bytes. The buffer is kept, since the plan points into it.
struct Planner {
  grpc::ByteBuffer buffer;

  template <typename Request>
  absl::StatusOr<Plan> Make(const Request& request, const RequestKind& kind,
                            const std::shared_ptr<const Activation>& inherited = nullptr) {
    buffer = InSlices(request.SerializeAsString(), 10);
    auto raw =
        ReadRequest(buffer, kind.is_stream ? Cardinality::kSingle : Cardinality::kBatch, 1'000);
    EXPECT_TRUE(raw.has_value());
    return MakePlan(*std::move(raw), kind, kSmallLimits, inherited);
  }
};

template <typename Request>
absl::Status PlanStatus(const char* text, const RequestKind& kind) {
  return Planner().Make(Parse<Request>(text), kind).status();
}

struct Refused {
  const char* what;
  const char* request;
  absl::StatusCode code;
  const char* message;
};
inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
inline constexpr auto kNotFound = absl::StatusCode::kNotFound;

inline void ExpectRefused(const Refused& refused, const absl::Status& status) {
  EXPECT_EQ(status.code(), refused.code) << refused.what << ": " << status;
  EXPECT_THAT(status.ToString(), testing::HasSubstr(refused.message)) << refused.what;
}

}  // namespace activation::server

#endif  // ACTIVATION_TESTS_UNIT_PLANNER_H_
