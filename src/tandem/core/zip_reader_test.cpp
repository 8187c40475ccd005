#include "tandem/core/zip_reader.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/error.h"

namespace tandem {
namespace {

class ZipReaderTest : public ::testing::Test {
 protected:
  ~ZipReaderTest() override { std::filesystem::remove(path_); }

  using Members = std::vector<std::pair<std::string, std::string>>;
  void write(const Members& members, int method) {
    std::filesystem::remove(path_);
    zip_t* zip = zip_open(path_.c_str(), ZIP_CREATE, nullptr);
    for (const auto& [name, bytes] : members) {
      const auto index =
          zip_file_add(zip, name.c_str(), zip_source_buffer(zip, bytes.data(), bytes.size(), 0), ZIP_FL_ENC_UTF_8);
      zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), method, 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Replaces the little-endian size `from` by `to` wherever it stands: in both headers of the member.
  void forge_size(uint32_t from, uint32_t to) {
    std::string all = bytes();
    const std::string old(reinterpret_cast<const char*>(&from), 4), other(reinterpret_cast<const char*>(&to), 4);
    for (auto at = all.find(old); at != all.npos; at = all.find(old, at + 4)) all.replace(at, 4, other);
    std::ofstream(path_, std::ios::binary) << all;
  }
  std::string error_of_reading(const std::string& name) const {
    try {
      ZipReader(path_).read(name);
    } catch (const DataError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::string path_ = ::testing::TempDir() + "zip_reader_" + std::to_string(::getpid()) + ".zip";
};

TEST_F(ZipReaderTest, ReadsMembersWholeAndPieceByPiece) {
  const std::string text(100000, 'x');
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write({{"b/text", text}, {"a", "short"}, {"empty", ""}}, method);
    const ZipReader zip(path_);
    EXPECT_EQ(zip.names(), (std::vector<std::string>{"b/text", "a", "empty"}));
    EXPECT_TRUE(zip.contains("a"));
    EXPECT_FALSE(zip.contains("text"));
    EXPECT_EQ(zip.read("b/text"), text);
    EXPECT_EQ(zip.read("empty"), "");
    auto member = zip.open("a");
    EXPECT_EQ(member.size(), 5);
    char piece[8] = "";
    EXPECT_EQ(member.read(piece, 2), 2U);
    EXPECT_EQ(std::string(piece, 2), "sh");
    EXPECT_EQ(member.read(piece, 8), 3U);
    EXPECT_EQ(std::string(piece, 3), "ort");
    EXPECT_EQ(member.read(piece, 8), 0U);
  }
}

TEST_F(ZipReaderTest, MissingFilesAndMembersAreNamed) {
  EXPECT_EQ(error_of_reading("a"), path_ + ": cannot be opened as a zip file: No such file");
  write({{"a", "short"}}, ZIP_CM_STORE);
  EXPECT_EQ(error_of_reading("b"), path_ + ": has no member b");
}

TEST_F(ZipReaderTest, AMemberIsNotUnpackedBeyondItsDeclaredSize) {
  const std::string text(77777, 'x');
  write({{"a", text}}, ZIP_CM_DEFLATE);
  forge_size(77777, 70000);
  EXPECT_NE(error_of_reading("a").find(path_ + ", member a: "), std::string::npos) << error_of_reading("a");
  write({{"a", text}}, ZIP_CM_DEFLATE);
  forge_size(77777, 2000000000);
  EXPECT_EQ(error_of_reading("a").find(path_ + ", member a: declares 2000000000 bytes, which its "), 0U)
      << error_of_reading("a");
  write({{"a", text}}, ZIP_CM_DEFLATE);
  forge_size(77777, 78000);
  EXPECT_NE(error_of_reading("a"), "nothing was thrown");
}

TEST_F(ZipReaderTest, TheChecksumIsVerified) {
  const std::string text(1000, 'x');
  write({{"a", text}}, ZIP_CM_STORE);
  std::string all = bytes();
  all[all.find("xxxx") + 500] = 'y';
  std::ofstream(path_, std::ios::binary) << all;
  EXPECT_EQ(error_of_reading("a"), path_ + ", member a: is damaged: CRC error");
}

}  // namespace
}  // namespace tandem
