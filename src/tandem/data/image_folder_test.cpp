#include "tandem/data/image_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/row_files.h"
#include "tandem/data/split.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::datasets {
namespace {

using Words = std::vector<std::string>;

std::string keras_folder() { return testing::fixture("keras/images/folder/"); }
Tensor keras_array(const std::string& name) { return testing::load_npy(keras_folder() + name + ".npy"); }

// A JPEG's pixels may differ by 2, see image_file_test.cpp; a resize mixes them.
void expect_pixels(const Tensor& got, const Tensor& wanted) {
  ASSERT_EQ(got.sizes(), wanted.sizes());
  EXPECT_LE((got - wanted).abs().max().item<float>(), 2.001F);
  // Row 3 is a JPEG under the name of a PNG.
  const Tensor png = at::tensor({2, 4, 5}, at::kLong);
  if (got.size(0) == 6) {
    EXPECT_LE((got - wanted).index_select(0, png).abs().max().item<float>(), 1e-4F);
  }
}

ImageFolderOptions keras_options() { return {.path = keras_folder() + "pictures", .image_size = {6, 8}}; }

TEST(ImageFolder, ReadsWhatKerasReads) {
  const auto rows = image_folder(keras_options());
  EXPECT_EQ(rows.class_names(), (Words{"ant", "boat", "car"}));
  EXPECT_EQ(rows.x().scalar_type(), at::kFloat);
  expect_pixels(rows.x(), keras_array("x"));
  EXPECT_TRUE(at::equal(rows.y(), keras_array("y").to(at::kLong)));
  EXPECT_EQ(data::files_of(*rows.source()), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(ImageFolder, LabelModesClassNamesAndNearest) {
  auto options = keras_options();
  options.interpolation = "nearest";
  options.label_mode = "categorical";
  const auto rows = image_folder(options);
  expect_pixels(rows.x(), keras_array("nearest"));
  EXPECT_TRUE(at::equal(rows.y(), keras_array("categorical")));
  options.label_mode = "binary";
  options.class_names = {"car", "ant"};
  const auto two = image_folder(options);
  EXPECT_EQ(two.class_names(), (Words{"car", "ant"}));
  expect_pixels(two.x(), keras_array("two_x"));
  EXPECT_TRUE(at::equal(two.y(), keras_array("two_y").view({-1, 1})));
  options = keras_options();
  options.label_mode = "none";
  EXPECT_EQ(image_folder(options).size(), 6);
  EXPECT_TRUE(image_folder(options).get(0).y.empty());
}

TEST(ImageFolder, AnyNumberOfWorkersGivesTheSameRows) {
  const auto rows = image_folder(keras_options()).shuffle(3);
  std::vector<Tensor> first;
  for (const int64_t workers : {0, 1, 4}) {
    data::Loader loader(rows, {.batch_size = 2, .workers = workers});
    loader.start_epoch(0);
    std::vector<Tensor> x;
    while (auto batch = loader.next()) x.push_back(batch->x[0]);
    ASSERT_EQ(x.size(), 3U);
    if (first.empty()) first = x;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(at::equal(x[i], first[i])) << workers;
  }
}

TEST(ImageFolder, ADamagedPictureIsNamedWithItsRow) {
  const testing::TemporaryFolder folder;
  const auto good = testing::file_bytes(testing::fixture("keras/images/rgb_png/picture.png"));
  for (int i = 0; i < 9; ++i) folder.write("a/" + std::to_string(i) + ".png", i == 6 ? good.substr(0, 90) : good);
  for (const int64_t workers : {0, 3}) {
    data::Loader loader(image_folder({.path = folder.path().string()}), {.batch_size = 4, .workers = workers});
    loader.start_epoch(0);
    loader.next();
    EXPECT_EQ(data::message_of<DataError>([&] { loader.next(); }),
              "batch 1 of epoch 0, row 6: " + folder.file("a/6.png") + ": is a damaged PNG picture: it ends early");
    EXPECT_EQ(loader.next()->rows(), 1);
  }
}

TEST(ImageFolder, LabelsAreKnownWithoutReadingAPicture) {
  const testing::TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) folder.write((i < 4 ? "a/" : "b/") + std::to_string(i) + ".png", "no picture");
  const auto rows = image_folder({.path = folder.path().string()});
  EXPECT_EQ(rows.y().sum().item<int64_t>(), 6);
  const auto [train, test] = data::split(rows, {0.5, 0.5}, {.seed = 1, .stratify = true});
  EXPECT_EQ(train.y().sum().item<int64_t>(), 3);
  EXPECT_EQ(test.y().sum().item<int64_t>(), 3);
}

TEST(ImageFolder, FoldersAndSettingsThatCannotBe) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path().string();
  const auto refusal = [&](const ImageFolderOptions& options) {
    return data::message_of<Error>([&] { image_folder(options); });
  };
  EXPECT_EQ(refusal({.path = path + "/no"}),
            "image_folder: cannot read the folder " + path + "/no: No such file or directory");
  EXPECT_EQ(refusal({.path = path}), "image_folder: " + path + " must hold a folder for each class, it has none");
  folder.write("cat/notes.txt", "");
  EXPECT_EQ(refusal({.path = path}), "image_folder: " + path + " must hold .jpg, .jpeg or .png pictures, it has none");
  EXPECT_EQ(refusal({.path = path, .class_names = {"cats"}}),
            "image_folder: class folder in " + path + " 'cats' is not known; did you mean 'cat'?");
  folder.write("cat/1.png", "");
  EXPECT_EQ(refusal({.path = path, .label_mode = "binary"}),
            "image_folder: label_mode 'binary' needs 2 classes, " + path + " has 1");
  EXPECT_EQ(refusal({.path = path, .label_mode = "ints"}),
            "image_folder: label_mode 'ints' is not known; did you mean 'int'?");
  EXPECT_EQ(refusal({.path = path, .image_size = {0, 5}}), "image_folder: image_size must be positive, got 0 x 5");
  EXPECT_EQ(refusal({.path = path, .interpolation = "bicubic"}),
            "image_folder: interpolation 'bicubic' is not there; 'bilinear', 'nearest' are");
  folder.write("cat/2.GIF", "");
  EXPECT_EQ(refusal({.path = path}),
            "image_folder: " + path + "/cat/2.GIF: BMP and GIF pictures are not read; convert it to PNG");
}

}  // namespace
}  // namespace tandem::datasets
