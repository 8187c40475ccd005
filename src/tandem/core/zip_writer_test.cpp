#include "tandem/core/zip_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zip.h>

#include <ctime>
#include <filesystem>

#include "tandem/core/error.h"
#include "tandem/core/zip_reader.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(ZipWriter, MembersComeBackStoredAndInTheirOrder) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.zip"), large(3'000'000, 'x'), zeros(5, '\0');
  write_zip_file(path, {{"z", "last"}, {"folder/large", large}, {"empty", ""}, {"zeros", zeros}});
  const ZipReader zip(path);
  EXPECT_EQ(zip.names(), (std::vector<std::string>{"z", "folder/large", "empty", "zeros"}));
  EXPECT_EQ(zip.read("z"), "last");
  EXPECT_EQ(zip.read("folder/large"), large);
  EXPECT_EQ(zip.read("empty"), "");
  EXPECT_EQ(zip.read("zeros"), zeros);
  EXPECT_NE(testing::file_bytes(path).find(large), std::string::npos);
}

TEST(ZipWriter, TheSameMembersMakeTheSameBytes) {
  const testing::TemporaryFolder folder;
  const std::vector<ZipMember> members{{"a", "one"}, {"b", "two"}};
  write_zip_file(folder.file("first.zip"), members);
  write_zip_file(folder.file("second.zip"), members);
  EXPECT_EQ(testing::file_bytes(folder.file("first.zip")), testing::file_bytes(folder.file("second.zip")));
  zip_t* zip = zip_open(folder.file("first.zip").c_str(), ZIP_RDONLY, nullptr);
  ASSERT_NE(zip, nullptr);
  zip_stat_t about;
  ASSERT_EQ(zip_stat_index(zip, 0, 0, &about), 0);
  std::tm time{};
  localtime_r(&about.mtime, &time);  // zip files hold local times
  EXPECT_EQ(time.tm_year, 80);
  EXPECT_EQ(time.tm_yday, 0);
  zip_discard(zip);
}

TEST(ZipWriter, ReplacesAFileAndKeepsItsMode) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("a.zip", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_zip_file(path, {{"a", "new"}});
  EXPECT_EQ(ZipReader(path).read("a"), "new");
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0640));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(ZipWriter, WhatCannotBeWrittenIsNamed) {
  const testing::TemporaryFolder folder;
  const auto error = [](const std::string& path, const std::vector<ZipMember>& members) {
    return testing::message_of<DataError>([&] { write_zip_file(path, members); });
  };
  const std::string path = folder.write("a.zip", "old"), device = folder.file("full.zip");
  EXPECT_EQ(error(path, {{"a", "x"}, {"a", "y"}}), path + ": cannot be written: File already exists");
  EXPECT_EQ(testing::file_bytes(path), "old");
  EXPECT_NE(error(folder.file("no/a.zip"), {}).find("does not exist"), std::string::npos);
  fs::create_symlink("/dev/full", device);
  EXPECT_EQ(error(device, {{"a", "x"}}), device + ": cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace tandem
