// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/core/zip_reader.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

TEST(ZipReaderMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { ZipReader("a.npz"); }),
            "a.npz: zip files (.npz, .keras) cannot be read: Tandem was built without libzip");
}

}  // namespace
}  // namespace tandem
