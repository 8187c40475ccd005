// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/data/decode_png.h"
#include "tandem/testing/message_of.h"

namespace tandem::data {
namespace {

TEST(DecodePngMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { decode_png("", 3, "a.png"); }),
            "a.png: PNG pictures cannot be read: Tandem was built without libpng");
}

}  // namespace
}  // namespace tandem::data
