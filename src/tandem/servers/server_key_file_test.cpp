#include "tandem/servers/server_key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

TEST(ServerKeyFile, IsWrittenOnceAndReadByItsUserAlone) {
  auto folder = (std::filesystem::temp_directory_path() / "tandem-key-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto path = folder + "/key";
  EXPECT_NE(message_of<DataError>([&] { read_key(path); }).find("there is none"), std::string::npos);
  write_new_key(path);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  const auto key = read_key(path);
  EXPECT_EQ(comm::JobKey::of_secret(key.secret).open, key.open);
  EXPECT_EQ(message_of<DataError>([&] { write_new_key(path); }),
            "key file " + path + ": cannot be written: File exists");
  EXPECT_EQ(read_key(path).secret, key.secret);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);  // nothing is left beside it
  ::chmod(path.c_str(), 0640);
  EXPECT_NE(message_of<DataError>([&] { read_key(path); }).find("others have rights to it"), std::string::npos);
  ::chmod(path.c_str(), 0600);
  std::ofstream(path) << "secret";
  EXPECT_EQ(message_of<DataError>([&] { read_key(path); }),
            "key file " + path + ": job key: must be a secret key of 40 characters (Z85)");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tandem::servers
