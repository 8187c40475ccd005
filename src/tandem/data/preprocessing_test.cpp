#include "tandem/data/preprocessing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/mean_image.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/rescale.h"

namespace tandem::data {
namespace {

using Lines = std::vector<std::string>;

// tf.image.resize(bilinear, no antialiasing): pixel centres at halves, edges repeated; channels repeated from one.
Tensor resized(const Tensor& x, int64_t height, int64_t width, int64_t channels) {
  Tensor out = at::empty({x.size(0), height, width, channels}, at::kDouble);
  const auto place = [](int64_t i, int64_t from, int64_t to) {
    const double position = (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    return std::clamp(position, 0.0, static_cast<double>(from - 1));
  };
  for (int64_t r = 0; r < x.size(0); ++r) {
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        const double row = place(i, x.size(1), height), column = place(j, x.size(2), width);
        const auto top = static_cast<int64_t>(row), left = static_cast<int64_t>(column);
        const int64_t bottom = std::min(top + 1, x.size(1) - 1), right = std::min(left + 1, x.size(2) - 1);
        const double down = row - static_cast<double>(top), across = column - static_cast<double>(left);
        for (int64_t k = 0; k < channels; ++k) {
          const int64_t from = x.size(3) == 1 ? 0 : k;
          const auto pixel = [&](int64_t a, int64_t b) { return x[r][a][b][from].item<double>(); };
          out[r][i][j][k] = (1 - down) * ((1 - across) * pixel(top, left) + across * pixel(top, right)) +
                            down * ((1 - across) * pixel(bottom, left) + across * pixel(bottom, right));
        }
      }
    }
  }
  return out;
}

bool close(const Tensor& got, const Tensor& expected, double tolerance = 1e-4) {
  return got.sizes() == expected.sizes() && at::allclose(got.to(at::kDouble), expected, 0, tolerance);
}

Tensor bytes(int64_t rows, int64_t height, int64_t width, int64_t channels) {
  return (RandomStream(8).uniform({rows, height, width, channels}) * 256).to(at::kByte);
}

TEST(Preprocessing, EmptyReturnsWhatItGets) {
  const Tensor x = bytes(2, 4, 4, 1);
  const Preprocessing none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.apply(x).is_same(x));
  EXPECT_EQ(none.state().size(), 0U);
  EXPECT_EQ(none.describe(), Lines());
  EXPECT_TRUE(Preprocessing::adapt({8, 8, 1}, {8, 8, 1}).empty());
  EXPECT_TRUE(Preprocessing::adapt({64}, {64}).empty());
  EXPECT_TRUE(Preprocessing::adapt({8, 9, 3}, {Shape::kUnknown, Shape::kUnknown, 3}).empty());
}

TEST(Preprocessing, ResizesAndRepeatsTheChannel) {
  const Tensor x = bytes(3, 8, 8, 1);
  const auto enlarge = Preprocessing::adapt({8, 8, 1}, {12, 10, 3});
  EXPECT_TRUE(close(enlarge.apply(x), resized(x, 12, 10, 3)));
  EXPECT_EQ(enlarge.apply(x).scalar_type(), at::kFloat);
  EXPECT_EQ(enlarge.describe(), Lines({"images 8x8x1 resized to 12x10x3 (bilinear, channels repeated)"}));
  const auto shrink = Preprocessing::adapt({8, 8, 3}, {3, 5, 3});
  const Tensor colour = bytes(2, 8, 8, 3);
  EXPECT_TRUE(close(shrink.apply(colour), resized(colour, 3, 5, 3)));
  EXPECT_EQ(shrink.describe(), Lines({"images 8x8x3 resized to 3x5x3 (bilinear)"}));
  const auto repeat = Preprocessing::adapt({8, 8}, {8, 8, 3});
  EXPECT_TRUE(close(repeat.apply(x.squeeze(3)), x.expand({3, 8, 8, 3}).to(at::kDouble), 0));
  EXPECT_EQ(repeat.describe(), Lines({"images 8x8x1 brought to 8x8x3 (channels repeated)"}));
}

TEST(Preprocessing, BringsImagesOfAnotherSizeToTheSameInput) {
  const auto enlarge = Preprocessing::adapt({8, 8, 1}, {12, 10, 3});
  const Tensor other = bytes(2, 5, 16, 3), fits = RandomStream(1).uniform({2, 12, 10, 3});
  EXPECT_TRUE(close(enlarge.apply(other), resized(other, 12, 10, 3)));
  EXPECT_TRUE(at::equal(enlarge.apply(fits), fits));
}

