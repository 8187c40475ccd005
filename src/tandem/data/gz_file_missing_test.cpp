// Built only where the library is missing.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tandem/data/gz_file.h"
#include "tandem/testing/message_of.h"

namespace tandem::data {
namespace {

TEST(GzFileMissing, ReadsPlainFilesAndRefusesPackedOnes) {
  const auto path = (std::filesystem::temp_directory_path() / "tandem_gz_file_missing_test").string();
  std::ofstream(path, std::ios::binary) << "a,b\n";
  char text[8];
  EXPECT_EQ(GzFile(path).read(text, sizeof text), 4U);
  EXPECT_EQ(std::string(text, 4), "a,b\n");
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08";
  EXPECT_EQ(testing::message_of([&] { GzFile file(path); }),
            path + ": gzip files cannot be read: Tandem was built without zlib; unpack it first");
  std::filesystem::remove(path);
  EXPECT_EQ(testing::message_of<DataError>([&] { GzFile file(path); }),
            path + ": cannot be read: No such file or directory");
}

}  // namespace
}  // namespace tandem::data
