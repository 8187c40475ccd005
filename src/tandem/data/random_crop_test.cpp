#include "tandem/data/random_crop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/cutout.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/row_streams_test.h"

namespace tandem::data {
namespace {

// All of `places` values from `first` on, each as often as any other within four standard errors.
void expect_all_alike(const Tensor& drawn, int64_t first, int64_t places) {
  const auto rows = static_cast<double>(drawn.numel()), share = 1 / static_cast<double>(places);
  const Tensor whole = drawn.to(at::kLong);
  EXPECT_GE(whole.min().item<int64_t>(), first);
  EXPECT_LT(whole.max().item<int64_t>(), first + places);
  for (int64_t i = first; i < first + places; ++i) {
    EXPECT_NEAR(whole.eq(i).sum().item<double>() / rows, share, 4 * std::sqrt(share * (1 - share) / rows)) << i;
  }
}

TEST(RandomCrop, PlacesAreAllAlike) {
  const int64_t rows = 3000;
  for (const auto type : {at::kByte, at::kFloat}) {
    const Tensor x = coordinates(rows, 9, 6).to(type);
    const Tensor cut = RandomCrop(5, 4)->apply({x, {}, {}}, row_streams(rows)).x[0];
    ASSERT_EQ(cut.sizes(), at::IntArrayRef({rows, 5, 4, 2}));
    EXPECT_EQ(cut.scalar_type(), type);
    const Tensor corner = cut.select(1, 0).select(1, 0);
    expect_all_alike(corner.select(1, 0), 0, 5);
    expect_all_alike(corner.select(1, 1), 0, 3);
    EXPECT_TRUE(at::equal(cut - corner.reshape({rows, 1, 1, 2}), coordinates(rows, 5, 4).to(type))) << "one piece";
  }
}

TEST(RandomCrop, PadsByEachFillMode) {
  const int64_t rows = 40;
  const Tensor x = RandomStream(3).uniform({rows, 4, 5, 2});
  const std::vector<std::pair<std::string, std::vector<int64_t>>> lines = {
      {"nearest", {0, 0, 0, 1, 2, 3, 3, 3}}, {"reflect", {1, 0, 0, 1, 2, 3, 3, 2}}, {"wrap", {1, 2, 0, 1, 2, 3, 1, 2}}};
  const std::vector<std::pair<std::string, std::vector<int64_t>>> columns = {{"nearest", {0, 0, 0, 1, 2, 3, 4, 4, 4}},
                                                                             {"reflect", {1, 0, 0, 1, 2, 3, 4, 4, 3}},
                                                                             {"wrap", {2, 3, 0, 1, 2, 3, 4, 1, 2}}};
  for (std::size_t mode = 0; mode <= lines.size(); ++mode) {
    const bool constant = mode == lines.size();
    Tensor padded = at::constant_pad_nd(x, {0, 0, 2, 2, 2, 2}, 7);
    if (!constant) {
      padded = x.index_select(1, at::tensor(lines[mode].second, at::kLong))
                   .index_select(2, at::tensor(columns[mode].second, at::kLong));
    }
    const std::string name = constant ? "constant" : lines[mode].first;
    const RandomCrop crop(4, 5, {.padding = 2, .fill_mode = name, .cval = 7});
    const Tensor cut = crop->apply({x, {}, {}}, row_streams(rows)).x[0];
    for (int64_t r = 0; r < rows; ++r) {
      bool found = false;
      for (int64_t top = 0; top < 5; ++top) {
        for (int64_t left = 0; left < 5; ++left)
          found = found || at::equal(cut[r], padded[r].slice(0, top, top + 4).slice(1, left, left + 5));
      }
      EXPECT_TRUE(found) << name << " row " << r;
    }
  }
}

TEST(RandomCrop, RefusesWhatItCannotCut) {
  EXPECT_EQ(message_of<InvalidArgument>([] { RandomCrop(0, 3); }),
            "RandomCrop: the size must be at least 1 x 1, got 0 x 3");
  EXPECT_EQ(message_of<InvalidArgument>([] { RandomCrop(3, 3, {.padding = -1}); }),
            "RandomCrop: padding must not be negative, got -1");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              RandomCrop(7, 3, {.padding = 1})->apply({at::ones({1, 4, 4, 1}), {}, {}}, row_streams(1));
            }),
            "RandomCrop: images must be at least 7 x 3 with their padding of 1, got 4 x 4");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              RandomCrop(3, 3, {.cval = 0.5})->apply({at::ones({1, 4, 4, 1}, at::kByte), {}, {}}, row_streams(1));
            }),
            "RandomCrop: cval must be a whole number from 0 to 255 for images of bytes, got 0.5");
}

// The square that is covered, by its middle; beside the edges it is cut off.
TEST(Cutout, CoversASquareWhoseMiddleMayBeAnyPixel) {
  const int64_t rows = 2000;
  for (const int64_t size : {3, 4}) {
    for (const auto type : {at::kByte, at::kFloat}) {
      const Tensor x = at::ones({rows, 6, 8, 2}, type);
      const Tensor covered = Cutout(size, {.cval = 9})->apply({x, {}, {}}, row_streams(rows)).x[0].eq(9);
      EXPECT_TRUE(at::equal(covered.select(3, 0), covered.select(3, 1))) << "all channels";
      const Tensor lines = covered.select(3, 0).any(2), columns = covered.select(3, 0).any(1);
      EXPECT_TRUE(at::equal(covered.select(3, 0), lines.unsqueeze(2).logical_and(columns.unsqueeze(1)))) << "a square";
      // From the last pixel covered the middle is known, unless the edge cuts there; then the first one tells it.
      const auto middle = [&](const Tensor& axis) {
        const int64_t n = axis.size(1);
        const Tensor place = at::arange(n).expand({rows, n});
        const Tensor first = place.masked_fill(axis.logical_not(), n).amin(1);
        const Tensor last = place.masked_fill(axis.logical_not(), -1).amax(1);
        return at::where(first.gt(0), first + size / 2, last - (size - 1 - size / 2));
      };
      expect_all_alike(middle(lines), 0, 6);
      expect_all_alike(middle(columns), 0, 8);
    }
  }
}

TEST(Cutout, RefusesBadArguments) {
  EXPECT_EQ(message_of<InvalidArgument>([] { Cutout(0); }), "Cutout: the size must be at least 1 pixel, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              Cutout(1, {.cval = -1})->apply({at::ones({1, 4, 4, 1}, at::kByte), {}, {}}, row_streams(1));
            }),
            "Cutout: cval must be a whole number from 0 to 255 for images of bytes, got -1");
}

}  // namespace
}  // namespace tandem::data
