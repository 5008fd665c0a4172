// Bad input: each is refused with a clear status, and the server goes on serving.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/e2e/running_service.h"

namespace activation::server {
namespace {

using testing::HasSubstr;

constexpr const char* kService = "/activation.v1.ActivationService/";

// A unary call with these bytes as the request.
grpc::Status CallRaw(RunningService& service, const char* method, const std::string& bytes) {
  grpc::GenericStub stub(service.channel());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call =
      stub.PrepareUnaryCall(&context, std::string(kService) + method, request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

// A stream whose only message is these bytes.
grpc::Status StreamRaw(RunningService& service, const char* method, const std::string& bytes) {
  grpc::GenericStub stub(service.channel());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto call = stub.PrepareCall(&context, std::string(kService) + method, &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  const grpc::Slice slice(bytes);
  call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
  queue.Next(&tag, &ok);
  for (ok = true; ok;) {
    grpc::ByteBuffer response;
    call->Read(&response, nullptr);
    queue.Next(&tag, &ok);
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return status;
}

struct Case {
  const char* what;
  const char* request;
  grpc::StatusCode code;
  const char* message;
};

TEST(BadInput, OfEvaluateIsRefusedWithTheFieldAtFault) {
  constexpr auto kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
  const Case cases[] = {
      {"an empty batch", "", kInvalid, "evaluations is empty"},
      {"a wrong byte count",
       "evaluations { activation { name: 'gelu' }"
       " input { data_type: DATA_TYPE_FLOAT32 shape: 3 data: '12345678' } }",
       kInvalid, "evaluations[0].input.data has 8 bytes, but its shape has 3 elements"},
      {"an unknown name", "evaluations { activation { name: 'gulu' } input { float_values: 1 } }",
       grpc::StatusCode::NOT_FOUND, "gelu"},
      {"a parameter that is NaN",
       "evaluations { activation { name: 'elu' parameters { key: 'alpha' value: nan } }"
       " input { float_values: 1 } }",
       kInvalid, "evaluations[0].activation.parameters[\"alpha\"] is nan"},
      {"a parameter out of range",
       "evaluations { activation { name: 'gelu_sigma' parameters { key: 'sigma' value: -1e309 } }"
       " input { float_values: 1 } }",
       kInvalid, "evaluations[0].activation.parameters[\"sigma\"] is -inf; allowed is a finite"},
      {"an unknown parameter",
       "evaluations { activation { name: 'elu' parameters { key: 'alfa' value: 1 } }"
       " input { float_values: 1 } }",
       kInvalid, "parameters[\"alfa\"]: elu has no such parameter; it has alpha"},
      {"a tensor's value out of range",
       "evaluations { activation { name: 'elu' parameter_tensors { key: 'alpha' value {"
       " values { double_values: [1, -inf] } } } } input { float_values: [1, 2] } }",
       kInvalid,
       "evaluations[0].activation.parameter_tensors[\"alpha\"].values[1] is -inf; allowed"},
      {"a tensor of another length",
       "evaluations { activation { name: 'elu' parameter_tensors { key: 'alpha' value {"
       " values { double_values: 1 } axis: -1 } } } input { float_values: [1, 2] } }",
       kInvalid, "evaluations[0].activation.parameter_tensors[\"alpha\"].values has 1 values, but"},
      {"a bias along an axis that is not there",
       "evaluations { activation { name: 'elu' } input { float_values: [1, 2] }"
       " bias { values { float_values: 1 } axis: -2147483648 } }",
       kInvalid, "evaluations[0].bias.axis is -2147483648; the input has 1 axis"},
      {"an axis of an elementwise activation",
       "evaluations { activation { name: 'gelu' axis: 0 } input { float_values: 1 } }", kInvalid,
       "evaluations[0].activation.axis: gelu is elementwise"},
      {"rows that can't be halved",
       "evaluations { activation { name: 'glu' } input { float_values: [1, 2, 3] } }", kInvalid,
       "evaluations[0].input: axis 0 has extent 3, but glu halves it"},
      {"an integer type",
       "evaluations { activation { name: 'gelu' } input { data_type: 5 data: '1234' } }", kInvalid,
       "supported are FLOAT32, FLOAT64, FLOAT16 and BFLOAT16 (integers are not"},
  };
  RunningService service;
  for (const Case& c : cases) {
    v1::EvaluateRequest request;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(c.request, &request)) << c.what;
    v1::EvaluateResponse response;
    grpc::ClientContext context;
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    EXPECT_EQ(status.error_code(), c.code) << c.what;
    EXPECT_THAT(status.error_message(), HasSubstr(c.message)) << c.what;
  }
  service.ExpectToServe();
}

TEST(BadInput, AboveTheLimitsIsRefused) {
  RunningService service({.max_message_bytes = 100'000, .max_batch_items = 2});
  v1::EvaluateRequest request;
  for (int i = 0; i < 3; ++i) {
    request.add_evaluations()->mutable_activation()->set_name("relu");
    request.mutable_evaluations(i)->mutable_input()->add_float_values(1);
  }
  v1::EvaluateResponse response;
  {
    grpc::ClientContext context;
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("evaluations has more than 2 items"));
  }
  request.mutable_evaluations()->DeleteSubrange(1, 2);
  request.mutable_evaluations(0)->mutable_input()->mutable_float_values()->Resize(24'000, 1);
  request.mutable_evaluations(0)->set_output_type(v1::DATA_TYPE_FLOAT64);
  {
    grpc::ClientContext context;
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("the reply would have"));
  }
  request.mutable_evaluations(0)->mutable_input()->mutable_float_values()->Resize(30'000, 1);
  {
    grpc::ClientContext context;
    const grpc::Status status = service.stub().Evaluate(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  service.ExpectToServe();
}

TEST(BadInput, AboveThePendingBytesIsRefusedAsBusy) {
  RunningService service({.max_pending_bytes = 1'000});
  v1::EvaluateRequest request;
  request.add_evaluations()->mutable_activation()->set_name("relu");
  request.mutable_evaluations(0)->mutable_input()->mutable_float_values()->Resize(1'000, 1);
  v1::EvaluateResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Evaluate(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("the server is busy"));
  EXPECT_THAT(status.error_message(), HasSubstr("the limit is 1000"));
  service.ExpectToServe();
}

TEST(BadInput, InNamesComesBackEscapedAndShort) {
  RunningService service;
  v1::EvaluateRequest request;
  std::string name;
  for (int i = 0; i < 100'000; ++i) name += "\n\u00e9";
  request.add_evaluations()->mutable_activation()->set_name(name);
  v1::EvaluateResponse response;
  grpc::ClientContext context;
  const grpc::Status status = service.stub().Evaluate(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_LT(status.error_message().size(), 1'024u);
  EXPECT_THAT(status.error_message(), HasSubstr("\\n\\xc3\\xa9"));
  service.ExpectToServe();
}

TEST(BadInput, AsRandomBytesIsRefusedByEveryMethodAndHarmsNoOther) {
  RunningService service;
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::string bytes(random() % (round % 20 == 0 ? 100'000 : 200), '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (round % 2 == 0 && !bytes.empty()) bytes[0] = '\x0a';  // an item, of a random length
    for (const char* method : {"Evaluate", "Gradient"}) {
      const grpc::Status status = CallRaw(service, method, bytes);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    }
    for (const char* method : {"EvaluateStream", "GradientStream"}) {
      const grpc::Status status = StreamRaw(service, method, bytes);
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    }
    for (const char* method : {"CompareApproximations", "ListActivations", "GetServerInfo"}) {
      CallRaw(service, method, bytes);
    }
    if (round % 50 == 0) service.ExpectToServe();
  }
  service.ExpectToServe();
}

TEST(BadInput, OfAMillionEmptyItemsIsRefusedQuickly) {
  RunningService service;
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += std::string("\x0a\x00", 2);
  const grpc::Status status = CallRaw(service, "Evaluate", bytes);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("evaluations has more than 1024 items"));
}

}  // namespace
}  // namespace activation::server
