#include "tandem/data/tar_gz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::data {
namespace {

// A member by the rules of ustar (POSIX.1-1988): a header of 512 bytes and the bytes, filled up to whole blocks.
std::string tar_member(const std::string& name, const std::string& bytes, char kind = '0',
                       const std::string& prefix = "") {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", bytes.size());
  put(124, size);
  put(156, std::string(1, kind));
  put(257, "ustar");
  put(263, "00");
  put(345, prefix);
  put(148, std::string(8, ' '));
  unsigned sum = 0;
  for (const unsigned char c : header) sum += c;
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  put(148, std::string(text, 7) + " ");
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

class TarGz : public ::testing::Test {
 protected:
  std::string pack(const std::string& tar) const {
    gzFile file = gzopen(folder_.file("a.tar.gz").c_str(), "wb");
    gzwrite(file, tar.data(), static_cast<unsigned>(tar.size()));
    gzclose(file);
    return folder_.file("a.tar.gz");
  }
  std::string refusal(const std::string& tar, const std::vector<TarMember>& wanted) const {
    const auto archive = pack(tar);
    const auto message = message_of<DataError>([&] { unpack_tar_gz(archive, wanted, folder_.path()); });
    return message.starts_with(archive) ? message.substr(archive.size()) : message;
  }

  testing::TemporaryFolder folder_;
  const std::string end_ = std::string(1024, '\0');
};

TEST_F(TarGz, WritesWhatIsWantedAndNothingElse) {
  const std::string big(100000, 'b');
  const auto archive = pack(tar_member("in/", "", '5') + tar_member("../../evil", "e") + tar_member("in/a.bin", "aaa") +
                            tar_member("link", "", '2') + tar_member("b.bin", big, '0', "in/deep") +
                            tar_member("in/c.bin", "ccc") + end_);
  unpack_tar_gz(archive, {{"in/a.bin", 3}, {"in/deep/b.bin", 100000}}, folder_.path());
  EXPECT_EQ(testing::file_bytes(folder_.file("a.bin")), "aaa");
  EXPECT_EQ(testing::file_bytes(folder_.file("b.bin")), big);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 3);
}

TEST_F(TarGz, DamageIsNamed) {
  const std::vector<TarMember> wanted{{"a", 3}};
  EXPECT_EQ(refusal(tar_member("b", "bbb") + end_, wanted), ": has no a");
  EXPECT_EQ(refusal(tar_member("a", "", '2') + end_, wanted), ": has no a");
  EXPECT_EQ(refusal(tar_member("a", "aaaa") + end_, wanted), ": a must have 3 bytes, has 4");
  EXPECT_EQ(refusal(tar_member("b", std::string(2000, 'b')).substr(0, 1500), wanted), ": ends inside a member");
  auto changed = tar_member("a", "aaa");
  changed[1] = 'x';
  EXPECT_EQ(refusal(changed + end_, wanted), ": a member's header is damaged");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a")));
}

}  // namespace
}  // namespace tandem::data
