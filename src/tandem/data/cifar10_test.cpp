#include "tandem/data/cifar10.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"

namespace tandem::datasets {
namespace {

namespace fs = std::filesystem;

// A folder of small files in CIFAR-10's binary format: pixel (channel c, row i, column j) of record r is value(r, c, i,
// j).
class Cifar10 : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("cifar10_") + info->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static int value(int record, int channel, int row, int column) {
    return (7 * record + 50 * channel + 3 * row + column) % 256;
  }

  void write(const std::string& name, int first, int records) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    for (int r = first; r < first + records; ++r) {
      out.put(static_cast<char>(r % 10));
      for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 32; ++i) {
          for (int j = 0; j < 32; ++j) out.put(static_cast<char>(value(r, c, i, j)));
        }
      }
    }
  }

  std::string error() const {
    return data::message_of<DataError>([&] { cifar10({.path = folder_.string()}); });
  }

  fs::path folder_;
};

TEST_F(Cifar10, ReadsPixelsChannelsLastAndFilesByNumber) {
  write("data_batch_10.bin", 5, 3);
  write("data_batch_2.bin", 3, 2);
  write("data_batch_1.bin", 0, 3);
  write("test_batch.bin", 8, 4);
  const auto [train, test] = cifar10({.path = folder_.string()});
  ASSERT_EQ(train.x().sizes(), at::IntArrayRef({8, 32, 32, 3}));
  ASSERT_EQ(test.x().sizes(), at::IntArrayRef({4, 32, 32, 3}));
  EXPECT_EQ(train.x().scalar_type(), at::kByte);
  EXPECT_EQ(train.y().scalar_type(), at::kLong);
  EXPECT_TRUE(at::equal(train.y(), at::arange(8)));
  EXPECT_TRUE(at::equal(test.y(), at::arange(8, 12).remainder(10)));
  const Tensor x = at::cat({train.x(), test.x()});
  for (const int record : {0, 2, 3, 7, 8, 11}) {
    for (const int channel : {0, 1, 2}) {
      EXPECT_EQ(x[record][0][31][channel].item<int>(), value(record, channel, 0, 31));
      EXPECT_EQ(x[record][20][4][channel].item<int>(), value(record, channel, 20, 4));
    }
  }
}

TEST_F(Cifar10, AMissingFolderOrFileIsNamed) {
  const std::string folder = folder_.string();
  EXPECT_EQ(error(), "cifar10: the folder " + folder + " must hold data_batch_*.bin, it has none");
  write("data_batch_1.bin", 0, 1);
  EXPECT_EQ(error(), "cifar10: cannot read " + folder + "/test_batch.bin: No such file or directory");
  fs::remove_all(folder_);
  EXPECT_EQ(error(), "cifar10: cannot read the folder " + folder + ": No such file or directory");
}

TEST_F(Cifar10, ATruncatedFileIsNamedWithItsSize) {
  write("data_batch_1.bin", 0, 2);
  write("test_batch.bin", 0, 2);
  fs::resize_file(folder_ / "test_batch.bin", 6000);
  const std::string file = (folder_ / "test_batch.bin").string();
  EXPECT_EQ(error(), "cifar10: " + file + " must hold records of 3073 bytes, its size is 6000 bytes");
  fs::resize_file(folder_ / "test_batch.bin", 0);
  EXPECT_EQ(error(), "cifar10: " + file + " must hold records of 3073 bytes, its size is 0 bytes");
}

TEST_F(Cifar10, ALabelAboveNineIsNamedWithFileAndRecord) {
  write("data_batch_1.bin", 0, 5);
  write("test_batch.bin", 0, 2);
  std::fstream file(folder_ / "data_batch_1.bin", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 3073);
  file.put(10);
  file.close();
  EXPECT_EQ(error(),
            "cifar10: " + (folder_ / "data_batch_1.bin").string() + ", record 3: the label must be 0 to 9, got 10");
}

// The real images' folder, where it is there.
std::vector<std::string> real_folders() {
  const fs::path folder = fs::path(TANDEM_FIXTURES) / "../../../shared/data/cifar10";
  if (!fs::exists(folder / "test_batch.bin")) return {};
  return {folder.string()};
}

class RealCifar10 : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealCifar10);
INSTANTIATE_TEST_SUITE_P(Shared, RealCifar10, ::testing::ValuesIn(real_folders()));

TEST_P(RealCifar10, HasBalancedClassesAndTheKnownChannelMeans) {
  const auto [train, test] = cifar10({.path = GetParam()});
  EXPECT_EQ(train.size(), 10000);
  EXPECT_EQ(test.size(), 2000);
  for (int64_t label = 0; label < 10; ++label) {
    EXPECT_EQ(train.y().eq(label).sum().item<int64_t>(), 1000);
    EXPECT_EQ(test.y().eq(label).sum().item<int64_t>(), 200);
  }
  const Tensor means = train.x().to(at::kDouble).mean({0, 1, 2});
  EXPECT_NEAR(means[0].item<double>(), 125.74, 0.006);
  EXPECT_NEAR(means[1].item<double>(), 123.24, 0.006);
  EXPECT_NEAR(means[2].item<double>(), 114.02, 0.006);
}

}  // namespace
}  // namespace tandem::datasets
