#include "tandem/data/random_shift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/chain.h"
#include "tandem/data/dataset.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/row_streams_test.h"

namespace tandem::data {
namespace {

// The image at a fractional position, the edge repeated.
double at_position(const Tensor& image, double i, double j, int64_t channel) {
  const auto height = static_cast<double>(image.size(0)), width = static_cast<double>(image.size(1));
  i = std::clamp(i, 0.0, height - 1), j = std::clamp(j, 0.0, width - 1);
  const auto top = static_cast<int64_t>(i), left = static_cast<int64_t>(j);
  const int64_t bottom = std::min(top + 1, image.size(0) - 1), right = std::min(left + 1, image.size(1) - 1);
  const double down = i - static_cast<double>(top), across = j - static_cast<double>(left);
  const auto pixel = [&](int64_t r, int64_t c) { return image[r][c][channel].item<double>(); };
  return (1 - down) * ((1 - across) * pixel(top, left) + across * pixel(top, right)) +
         down * ((1 - across) * pixel(bottom, left) + across * pixel(bottom, right));
}

TEST(RandomShift, MovesByTheNumbersThatARowDraws) {
  const int64_t rows = 4, height = 6, width = 5;
  const Tensor x = RandomStream(1).uniform({rows, height, width, 2});
  const auto drawn = row_streams(rows);
  const Batch moved = RandomShift(0.4)->apply({x, {}, {}}, drawn);
  for (int64_t r = 0; r < rows; ++r) {
    const double dy = (2.0 * drawn[r].uniform_at(0) - 1) * 0.4 * height,
                 dx = (2.0 * drawn[r].uniform_at(1) - 1) * 0.4 * width;
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        for (int64_t k = 0; k < 2; ++k) {
          ASSERT_NEAR(moved.x[0][r][i][j][k].item<double>(), at_position(x[r], i + dy, j + dx, k), 1e-5);
        }
      }
    }
  }
}

// Where the middle pixel came from is how far the image was moved.
TEST(RandomShift, ShiftsAreEvenInPlusMinusTheFractionOfTheSize) {
  const int64_t rows = 4000, height = 20, width = 10;
  const Batch moved = RandomShift(0.1)->apply({coordinates(rows, height, width), {}, {}}, row_streams(rows));
  const Tensor shift = moved.x[0].select(1, 9).select(1, 5).to(at::kDouble) - at::tensor({9.0, 5.0}, at::kDouble);
  const std::vector<double> range = {0.1 * height, 0.1 * width};
  for (int64_t axis = 0; axis < 2; ++axis) {
    const Tensor one = shift.select(1, axis) / range[axis];
    EXPECT_LE(one.abs().max().item<double>(), 1 + 1e-5);
    EXPECT_GT(one.max().item<double>(), 0.99);
    EXPECT_LT(one.min().item<double>(), -0.99);
    const double sigma = 1 / std::sqrt(3.0);  // of a number drawn evenly from (-1, 1)
    EXPECT_NEAR(one.mean().item<double>(), 0, 4 * sigma / std::sqrt(rows));
    EXPECT_NEAR(one.square().mean().item<double>(), 1.0 / 3, 0.02);
  }
  const double together = (shift.select(1, 0) * shift.select(1, 1)).mean().item<double>() / (range[0] * range[1]);
  EXPECT_NEAR(together, 0, 4.0 / 3 / std::sqrt(rows));
}

TEST(RandomShift, BytesBecomeFloatsWithTheSameValues) {
  const Tensor bytes = at::arange(3 * 48).remainder(251).to(at::kByte).reshape({3, 4, 4, 3});
  const auto drawn = row_streams(3);
  const Batch from_bytes = RandomShift(0.3)->apply({bytes, {}, {}}, drawn);
  const Batch from_floats = RandomShift(0.3)->apply({bytes.to(at::kFloat), {}, {}}, drawn);
  EXPECT_EQ(from_bytes.x[0].scalar_type(), at::kFloat);
  EXPECT_TRUE(at::allclose(from_bytes.x[0], from_floats.x[0], 0, 1e-4));
}

TEST(RandomShift, FillsWithTheConstant) {
  const Batch moved = RandomShift(0.9, {.fill_mode = "constant", .cval = -7})
                          ->apply({at::ones({40, 5, 5, 1}), {}, {}}, row_streams(40));
  EXPECT_EQ(moved.x[0].min().item<float>(), -7);
  EXPECT_EQ(moved.x[0].max().item<float>(), 1);
}

TEST(RandomShift, FollowedByAFlipIsOnePassWithTheSameNumbers) {
  for (const std::string mode : {"horizontal", "vertical", "horizontal_and_vertical"}) {
    const Tensor x = RandomStream(2).uniform({30, 5, 6, 3});
    const auto drawn = row_streams(30);
    const RandomShift shift(0.3);
    const RandomFlip flip(mode);
    const Batch chained = apply_chain({shift, flip}, {x, {}, {}}, drawn);
    const auto at_place = [&](uint64_t place) {
      std::vector<RandomStream> out;
      for (const RandomStream& row : drawn) out.push_back(row.fold(place));
      return out;
    };
    const Batch apart = flip->apply(shift->apply({x, {}, {}}, at_place(0)), at_place(1));
    EXPECT_TRUE(at::equal(chained.x[0], apart.x[0])) << mode;
  }
}

TEST(RandomShift, OtherInputsAreLeftAlone) {
  const Tensor table = at::arange(6).reshape({2, 3});
  const Batch moved = RandomShift(0.3)->apply({{table, at::ones({2, 4, 4, 1})}, {}, {}}, row_streams(2));
  EXPECT_TRUE(at::equal(moved.x[0], table));
}

TEST(RandomShift, RefusesWhatItCannotMove) {
  try {
    RandomShift(0.1)->apply({at::ones({2, 3}), {}, {}}, row_streams(2));
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "RandomShift: an input must hold images (rows, height, width, channels), got (2, 3)");
  }
  EXPECT_THROW(RandomShift(1.5), InvalidArgument);
  EXPECT_THROW(RandomShift(0.1, {.fill_mode = "nearset"}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::data
