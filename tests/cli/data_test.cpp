// Every form of --data: what a training makes of it, and what it refuses.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run_tandem.h"
#include "tandem/core/config.h"
#include "tandem/data/npy.h"
#include "tandem/testing/npy.h"

namespace tandem::testing {
namespace {

namespace fs = std::filesystem;

class Data : public ::testing::Test {
 protected:
  // Trains for a step on what `data` names; gives the history's keys.
  Arguments trained_keys(const std::string& data, Arguments flags = {}) {
    Arguments arguments{"train", "minigooglenet", "--data", data,        "--epochs", "1", "--steps",
                        "1",     "--batch-size",  "4",      "--history", "h.json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    ended_ = run_tandem(arguments, folder_.path());
    EXPECT_EQ(ended_.status, 0) << ended_.err;
    EXPECT_EQ(ended_.err, "");
    Arguments keys;
    if (ended_.status == 0) {
      const auto history = Config::from_json(read_file(folder_.file("h.json")));
      for (const auto& [key, values] : history.as_object()) keys.push_back(key);
    }
    return keys;
  }
  void save(const std::string& name, const Tensor& tensor) { save_npy(folder_.file(name), tensor); }

  const Arguments plain_{"accuracy", "loss"}, validated_{"accuracy", "loss", "val_accuracy", "val_loss"};
  TemporaryFolder folder_;
  Ended ended_;
};

Tensor made_up_pixels(int64_t rows) { return at::arange(rows * 32 * 32 * 3).remainder(251).view({rows, 32, 32, 3}); }

TEST_F(Data, NumPyArrays) {
  save("x.npy", made_up_pixels(10).to(at::kByte));
  save("y.npy", at::arange(10).remainder(3));
  EXPECT_EQ(trained_keys("npy:x.npy,y.npy"), plain_);
  EXPECT_EQ(trained_keys("npy:x.npy,y.npy", {"--validation-split", "0.3"}), validated_);
  EXPECT_EQ(trained_keys("npy:x.npy,y.npy", {"--loss", "sparse_categorical_crossentropy"}), plain_);
  save("x.npy", made_up_pixels(10).to(at::kDouble));
  save("y.npy", at::one_hot(at::arange(10).remainder(3), 3).to(at::kFloat));
  EXPECT_EQ(trained_keys("npy:x.npy,y.npy"), plain_);
}

TEST_F(Data, AnArchiveOfArrays) {
  save("x_train.npy", made_up_pixels(8).to(at::kByte));
  save("y_train.npy", at::arange(8).remainder(2).to(at::kInt).view({8, 1}));
  ASSERT_EQ(
      std::system(
          ("cd " + folder_.path().string() + " && python3 -m zipfile -c plain.npz x_train.npy y_train.npy").c_str()),
      0);
  EXPECT_EQ(trained_keys("npz:plain.npz"), plain_);
  save("x_test.npy", made_up_pixels(3).to(at::kByte));
  save("y_test.npy", at::tensor({0, 2, 1}, at::kInt).view({3, 1}));  // a class that training does not have
  ASSERT_EQ(std::system(("cd " + folder_.path().string() + " && python3 -m zipfile -c d.npz *.npy").c_str()), 0);
  EXPECT_EQ(trained_keys("npz:d.npz"), validated_);
}

TEST_F(Data, FoldersOfPictures) {
  const auto copy = [&](const std::string& kind, const std::string& to) {
    fs::create_directories((folder_.path() / to).parent_path());
    fs::copy_file(fixture("keras/images/" + kind), folder_.path() / to);
  };
  for (const char* part : {"train", "val"}) {
    copy("rgb_jpeg/picture.jpg", std::string(part) + "/cat/1.jpg");
    copy("rgb_png/picture.png", std::string(part) + "/dog/1.png");
    copy("palette/picture.png", std::string(part) + "/dog/2.png");
  }
  EXPECT_EQ(trained_keys("folder:train"), plain_);
  EXPECT_NE(ended_.out.find("[INFO] classes: 0 cat, 1 dog\n"), std::string::npos) << ended_.out;
  EXPECT_EQ(ended_.out.find("resized"), std::string::npos) << ended_.out;  // decoded to the model's size
  EXPECT_EQ(trained_keys("folder:."), validated_);

  std::ofstream(folder_.path() / "train" / "dog" / "2.png") << "no picture";
  ended_ = run_tandem(
      {"train", "minigooglenet", "--data", "folder:train", "--epochs", "1", "--no-mean-image", "--no-shuffle"},
      folder_.path());
  EXPECT_EQ(ended_.status, 3);
  EXPECT_EQ(ended_.err, "tandem: batch 0 of epoch 0, row 2: train/dog/2.png: is neither a JPEG nor a PNG picture\n");
}

// An idx file of unsigned bytes, all of them `value`.
void write_idx(const std::string& path, const std::vector<int>& shape, char value) {
  std::ofstream out(path, std::ios::binary);
  out.write("\0\0\x08", 3).put(static_cast<char>(shape.size()));
  std::size_t count = 1;
  for (const int size : shape) {
    out.write("\0\0\0", 3).put(static_cast<char>(size));
    count *= static_cast<std::size_t>(size);
  }
  out << std::string(count, value);
}

TEST_F(Data, FilesOfMnist) {
  for (const std::string part : {"train", "t10k"}) {
    write_idx(folder_.file(part + "-images-idx3-ubyte"), {5, 28, 28}, 'x');
    write_idx(folder_.file(part + "-labels-idx1-ubyte"), {5}, 7);
  }
  EXPECT_EQ(trained_keys("mnist:."), validated_);
  EXPECT_EQ(trained_keys("fashion-mnist:."), validated_);
}

TEST_F(Data, WithoutANetworkOneLineSaysSo) {
  setenv("https_proxy", "http://127.0.0.1:1", 1);  // where nobody listens
  setenv("TANDEM_DATA", folder_.path().c_str(), 1);
  for (const std::string name : {"mnist", "cifar10"}) {
    const auto ended = run_tandem({"train", "minigooglenet", "--data", name}, folder_.path());
    EXPECT_EQ(ended.status, 3);
    EXPECT_EQ(ended.err.find("tandem: " + name + ": cannot download "), 0U) << ended.err;
    EXPECT_TRUE(ended.err.ends_with("; a folder that holds the files can be given instead\n")) << ended.err;
  }
  unsetenv("https_proxy");
  unsetenv("TANDEM_DATA");
}

TEST_F(Data, WhatCannotBeIsSaidInOneLine) {
  const auto refused = [&](const std::string& data, int status, const std::string& line) {
    expect_refused({"train", "minigooglenet", "--data", data}, status, line);
  };
  refused("npz", 2, "--data npz: must name a path after a colon");
  refused("npy:x.npy", 2, "--data npy:x.npy: must name X.npy,Y.npy, or X0.npy+X1.npy,Y.npy for several");
  refused("npz:none.npz", 3, "none.npz: cannot be opened as a zip file: No such file");
  refused("csv:none.csv", 3, "none.csv: cannot be read: No such file or directory");
  refused("folder:none", 3, "image_folder: cannot read the folder none: No such file or directory");
  save("x.npy", at::zeros({4, 32, 32, 3}));
  save("y.npy", at::zeros({5}, at::kLong));
  refused("npy:" + folder_.file("x.npy") + "," + folder_.file("y.npy"), 2,
          "data set: all tensors must have the rows of x[0], 4; y[0] has 5");
  std::ofstream(folder_.file("t.csv")) << "a,b,kind\n1,2,x\n3,,y\n";
  refused("csv:" + folder_.file("t.csv"), 3, folder_.file("t.csv") + ", line 3, column 2 (b): a value is missing");
}

TEST_F(Data, ATableIsNoPicture) {
  std::ofstream(folder_.file("t.csv")) << "a,b,kind\n1,2,x\n3,4,y\n";
  const auto ended = run_tandem({"train", "minigooglenet", "--data", "csv:t.csv"}, folder_.path());
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find("(2,)"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace tandem::testing
