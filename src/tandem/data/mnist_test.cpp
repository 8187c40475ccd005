#include "tandem/data/mnist.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "tandem/core/error.h"
#include "tandem/data/idx.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::datasets {
namespace {

// An idx file of unsigned bytes.
std::string idx_bytes(const std::vector<int>& shape, const std::string& values) {
  std::string bytes{0, 0, 8, static_cast<char>(shape.size())};
  for (const int size : shape) bytes += {0, 0, static_cast<char>(size >> 8), static_cast<char>(size & 255)};
  return bytes + values;
}

std::string gzipped(const std::string& bytes) {
  const testing::TemporaryFolder folder;
  gzFile file = gzopen(folder.file("x").c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return testing::file_bytes(folder.file("x"));
}

class Mnist : public ::testing::Test {
 protected:
  // Image i is filled with i, its label is i % 10.
  void write_part(const std::string& part, int rows, bool packed) {
    std::string pixels, labels;
    for (int i = 0; i < rows; ++i) {
      pixels += std::string(28 * 28, static_cast<char>(i));
      labels += static_cast<char>(i % 10);
    }
    const auto write = [&](const std::string& name, const std::string& bytes) {
      folder_.write(name + (packed ? ".gz" : ""), packed ? gzipped(bytes) : bytes);
    };
    write(part + "-images-idx3-ubyte", idx_bytes({rows, 28, 28}, pixels));
    write(part + "-labels-idx1-ubyte", idx_bytes({rows}, labels));
  }
  std::string refusal() const {
    return data::message_of<DataError>([&] { mnist({.path = folder_.path().string()}); });
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};

TEST_F(Mnist, ReadsPlainAndPackedFiles) {
  write_part("train", 12, true);
  write_part("t10k", 3, false);
  for (const auto& [train, test] : {mnist({.path = path_}), fashion_mnist({.path = path_})}) {
    EXPECT_EQ(train.x().sizes(), at::IntArrayRef({12, 28, 28, 1}));
    EXPECT_EQ(train.x().scalar_type(), at::kByte);
    EXPECT_TRUE(at::equal(train.x().select(1, 27).select(1, 5).squeeze(1), at::arange(12).to(at::kByte)));
    EXPECT_TRUE(at::equal(train.y(), at::arange(12).remainder(10)));
    EXPECT_EQ(test.size(), 3);
  }
}

TEST_F(Mnist, FilesThatAreThereAreNotDownloaded) {
  write_part("train", 2, true);
  write_part("t10k", 2, false);
  EXPECT_EQ(mnist({.path = path_, .download = true}).first.size(), 2);
}

TEST_F(Mnist, WhatIsMissingOrDoesNotFitIsNamed) {
  EXPECT_EQ(refusal(), "mnist: the folder " + path_ +
                           " must hold train-images-idx3-ubyte or train-images-idx3-ubyte.gz, " +
                           "it has neither; give the folder that does, or ask for the download");
  write_part("train", 4, false);
  write_part("t10k", 2, false);
  folder_.write("t10k-labels-idx1-ubyte", idx_bytes({3}, "\1\2\3"));
  EXPECT_EQ(refusal(),
            "mnist: " + path_ + " must hold a label for each image, the t10k part has 2 images and 3 labels");
  folder_.write("t10k-labels-idx1-ubyte", idx_bytes({2}, "\1\12"));
  EXPECT_EQ(refusal(), "mnist: " + path_ + ", the t10k part, row 1: the label must be 0 to 9, got 10");
  folder_.write("t10k-images-idx3-ubyte", idx_bytes({2, 1}, "ab"));
  EXPECT_EQ(refusal(), "mnist: " + folder_.file("t10k-images-idx3-ubyte") +
                           " must hold an array of 3 axes with rows, has the shape (2, 1)");
}

TEST(Idx, DamageIsNamed) {
  const testing::TemporaryFolder folder;
  const auto file = folder.file("x");
  const auto refusal = [&](const std::string& bytes) {
    const auto message = data::message_of<DataError>([&] { load_idx(folder.write("x", bytes)); });
    return message.starts_with(file) ? message.substr(file.size()) : message;
  };
  EXPECT_TRUE(at::equal(load_idx(folder.write("x", idx_bytes({2, 2}, "\1\2\3\4"))),
                        at::tensor({1, 2, 3, 4}, at::kByte).view({2, 2})));
  EXPECT_EQ(refusal(idx_bytes({2, 2}, "123")), ": must hold 4 bytes for its shape (2, 2), holds 3");
  EXPECT_EQ(refusal(idx_bytes({2, 2}, "12345")), ": must hold 4 bytes for its shape (2, 2), holds more");
  EXPECT_EQ(refusal(idx_bytes({2, 2}, "").substr(0, 10)), ": ends within its header");
  EXPECT_EQ(refusal(""), ": ends within its header");
  EXPECT_EQ(refusal(std::string("\0\0\x0d\1\0\0\0\1", 8)),
            ": must begin as an idx file of unsigned bytes, 0 0 8 and the number of axes, got 0 0 13 1");
  EXPECT_EQ(refusal(std::string("\0\0\x08\3", 4) + std::string(12, '\x7f')),
            ": its shape (2139062143, 2139062143) is too large");
  const auto packed = gzipped(idx_bytes({1000}, std::string(1000, 'x')));
  EXPECT_EQ(refusal(packed.substr(0, packed.size() - 9)), ": is damaged or cut short: unexpected end of file");
  std::string changed = packed;
  changed[packed.size() - 6] ^= 1;
  EXPECT_EQ(refusal(changed), ": is damaged or cut short: incorrect data check");
  EXPECT_EQ(data::message_of<DataError>([&] { load_idx(folder.path().string()); }),
            folder.path().string() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace tandem::datasets
