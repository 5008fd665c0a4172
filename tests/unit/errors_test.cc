#include "server/evaluate/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/wire/limits.h"

namespace activation::server::errors {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Errors, StayBelowTheLimitWhateverTheClientWrote) {
  const std::string hostile(10'000, '\xff');
  const std::vector<absl::string_view> near(3, "gelu_pytorch_tanh");
  const std::string path =
      ParameterPath("evaluations[1023].activation", "parameter_tensors", hostile);
  const engine::Parameter parameter = {
      "alpha", "", 1, -1.7976931348623157e308, 1.7976931348623157e308, true};
  for (const absl::Status& status :
       {UnknownActivation("evaluations[1023].activation.name", hostile, near),
        ParameterOutOfRange(path, -1.7976931348623157e308, parameter),
        UnknownParameter(path, "elu", std::span(&parameter, 1)),
        MissingField(std::string(5'000, 'f'))}) {
    EXPECT_LE(status.message().size(), static_cast<size_t>(kMaxStatusMessageBytes));
  }
}

TEST(Errors, EscapeTextOfTheClient) {
  const absl::Status status = UnknownActivation("reference.name", "a\n\"b\"\xc3", {});
  EXPECT_THAT(status.ToString(), HasSubstr(R"("a\n\"b\"\xc3")"));
  EXPECT_THAT(status.ToString(), Not(HasSubstr("\n")));
}

TEST(Errors, GiveNumbersThatReadBackAsTheSame) {
  const engine::Parameter parameter = {"alpha", "", 1, 0.1, 1e300, true};
  EXPECT_EQ(ParameterOutOfRange("p", 0.30000000000000004, parameter).message(),
            "p is 0.30000000000000004; allowed is a finite number from 0.1 to 1e+300 other than 0");
}

}  // namespace
}  // namespace activation::server::errors
