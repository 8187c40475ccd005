#include "tandem/data/image_augmentation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/row_streams_test.h"
#include "tandem/kernels/image_values.h"
#include "tandem/kernels/image_warp.h"

namespace tandem::data {
namespace {

const ImageAugmentationOptions kEverything{.rotation_range = 25,
                                           .width_shift_range = 0.2,
                                           .height_shift_range = 2,
                                           .brightness_range = Range{0.5, 1.5},
                                           .shear_range = 12,
                                           .zoom_range = {0.7, 1.4},
                                           .channel_shift_range = 0.25,
                                           .fill_mode = "wrap",
                                           .horizontal_flip = true,
                                           .vertical_flip = true,
                                           .rescale = 3};

// The steps of Keras's random_transform and standardize; the kernels are compared with Keras's in their own tests.
TEST(ImageAugmentation, MakesKerasStepsInKerasOrder) {
  const int64_t rows = 40;
  const kernels::ImageSize size{7, 9, 3};
  const Tensor x = RandomStream(1).uniform({rows, 7, 9, 3});
  const auto streams = row_streams(rows);
  const Tensor got = ImageAugmentation(kEverything)->apply({x, {}, {}}, streams).x[0];
  for (int64_t r = 0; r < rows; ++r) {
    const auto between = [&](uint64_t element, double low, double high) {
      return low + (high - low) * streams[r].uniform_at(element);
    };
    const kernels::AffineParameters drawn{.theta = between(0, -25, 25),
                                          .tx = between(1, -2, 2),
                                          .ty = between(2, -0.2 * 9, 0.2 * 9),
                                          .shear = between(3, -12, 12),
                                          .zx = between(4, 0.7, 1.4),
                                          .zy = between(5, 0.7, 1.4)};
    Tensor image = at::empty({7, 9, 3});
    float* values = image.mutable_data_ptr<float>();
    kernels::warp_image(x[r].const_data_ptr<float>(), values, size,
                        kernels::affine_map(drawn, kernels::keras_middle(size)), {.mode = kernels::FillMode::wrap});
    kernels::shift_values(values, size.count(), static_cast<float>(between(8, -0.25, 0.25)));
    if (streams[r].uniform_at(6) < 0.5F) image = image.flip(1).contiguous();
    if (streams[r].uniform_at(7) < 0.5F) image = image.flip(0).contiguous();
    kernels::brighten(image.mutable_data_ptr<float>(), size.count(), static_cast<float>(between(9, 0.5, 1.5)));
    EXPECT_TRUE(at::allclose(got[r], image * 3, 0, 1e-5)) << r;
  }
}

// Keras 3.15: what is drawn for the width moves lines, and the other way round.
TEST(ImageAugmentation, ShiftsAsKerasDoes) {
  const int64_t rows = 2000;
  const auto moved = [&](const ImageAugmentationOptions& options) {
    const Tensor x = ImageAugmentation(options)->apply({coordinates(rows, 20, 10), {}, {}}, row_streams(rows)).x[0];
    return (x.select(1, 9).select(1, 5) - at::tensor({9.0F, 5.0F})).to(at::kDouble);
  };
  const Tensor width = moved({.width_shift_range = 0.3}), height = moved({.height_shift_range = 0.1}),
               pixels = moved({.width_shift_range = 4});
  EXPECT_EQ(width.select(1, 1).abs().max().item<double>(), 0);
  EXPECT_EQ(height.select(1, 0).abs().max().item<double>(), 0);
  EXPECT_NEAR(width.select(1, 0).max().item<double>(), 3, 0.03);
  EXPECT_NEAR(width.select(1, 0).min().item<double>(), -3, 0.03);
  EXPECT_NEAR(height.select(1, 1).max().item<double>(), 2, 0.02);
  EXPECT_NEAR(pixels.select(1, 0).max().item<double>(), 4, 0.04);
}

TEST(ImageAugmentation, FlipsHalfOfTheRows) {
  const int64_t rows = 2000;
  const Tensor x = coordinates(rows, 4, 6);
  const Tensor flipped = ImageAugmentation({.horizontal_flip = true})->apply({x, {}, {}}, row_streams(rows)).x[0];
  const Tensor mirrored = flipped.eq(x.flip(2)).reshape({rows, -1}).all(1),
               same = flipped.eq(x).reshape({rows, -1}).all(1);
  EXPECT_TRUE(mirrored.logical_xor(same).all().item<bool>());
  EXPECT_NEAR(mirrored.sum().item<double>() / rows, 0.5, 4 * 0.5 / std::sqrt(rows));
}

TEST(ImageAugmentation, NothingAskedForOnlyMakesFloats) {
  const Tensor x = (RandomStream(2).uniform({5, 6, 7, 3}) * 256).to(at::kByte);
  EXPECT_TRUE(at::equal(ImageAugmentation({})->apply({x, {}, {}}, row_streams(5)).x[0], x.to(at::kFloat)));
}

// 64 rows: the same to the bit with any workers and batches; others in the next epoch.
TEST(ImageAugmentation, RowsDoNotDependOnWorkersAndBatches) {
  const Tensor x = (RandomStream(2).uniform({64, 8, 8, 3}) * 256).to(at::kByte);
  const Dataset data = TensorDataset(x).map(ImageAugmentation(kEverything));
  const auto epoch = [&](int64_t number, int64_t batch_size, int64_t workers) {
    Loader loader(data, {.batch_size = batch_size, .random = RandomStream(9), .workers = workers});
    loader.start_epoch(number);
    std::vector<Tensor> parts;
    while (const auto batch = loader.next()) parts.push_back(batch->x[0]);
    return at::cat(parts);
  };
  const Tensor first = epoch(0, 16, 0);
  EXPECT_TRUE(at::equal(epoch(0, 16, 1), first));
  EXPECT_TRUE(at::equal(epoch(0, 16, 4), first));
  EXPECT_TRUE(at::equal(epoch(0, 5, 4), first));
  EXPECT_FALSE(at::equal(epoch(1, 16, 0), first));
}

TEST(ImageAugmentation, RefusesBadOptions) {
  EXPECT_EQ(message_of<InvalidArgument>([] { ImageAugmentation({.rotation_range = -5}); }),
            "ImageAugmentation: rotation_range must be a number of at least 0, got -5");
  EXPECT_EQ(message_of<InvalidArgument>([] { ImageAugmentation({.zoom_range = 1.5}); }),
            "ImageAugmentation: zoom_range must be of rising factors above 0, got -0.5 to 2.5");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              ImageAugmentation({.brightness_range = Range{2, 1}});
            }),
            "ImageAugmentation: brightness_range must be two rising numbers of at least 0, got 2 and 1");
  EXPECT_EQ(message_of<InvalidArgument>([] { ImageAugmentation({.rescale = 0}); }),
            "ImageAugmentation: rescale must be a number other than 0, got 0");
  EXPECT_THROW(ImageAugmentation({.width_shift_range = std::nan("")}), InvalidArgument);
  EXPECT_THROW(ImageAugmentation({.fill_mode = "wrapped"}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::data
