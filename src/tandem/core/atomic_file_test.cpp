#include "tandem/core/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tandem/core/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFileTest() {
    std::string name = (fs::temp_directory_path() / "tandem_atomic_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  int64_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, WritesAndReplacesTheWholeContent) {
  write_file_atomically(file("a"), std::string_view("long\0text", 9));
  EXPECT_EQ(read(file("a")), std::string("long\0text", 9));
  write_file_atomically(file("a"), "new");
  EXPECT_EQ(read(file("a")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, KeepsTheOldFileWhenTheWriterThrows) {
  write_file_atomically(file("a"), "old");
  const auto half_way = [](const std::string& temporary) {
    std::ofstream(temporary) << "half";
    throw DataError("half way");
  };
  EXPECT_EQ(message([&] { write_file_atomically(file("a"), half_way); }), "half way");
  EXPECT_EQ(read(file("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, AReaderNeverSeesAPart) {
  const std::string ones(300000, '1'), twos(200000, '2');
  write_file_atomically(file("a"), ones);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) write_file_atomically(file("a"), i % 2 ? ones : twos);
    done = true;
  });
  while (!done) {
    const auto seen = read(file("a"));
    EXPECT_TRUE(seen == ones || seen == twos) << seen.size();
  }
  writer.join();
}

TEST_F(AtomicFileTest, KeepsTheModeAndFollowsLinks) {
  write_file_atomically(file("a"), "old");
  ::chmod(file("a").c_str(), 0640);
  fs::create_symlink("a", file("link"));
  write_file_atomically(file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(read(file("a")), "new");
  EXPECT_EQ(fs::status(file("a")).permissions(), fs::perms(0640));
}

TEST_F(AtomicFileTest, ANewFileHasTheOrdinaryMode) {
  const mode_t mask = ::umask(022);
  write_file_atomically(file("a"), "x");
  ::umask(mask);
  EXPECT_EQ(fs::status(file("a")).permissions(), fs::perms(0644));
}

TEST_F(AtomicFileTest, NamesTheReason) {
  const std::string missing = file("no/a");
  EXPECT_EQ(message([&] { write_file_atomically(missing, "x"); }),
            missing + ": the folder '" + file("no") + "' does not exist");
  EXPECT_EQ(message([&] { check_writable(missing); }), missing + ": the folder '" + file("no") + "' does not exist");
  EXPECT_EQ(message([&] { write_file_atomically(folder_.string(), "x"); }),
            folder_.string() + ": is a folder; a file name is needed");
  write_file_atomically(file("a"), "x");
  EXPECT_EQ(message([&] { write_file_atomically(file("a/b"), "x"); }),
            file("a/b") + ": '" + file("a") + "' is not a folder");
  EXPECT_EQ(message([&] { write_file_atomically("", "x"); }), "'': a file name must not be empty");
}

TEST_F(AtomicFileTest, ADeviceStaysADevice) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (fs::is_character_file("/dev/full")) {
    EXPECT_EQ(message([] { write_file_atomically("/dev/full", "x"); }),
              "/dev/full: cannot be written: No space left on device");
  }
}

// root may write anywhere, so the check runs in a child process that is not root.
TEST_F(AtomicFileTest, SaysWhenThereIsNoPermission) {
  GTEST_FLAG_SET(death_test_style, "fast");
  fs::permissions(folder_, fs::perms(0555));
  const auto expected = file("a") + ": the folder '" + folder_.string() + "' cannot be written to: Permission denied";
  const auto as_nobody = [&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(message([&] { write_file_atomically(file("a"), "x"); }) == expected ? 0 : 1);
  };
  EXPECT_EXIT(as_nobody(), ::testing::ExitedWithCode(0), "");
  fs::permissions(folder_, fs::perms(0755));
}

}  // namespace
}  // namespace tandem
