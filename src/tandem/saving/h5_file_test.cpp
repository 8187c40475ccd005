#include "tandem/saving/h5_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "tandem/core/error.h"
#include "tandem/saving/h5_text_lists.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::saving {
namespace {

using testing::message_of;

TEST(H5File, GroupsDataSetsAndAttributesComeBack) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  const Tensor floats = at::arange(6, at::kFloat).view({2, 3}) / 7,
               wholes = at::tensor({int64_t{1} << 40, int64_t{-3}});
  {
    H5File file = H5File::create(path, "a.h5");
    const H5Group inner = file.root().create_group("b/c");
    inner.write("floats", floats.t());  // not row-major
    inner.write("doubles", floats.to(at::kDouble));
    inner.write("halves", floats.to(at::kHalf));
    inner.write("wholes", wholes);
    inner.write("bytes", at::tensor({200, 3}, at::kByte));
    inner.write("scalar", at::scalar_tensor(2.5F));
    inner.write("nothing", at::empty({0, 2}));
    file.root().write("d/e", wholes);
    inner.set_text("name", "grün");
    inner.set_texts("names", {"a", "bcd", ""});
    inner.set_texts("none", {});
    file.close();
  }
  const H5Group root = H5File::open(path).root();
  EXPECT_EQ(root.names(), (std::vector<std::string>{"b", "d"}));
  const H5Group inner = root.group("b").group("c");
  EXPECT_EQ(inner.where(), path + ": b/c");
  EXPECT_TRUE(at::equal(inner.read("floats", {3, 2}), floats.t()));
  EXPECT_TRUE(at::equal(inner.read("doubles", {2, 3}), floats.to(at::kDouble)));
  EXPECT_TRUE(at::equal(inner.read("halves", {2, 3}), floats.to(at::kHalf).to(at::kFloat)));
  EXPECT_TRUE(at::equal(inner.read("wholes", {2}), wholes));
  EXPECT_TRUE(at::equal(inner.read("bytes", {2}), at::tensor({200, 3}, at::kLong)));
  EXPECT_EQ(inner.read("scalar", {}).item<double>(), 2.5);
  EXPECT_EQ(inner.dataset_shape("nothing"), (Shape{0, 2}));
  EXPECT_TRUE(at::equal(root.read("d/e", {2}), wholes));
  EXPECT_EQ(inner.texts("name"), std::vector<std::string>{"grün"});
  EXPECT_EQ(inner.texts("names"), (std::vector<std::string>{"a", "bcd", ""}));
  EXPECT_TRUE(inner.has_attribute("none") && inner.texts("none").empty());
  EXPECT_FALSE(inner.has_attribute("other"));
}

TEST(H5File, ImageIsReadAsTheFileIs) {
  const ScratchFolder folder;
  {
    H5File file = H5File::create(folder.file("a.h5"), "a.h5");
    file.root().write("x", at::arange(3));
    file.close();
  }
  std::string bytes = read_bytes(folder.file("a.h5"));
  const H5File image = H5File::open_image(bytes, "image");
  std::fill(bytes.begin(), bytes.end(), 0);  // it has a copy
  EXPECT_TRUE(at::equal(image.root().read("x", {3}), at::arange(3)));
  EXPECT_EQ(folder.content(), "a.h5");
}

TEST(H5File, ErrorsNameFilePathAndWhatMustHold) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.h5");
  {
    H5File file = H5File::create(path, "a.h5");
    file.root().write("group/x", at::ones({2, 3}));
    EXPECT_NE(message_of<DataError>([&] { file.root().write("group/x", at::ones({2})); }).find("a.h5: group/x: "),
              std::string::npos);
    EXPECT_EQ(message_of<DataError>([&] { file.root().create_group("group/x/y"); }),
              "a.h5: group/x: is there and no group");
    EXPECT_NE(message_of([&] { file.root().write("b", at::ones({2}, at::kBool)); }).find("got Bool"),
              std::string::npos);
    file.close();
  }
  const H5File file = H5File::open(path);
  const H5Group& root = file.root();
  EXPECT_EQ(message_of<DataError>([&] {
              root.group("group").read("x", {3, 2});
            }),
            path + ": group/x: must have shape (3, 2), has (2, 3)");
  EXPECT_EQ(message_of<DataError>([&] { root.read("group/y", {2}); }), path + ": group/y: there must be a data set");
  EXPECT_EQ(message_of<DataError>([&] { root.read("group", {2}); }), path + ": group: there must be a data set");
  EXPECT_EQ(message_of<DataError>([&] { root.group("group/x/y"); }), path + ": group/x/y: there must be a group");
  EXPECT_EQ(message_of<DataError>([&] { root.group("a//b"); }), path + ": a//b: is no path in an HDF5 file");
  EXPECT_NE(message_of<DataError>([&] { root.texts("name"); }).find(path + ": there must be an attribute name"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { H5File::open(folder.file("b.h5")); }).find("b.h5: cannot be opened"),
            std::string::npos);
  EXPECT_NE(
      message_of<DataError>([&] { H5File::create(folder.file("no/b.h5"), "b.h5"); }).find("b.h5: cannot be opened"),
      std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { H5File::open_image("", "none"); }).find("none: cannot be opened"),
            std::string::npos);
}

TEST(H5File, ThreadsTakeTurns) {
  const ScratchFolder folder;
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string path = folder.file(std::to_string(t));
      for (int i = 0; i < 20; ++i) {
        {
          H5File file = H5File::create(path, path);
          file.root().write("a/b", at::full({50}, t + i, at::kFloat));
          file.close();
        }
        right[t] += at::equal(H5File::open(path).root().read("a/b", {50}), at::full({50}, t + i, at::kFloat)) ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 20));
}

TEST(H5TextLists, LongListsAreDividedAsKerasDoes) {
  const ScratchFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 1300; ++i) names.push_back("layer_" + std::string(94, 'x') + std::to_string(1000 + i));
  {
    H5File file = H5File::create(folder.file("a.h5"), "a.h5");
    write_text_list(file.root(), "few", {"a", "b"});
    write_text_list(file.root(), "many", names);  // 1300 x 104 bytes; 620 fit into 64512
    file.close();
  }
  const H5File file = H5File::open(folder.file("a.h5"));
  EXPECT_EQ(read_text_list(file.root(), "few"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_text_list(file.root(), "many"), names);
  EXPECT_FALSE(file.root().has_attribute("many"));
  EXPECT_EQ(file.root().texts("many0").size(), 434U);  // numpy.array_split(1300, 3)
  EXPECT_EQ(file.root().texts("many1").size(), 433U);
  EXPECT_FALSE(file.root().has_attribute("many3"));
  EXPECT_FALSE(has_text_list(file.root(), "other"));
  EXPECT_TRUE(read_text_list(file.root(), "other").empty());
}

}  // namespace
}  // namespace tandem::saving
