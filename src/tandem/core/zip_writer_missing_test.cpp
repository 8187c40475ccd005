// Built only where the library is missing.
#include <gtest/gtest.h>

#include "tandem/core/zip_writer.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

TEST(ZipWriterMissing, RefusesByName) {
  EXPECT_EQ(testing::message_of([] { write_zip_file("m.keras", {}); }),
            "m.keras: zip files (.keras) cannot be written: Tandem was built without libzip");
}

}  // namespace
}  // namespace tandem
