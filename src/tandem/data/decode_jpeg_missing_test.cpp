// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/data/decode_jpeg.h"
#include "tandem/testing/message_of.h"

namespace tandem::data {
namespace {

TEST(DecodeJpegMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { decode_jpeg("", 3, "a.jpg"); }),
            "a.jpg: JPEG pictures cannot be read: Tandem was built without libjpeg");
}

}  // namespace
}  // namespace tandem::data