TEST(Preprocessing, TheMeanImageIsThatOfTheRows) {
  for (const auto type : {at::kByte, at::kFloat, at::kDouble}) {
    const Tensor x = (bytes(700, 4, 5, 3)).to(type);
    const Tensor expected = x.to(at::kDouble).mean(0);
    EXPECT_TRUE(close(mean_image(TensorDataset(x)), expected, 2e-5));
    EXPECT_TRUE(close(mean_image(TensorDataset(x).shuffle().batch(33)), expected, 2e-5));
    EXPECT_TRUE(close(mean_image(TensorDataset(x).map(Rescale(2))), expected * 2, 2e-5));
    EXPECT_TRUE(close(mean_image(TensorDataset(x).take(10)), x.slice(0, 0, 10).to(at::kDouble).mean(0), 2e-5));
  }
}

TEST(Preprocessing, SubtractsTheMeanImageAfterTheResizeAndRescalesThen) {
  const Tensor x = bytes(50, 8, 8, 1);
  const auto fitted = Preprocessing::fit_mean(TensorDataset(x), {12, 12, 3}).rescale(0.5, 3);
  const Tensor large = resized(x, 12, 12, 3);
  const Tensor expected = (large - large.mean(0)) * 0.5 + 3;
  EXPECT_TRUE(close(fitted.mean(), large.mean(0)));
  EXPECT_TRUE(close(fitted.apply(x), expected));
  EXPECT_TRUE(close(fitted.transform()->apply({x, {}, {}}, {}).x[0], expected));
  EXPECT_EQ(fitted.describe(), Lines({"images 8x8x1 resized to 12x12x3 (bilinear, channels repeated)",
                                      "mean image subtracted", "values multiplied by 0.5, plus 3"}));
}

TEST(Preprocessing, LeavesItsArgumentAlone) {
  const Tensor x = bytes(6, 4, 4, 2).to(at::kFloat);
  const Tensor before = x.clone();
  const auto fitted = Preprocessing::fit_mean(TensorDataset(x));
  EXPECT_TRUE(close(fitted.apply(x), (x - x.mean(0)).to(at::kDouble)));
  EXPECT_TRUE(at::equal(x, before));
  fitted.rescale(2).apply(x);
  Preprocessing().rescale(2).apply(x);
  EXPECT_TRUE(at::equal(x, before));
}

TEST(Preprocessing, RescalesRowsOfAnyShape) {
  const Tensor x = at::arange(6, at::kByte).reshape({2, 3});
  EXPECT_TRUE(close(Preprocessing().rescale(2).rescale(3, 1).apply(x), x.to(at::kDouble) * 6 + 1, 1e-6));
}

TEST(Preprocessing, ComesBackFromItsState) {
  const Tensor x = bytes(20, 8, 8, 1);
  const auto fitted = Preprocessing::fit_mean(TensorDataset(x), {12, 12, 3}).rescale(0.5, 3);
  const auto read = Preprocessing::from_state(fitted.state());
  EXPECT_TRUE(at::equal(read.apply(x), fitted.apply(x)));
  EXPECT_EQ(read.describe(), fitted.describe());
  EXPECT_TRUE(Preprocessing::from_state(StateDict()).empty());
  StateDict damaged = fitted.state();
  damaged.set("mean_image", at::zeros({2, 2, 3}));
  EXPECT_THROW(Preprocessing::from_state(damaged), DataError);
}

TEST(Preprocessing, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Preprocessing::adapt({8, 8, 3}, {8, 8, 1});
            }),
            "preprocessing: images have 3 channels, the input has 1; only one channel can be repeated to several");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Preprocessing::adapt({20, 10}, {16, 10});
            }),
            "preprocessing: rows of shape (20, 10) do not fit an input of shape (16, 10), and only images (height, "
            "width, channels) can "
            "be resized");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Preprocessing::adapt({64}, {8, 8, 1});
            }),
            "preprocessing: the images must be (height, width, channels) or (height, width), got (64,)");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Preprocessing::adapt({8, 8, 1}, {4, 4, 1}).apply(at::ones({2, 64}));
            }),
            "preprocessing: images must be (rows, height, width, channels), got (2, 64)");
  EXPECT_THROW(Preprocessing::fit_mean(Dataset()), InvalidArgument);
}

}  // namespace
}  // namespace tandem::data
