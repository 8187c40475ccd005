// Data that cannot be used: one line that names the file, exit status 3.
#include <gtest/gtest.h>

#include <filesystem>

#include "made_up_images.h"
#include "run_tandem.h"

namespace tandem::testing {
namespace {

void expect_data_refused(const std::string& folder, const std::string& line) {
  expect_refused({"train", "minigooglenet", "--data", "cifar10:" + folder}, 3, line);
}

TEST(BadData, MissingFolder) {
  const TemporaryFolder folder;
  expect_data_refused(folder.file("nowhere"),
                      "cifar10: cannot read the folder " + folder.file("nowhere") + ": No such file or directory");
}

TEST(BadData, FolderWithoutImages) {
  const TemporaryFolder folder;
  expect_data_refused(folder.path(),
                      "cifar10: the folder " + folder.path().string() + " must hold data_batch_*.bin, it has none");
}

TEST(BadData, MissingTestPart) {
  const TemporaryFolder folder;
  MadeUpImages().write(folder.path());
  std::filesystem::remove(folder.file("test_batch.bin"));
  expect_data_refused(folder.path(),
                      "cifar10: cannot read " + folder.file("test_batch.bin") + ": No such file or directory");
}

TEST(BadData, TruncatedFile) {
  const TemporaryFolder folder;
  MadeUpImages().write(folder.path());
  std::filesystem::resize_file(folder.file("data_batch_1.bin"), 5 * kRecordBytes - 1);
  expect_data_refused(folder.path(), "cifar10: " + folder.file("data_batch_1.bin") +
                                         " must hold records of 3073 bytes, its size is 15364 bytes");
}

TEST(BadData, EmptyFile) {
  const TemporaryFolder folder;
  MadeUpImages().write(folder.path());
  std::filesystem::resize_file(folder.file("data_batch_1.bin"), 0);
  expect_data_refused(folder.path(), "cifar10: " + folder.file("data_batch_1.bin") +
                                         " must hold records of 3073 bytes, its size is 0 bytes");
}

TEST(BadData, LabelOutOfRange) {
  const TemporaryFolder folder;
  MadeUpImages{.bad_label_at = 7}.write(folder.path());
  expect_data_refused(folder.path(),
                      "cifar10: " + folder.file("data_batch_1.bin") + ", record 7: the label must be 0 to 9, got 10");
}

TEST(BadData, PathWhereNoneBelongs) {
  expect_refused({"train", "minigooglenet", "--data", "digits:here"}, 2,
                 "--data digits: is built in and takes no path, got 'here'");
  expect_refused({"train", "minigooglenet", "--data", "cifar10:"}, 2,
                 "--data cifar10:: must name a path after the colon");
}

}  // namespace
}  // namespace tandem::testing
