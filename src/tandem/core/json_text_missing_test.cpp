// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/core/config.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

TEST(JsonTextMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { Config(1).to_json(); }), "built without nlohmann-json: JSON cannot be written");
  EXPECT_EQ(testing::message_of([] { Config::from_json("1"); }), "built without nlohmann-json: JSON cannot be read");
}

}  // namespace
}  // namespace tandem
