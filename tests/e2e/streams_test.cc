// EvaluateStream, GradientStream and CompareApproximationsStream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "server/engine/engine.h"
#include "tests/e2e/running_service.h"

namespace activation::server {
namespace {

using testing::HasSubstr;

TEST(EvaluateStream, AnswersChunksOfAnySizeInOrderAndInheritsTheActivation) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  const std::vector<size_t> sizes = {1, 0, 3, 100'001, 8'192, 7, 1'000'000, 2};
  engine::Operation operation = {.function = engine::WithDefaults(*engine::Find("elu"))};
  operation.function.parameters[0] = 2;
  float next = -4;
  for (const size_t size : sizes) {
    std::vector<float> x(size);
    for (float& value : x) value = next = next > 4 ? -4 : next + 1e-5f;
    v1::EvaluateStreamRequest request;
    if (size == 1) {
      request.mutable_evaluation()->mutable_activation()->set_name("elu");
      (*request.mutable_evaluation()->mutable_activation()->mutable_parameters())["alpha"] = 2;
    }
    request.mutable_evaluation()->mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
    request.mutable_evaluation()->mutable_input()->set_data(Packed(x));
    ASSERT_TRUE(stream->Write(request));
    v1::EvaluateStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    std::vector<float> expected(size);
    engine::Run(operation,
                {.input = std::as_bytes(std::span(x)).data(),
                 .output = std::as_writable_bytes(std::span(expected)).data()},
                size);
    EXPECT_TRUE(Unpacked(response.result().output().data()) == expected) << size;
    EXPECT_EQ(response.result().activation().parameters().at("alpha"), 2);
  }
  stream->WritesDone();
  v1::EvaluateStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(EvaluateStream, AnswersAClientThatWritesEverythingBeforeItReads) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  constexpr int kChunks = 50;
  std::thread writer([&] {
    for (int i = 0; i < kChunks; ++i) {
      v1::EvaluateStreamRequest request;
      request.mutable_evaluation()->mutable_activation()->set_name("relu");
      request.mutable_evaluation()->mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT32);
      request.mutable_evaluation()->mutable_input()->set_data(
          Packed(std::vector<float>(100'000, static_cast<float>(i))));
      ASSERT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  for (int i = 0; i < kChunks; ++i) {
    v1::EvaluateStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    const std::vector<float> values = Unpacked(response.result().output().data());
    ASSERT_EQ(values.size(), 100'000u);
    EXPECT_EQ(values[99'999], static_cast<float>(i));
  }
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(EvaluateStream, EndsOkWithoutChunks) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  stream->WritesDone();
  v1::EvaluateStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(EvaluateStream, EndsWithTheStatusOfAChunkThatFails) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  v1::EvaluateStreamRequest request;
  request.mutable_evaluation()->mutable_activation()->set_name("relu");
  request.mutable_evaluation()->mutable_input()->add_float_values(1);
  ASSERT_TRUE(stream->Write(request));
  v1::EvaluateStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  request.mutable_evaluation()->mutable_input()->add_shape(2);
  ASSERT_TRUE(stream->Write(request));
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("evaluation.input has 1 values"));
  service.ExpectToServe();
}

TEST(EvaluateStream, WantsAnActivationInItsFirstChunk) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  v1::EvaluateStreamRequest request;
  request.mutable_evaluation()->mutable_input()->add_float_values(1);
  ASSERT_TRUE(stream->Write(request));
  v1::EvaluateStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "evaluation.activation is required");
}

TEST(GradientStream, TotalsParameterGradientsOverTheChunksSoFar) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().GradientStream(&context);
  double expected = 0;
  for (int i = 1; i <= 5; ++i) {
    v1::GradientStreamRequest request;
    v1::GradientEvaluation& chunk = *request.mutable_gradient();
    if (i == 1) chunk.mutable_activation()->set_name("leaky_relu");
    for (int k = 0; k < i; ++k) {
      chunk.mutable_input()->add_double_values(-i);
      chunk.mutable_upstream()->add_double_values(2);
      expected += 2 * -i;
    }
    chunk.set_return_value(true);
    chunk.set_return_parameter_gradients(true);
    ASSERT_TRUE(stream->Write(request));
    v1::GradientStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.result().parameter_gradients().at("negative_slope"), expected);
    EXPECT_EQ(response.result().gradient().double_values(0), 0.02);
    EXPECT_EQ(response.result().value().double_values(0), i * -0.01);
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(GradientStream, InheritsParameterTensorsAndTotalsTheirGradients) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().GradientStream(&context);
  for (int i = 1; i <= 3; ++i) {
    v1::GradientStreamRequest request;
    v1::GradientEvaluation& chunk = *request.mutable_gradient();
    if (i == 1) {
      chunk.mutable_activation()->set_name("leaky_relu");
      auto& slopes = (*chunk.mutable_activation()->mutable_parameter_tensors())["negative_slope"];
      slopes.mutable_values()->add_double_values(0.5);
      slopes.mutable_values()->add_double_values(2);
    }
    chunk.mutable_input()->add_shape(i);  // as many rows, of two channels each
    chunk.mutable_input()->add_shape(2);
    for (int k = 0; k < 2 * i; ++k) chunk.mutable_input()->add_double_values(k % 2 == 0 ? -1 : -3);
    chunk.set_return_parameter_gradients(true);
    ASSERT_TRUE(stream->Write(request));
    v1::GradientStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.result().gradient().double_values(1), 2);
    const int rows = i * (i + 1) / 2;
    EXPECT_THAT(response.result().parameter_tensor_gradients().at("negative_slope").double_values(),
                testing::ElementsAre(-rows, -3 * rows));
  }
  v1::GradientStreamRequest request;
  request.mutable_gradient()->mutable_input()->add_double_values(1);
  ASSERT_TRUE(stream->Write(request));
  v1::GradientStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(
      stream->Finish().error_message(),
      "gradient.activation.parameter_tensors[\"negative_slope\"].values has 2 values, but axis "
      "0 of the input has extent 1; they have to be as many");
}

TEST(GradientStream, CountsWhatItKeepsForTheNextChunkAsPending) {
  RunningService service({.max_pending_bytes = 1'000'000});
  v1::GradientStreamRequest request;
  v1::GradientEvaluation& chunk = *request.mutable_gradient();
  chunk.mutable_activation()->set_name("leaky_relu");
  auto& slopes = (*chunk.mutable_activation()->mutable_parameter_tensors())["negative_slope"];
  slopes.mutable_values()->set_data_type(v1::DATA_TYPE_FLOAT16);
  slopes.mutable_values()->set_data(std::string(60'000, '\0'));  // kept as 240 kB
  chunk.mutable_input()->set_data_type(v1::DATA_TYPE_FLOAT16);
  chunk.mutable_input()->set_data(std::string(60'000, '\0'));
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<
      grpc::ClientReaderWriter<v1::GradientStreamRequest, v1::GradientStreamResponse>>>
      streams;
  int served = 0;
  for (int i = 0; i < 8; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(service.stub().GradientStream(contexts.back().get()));
    v1::GradientStreamResponse response;
    if (streams.back()->Write(request) && streams.back()->Read(&response)) ++served;
  }
  EXPECT_GE(served, 3);
  EXPECT_LE(served, 4);  // not 8 of 240 kB
  EXPECT_THAT(streams.back()->Finish().error_message(), HasSubstr("the server is busy"));
  for (int i = 0; i < served; ++i) {
    streams[static_cast<size_t>(i)]->WritesDone();
    EXPECT_TRUE(streams[static_cast<size_t>(i)]->Finish().ok());
  }
  service.ExpectToServe();
}

TEST(EvaluateStream, TakesEachChunkOfARowFunctionAsATensorOfItsOwn) {
  RunningService service;
  grpc::ClientContext context;
  const auto stream = service.stub().EvaluateStream(&context);
  for (int length = 1; length <= 4; ++length) {
    v1::EvaluateStreamRequest request;
    if (length == 1) request.mutable_evaluation()->mutable_activation()->set_name("softmax");
    for (int k = 0; k < length; ++k)
      request.mutable_evaluation()->mutable_input()->add_double_values(7);
    ASSERT_TRUE(stream->Write(request));
    v1::EvaluateStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_THAT(response.result().output().double_values(), testing::Each(1.0 / length));
    EXPECT_EQ(response.result().output().double_values_size(), length);
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(CompareApproximationsStream, ReportsProgressThenTheSameAsTheUnaryCall) {
  RunningService service;
  v1::CompareApproximationsStreamRequest request;
  request.mutable_comparison()->mutable_reference()->set_name("gelu");
  request.mutable_comparison()->mutable_grid()->set_from(-5);
  request.mutable_comparison()->mutable_grid()->set_to(5);
  request.mutable_comparison()->mutable_grid()->set_points(2'000'000);
  grpc::ClientContext context;
  const auto reader = service.stub().CompareApproximationsStream(&context, request);
  v1::CompareApproximationsStreamResponse update;
  int64_t done = 0;
  bool has_report = false;
  v1::CompareApproximationsResponse report;
  const auto start = std::chrono::steady_clock::now();
  while (reader->Read(&update)) {
    EXPECT_FALSE(has_report) << "nothing comes after the report";
    if (update.has_progress()) {
      EXPECT_GT(update.progress().done(), done);
      EXPECT_EQ(update.progress().total(), 2'000'000);
      done = update.progress().done();
    } else {
      has_report = true;
      report = update.report();
    }
  }
  ASSERT_TRUE(reader->Finish().ok());
  ASSERT_TRUE(has_report);
  // Whoever computes this in no time need not tell how far it is.
  if (std::chrono::steady_clock::now() - start > std::chrono::seconds(1)) {
    EXPECT_GT(done, 0);
  }

  v1::CompareApproximationsResponse unary;
  grpc::ClientContext second;
  ASSERT_TRUE(service.stub().CompareApproximations(&second, request.comparison(), &unary).ok());
  // The time is the one figure that differs.
  for (v1::CompareApproximationsResponse* each : {&report, &unary}) {
    for (v1::ApproximationReport& one : *each->mutable_reports()) one.clear_nanoseconds_per_point();
  }
  EXPECT_EQ(report.ShortDebugString(), unary.ShortDebugString());
}

TEST(CompareApproximationsStream, FailsWithThePathOfTheFieldInside) {
  RunningService service;
  v1::CompareApproximationsStreamRequest request;
  v1::CompareApproximationsStreamResponse update;
  {
    grpc::ClientContext context;
    const auto reader = service.stub().CompareApproximationsStream(&context, request);
    EXPECT_FALSE(reader->Read(&update));
    EXPECT_EQ(reader->Finish().error_message(), "comparison is required");
  }
  request.mutable_comparison()->mutable_reference()->set_name("gelu");
  grpc::ClientContext context;
  const auto reader = service.stub().CompareApproximationsStream(&context, request);
  EXPECT_FALSE(reader->Read(&update));
  EXPECT_THAT(reader->Finish().error_message(), HasSubstr("comparison.domain is required"));
}

}  // namespace
}  // namespace activation::server
