#include "client/cli/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "activation/v1/activation.pb.h"

namespace activation::cli {
namespace {

using ::testing::HasSubstr;

TEST(OutputTest, AlignsTables) {
  const std::vector<std::vector<std::string>> rows = {{"x", "value"}, {"-5.5", "1"}};
  EXPECT_EQ(FormatTable(rows, Align::kRight), "   x  value\n-5.5      1\n");
  EXPECT_EQ(FormatTable(rows, Align::kLeft), "x     value\n-5.5  1\n");
  EXPECT_EQ(FormatTable({}, Align::kLeft), "");
}

TEST(OutputTest, QuotesCsvCellsThatNeedIt) {
  EXPECT_EQ(FormatCsv({{"a", "b"}, {"elu:alpha=2,beta=3", "say \"x\""}}),
            "a,b\n\"elu:alpha=2,beta=3\",\"say \"\"x\"\"\"\n");
}

TEST(OutputTest, WritesProto3Json) {
  v1::Tensor tensor;
  tensor.set_data_type(v1::DATA_TYPE_FLOAT32);
  tensor.add_float_values(-0.5f);
  tensor.add_float_values(-std::numeric_limits<float>::infinity());
  absl::StatusOr<std::string> json = FormatJson(tensor, JsonStyle::kCompact);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, "{\"dataType\":\"DATA_TYPE_FLOAT32\",\"floatValues\":[-0.5,\"-Infinity\"]}\n");
  absl::StatusOr<std::string> full = FormatJson(v1::ApproximationReport(), JsonStyle::kFull);
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_THAT(*full, HasSubstr("\"nonFiniteMismatches\": \"0\""));
}

TEST(OutputTest, SaysWhichFileCanNotBeWrittenAndWhy) {
  const absl::Status missing = Write("/nonexistent/y.npy", "x");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("'/nonexistent/y.npy'"));
  const absl::Status full = Write("/dev/full", std::string(100'000, 'x'));
  EXPECT_FALSE(full.ok());
  EXPECT_THAT(full.message(), HasSubstr("No space left"));
}

}  // namespace
}  // namespace activation::cli
