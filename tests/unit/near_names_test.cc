#include "server/evaluate/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace activation::server {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST(FindNearNames, OffersTheNameBehindASwapALossOrAnExtraLetter) {
  for (const char* wrong : {"gleu", "gel", "geluu", "gelo"}) {
    EXPECT_THAT(FindNearNames(wrong), Contains(absl::string_view("gelu"))) << wrong;
  }
}

TEST(FindNearNames, OffersAtMostThreeNearestFirst) {
  const auto near = FindNearNames("gelu_tan");
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "gelu_tanh");
  EXPECT_LE(near.size(), 3u);
}

TEST(FindNearNames, OffersNothingForWhatIsNotNear) {
  EXPECT_THAT(FindNearNames("completely different"), IsEmpty());
  EXPECT_THAT(FindNearNames(std::string(64, 'q')), IsEmpty());
}

}  // namespace
}  // namespace activation::server
