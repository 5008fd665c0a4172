// Work stops when nobody waits for it any more: cancelled calls, passed deadlines, a server that
// ends.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/e2e/running_service.h"

namespace activation::server {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Takes minutes.
v1::CompareApproximationsRequest LongComparison() {
  v1::CompareApproximationsRequest request;
  request.mutable_reference()->set_name("gelu");
  request.mutable_grid()->set_from(-10);
  request.mutable_grid()->set_to(10);
  request.mutable_grid()->set_points(100'000'000);
  return request;
}

TEST(Deadline, EndsALongComparisonAndItsWork) {
  RunningService service({}, 1);
  for (int i = 0; i < 3; ++i) {
    v1::CompareApproximationsResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + milliseconds(200));
    const Clock::time_point start = Clock::now();
    const grpc::Status status =
        service.stub().CompareApproximations(&context, LongComparison(), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    EXPECT_LT(Clock::now() - start, seconds(2));
  }
  // The only worker is free again: a call that needs it is answered.
  v1::CompareApproximationsRequest quick = LongComparison();
  quick.mutable_grid()->set_points(100);
  v1::CompareApproximationsResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(10));
  EXPECT_TRUE(service.stub().CompareApproximations(&context, quick, &response).ok());
}

TEST(Cancellation, EndsAComparisonStreamAndItsWork) {
  RunningService service({}, 1);
  v1::CompareApproximationsStreamRequest request;
  *request.mutable_comparison() = LongComparison();
  grpc::ClientContext context;
  const auto reader = service.stub().CompareApproximationsStream(&context, request);
  v1::CompareApproximationsStreamResponse update;
  ASSERT_TRUE(reader->Read(&update));
  EXPECT_TRUE(update.has_progress());
  context.TryCancel();
  while (reader->Read(&update)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST(Cancellation, EndsAStreamThatWaitsForItsNextChunk) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  v1::EvaluateStreamRequest request;
  request.mutable_evaluation()->mutable_activation()->set_name("relu");
  request.mutable_evaluation()->mutable_input()->add_float_values(1);
  ASSERT_TRUE(stream->Write(request));
  v1::EvaluateStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  context.TryCancel();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  service.ExpectToServe();
}

TEST(Cancellation, OfManyCallsAtAnyMomentLeavesTheServerServing) {
  RunningService service;
  v1::EvaluateRequest request;
  request.add_evaluations()->mutable_activation()->set_name("gelu");
  request.mutable_evaluations(0)->mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
  request.mutable_evaluations(0)->mutable_input()->set_data(
      Packed(std::vector<float>(500'000, 1.0f)));
  for (int i = 0; i < 100; ++i) {
    v1::EvaluateResponse response;
    grpc::ClientContext context;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
      context.TryCancel();
    });
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::CANCELLED)
        << status.error_message();
    canceller.join();
  }
  service.ExpectToServe();
}

TEST(LongComparisons, DoNotKeepShortCallsWaiting) {
  RunningService service({}, 1);
  grpc::ClientContext long_contexts[3];
  std::vector<std::thread> clients;
  for (grpc::ClientContext& context : long_contexts) {
    clients.emplace_back([&] {
      v1::CompareApproximationsResponse response;
      const grpc::Status status =
          service.stub().CompareApproximations(&context, LongComparison(), &response);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
    });
  }
  std::this_thread::sleep_for(milliseconds(100));
  v1::EvaluateRequest request;
  request.add_evaluations()->mutable_activation()->set_name("gelu");
  request.mutable_evaluations(0)->mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
  request.mutable_evaluations(0)->mutable_input()->set_data(
      Packed(std::vector<float>(100'000, 1.0f)));
  v1::EvaluateResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(5));
  EXPECT_TRUE(service.stub().Evaluate(&context, request, &response).ok());
  for (grpc::ClientContext& long_context : long_contexts) long_context.TryCancel();
  for (std::thread& client : clients) client.join();
}

TEST(Shutdown, EndsCallsThatAreUnderWay) {
  RunningService service;
  grpc::ClientContext stream_context;
  const auto stream = service.stub().EvaluateStream(&stream_context);
  std::thread client([&] {
    v1::CompareApproximationsResponse response;
    grpc::ClientContext context;
    EXPECT_FALSE(service.stub().CompareApproximations(&context, LongComparison(), &response).ok());
  });
  std::this_thread::sleep_for(milliseconds(200));
  const Clock::time_point start = Clock::now();
  service.server().Shutdown(std::chrono::system_clock::now() + milliseconds(100));
  EXPECT_LT(Clock::now() - start, seconds(5));
  client.join();
  EXPECT_FALSE(stream->Finish().ok());
}

}  // namespace
}  // namespace activation::server
