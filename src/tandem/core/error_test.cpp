#include "tandem/core/error.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Names = std::vector<std::string>;

TEST(NearestNames, OrdersByDistanceAndKeepsThree) {
  const Names known{"relu", "elu", "selu", "sigmoid", "gelu"};
  EXPECT_EQ(nearest_names("relu", known), (Names{"relu", "elu", "selu"}));
  EXPECT_EQ(nearest_names("sigmod", known), (Names{"sigmoid"}));
}

TEST(NearestNames, IgnoresCase) { EXPECT_EQ(nearest_names("conv2d", {"Dense", "Conv2D"}), (Names{"Conv2D"})); }

TEST(NearestNames, IsEmptyWhenNothingIsNear) {
  EXPECT_TRUE(nearest_names("something_else", {"relu", "elu"}).empty());
  EXPECT_TRUE(nearest_names("relu", {}).empty());
}

TEST(ThrowUnknownName, ProposesTheNearest) {
  try {
    throw_unknown_name("loss", "mes", {"mse", "mae"});
    FAIL() << "must throw";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "loss 'mes' is not known; did you mean 'mse', 'mae'?");
  }
}

TEST(ThrowUnknownName, ListsAllWhenNothingIsNear) {
  try {
    throw_unknown_name("loss", "completely_other", {"mse", "mae"});
    FAIL() << "must throw";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "loss 'completely_other' is not known; known: 'mse', 'mae'");
  }
}

TEST(Error, EveryKindIsAnError) {
  EXPECT_THROW(throw InvalidArgument("x"), Error);
  EXPECT_THROW(throw DataError("x"), Error);
  EXPECT_THROW(throw PeerError("x"), Error);
  EXPECT_THROW(throw InternalError("x"), Error);
}

}  // namespace
}  // namespace tandem
