// RandomRotation, RandomShear and RandomZoom: which numbers they draw, and what a chain makes of several.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/chain.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/move_transform.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_rotation.h"
#include "tandem/data/random_shear.h"
#include "tandem/data/random_shift.h"
#include "tandem/data/random_zoom.h"
#include "tandem/data/row_streams_test.h"
#include "tandem/kernels/image_warp.h"

namespace tandem::data {
namespace {

constexpr double kDegree = M_PI / 180;

// From -1 to 1, evenly: mean 0 and mean square 1/3, within four standard errors; both ends come up.
void expect_even(const Tensor& numbers, double tolerance = 1e-4) {
  const auto n = static_cast<double>(numbers.numel());
  const Tensor values = numbers.to(at::kDouble);
  EXPECT_LE(values.abs().max().item<double>(), 1 + tolerance);
  EXPECT_GT(values.max().item<double>(), 0.99);
  EXPECT_LT(values.min().item<double>(), -0.99);
  EXPECT_NEAR(values.mean().item<double>(), 0, 4 / std::sqrt(3 * n));
  EXPECT_NEAR(values.square().mean().item<double>(), 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
}

// Where the pixels at (4, 4) and (4, 5) of an 9 x 9 picture came from, one less the other, (rows, 2): a column of the
// matrix. The middle stays where it is.
Tensor step_across(const TransformHandle& transform, int64_t rows) {
  const Tensor x = transform->apply({coordinates(rows, 9, 9), {}, {}}, row_streams(rows)).x[0];
  EXPECT_TRUE(at::allclose(x.select(1, 4).select(1, 4), at::full({rows, 2}, 4.0F), 0, 1e-4));
  return x.select(1, 4).select(1, 5) - x.select(1, 4).select(1, 4);
}

Tensor step_down(const TransformHandle& transform, int64_t rows) {
  const Tensor x = transform->apply({coordinates(rows, 9, 9), {}, {}}, row_streams(rows)).x[0];
  return x.select(1, 5).select(1, 4) - x.select(1, 4).select(1, 4);
}

TEST(RandomRotation, AnglesAreEvenInPlusMinusTheDegrees) {
  const Tensor across = step_across(RandomRotation(30), 4000);
  EXPECT_TRUE(at::allclose(across.norm(2, 1), at::ones({4000}), 0, 1e-5)) << "a rotation";
  expect_even(at::atan2(across.select(1, 0), across.select(1, 1)) / (30 * kDegree));
}

TEST(RandomShear, AnglesAreEvenInPlusMinusTheDegrees) {
  const Tensor across = step_across(RandomShear(40), 4000), down = step_down(RandomShear(40), 4000);
  EXPECT_TRUE(at::allclose(across, at::tensor({0.0F, 1.0F}).expand({4000, 2}), 0, 1e-5)) << "lines stay";
  EXPECT_TRUE(at::allclose(down.norm(2, 1), at::ones({4000}), 0, 1e-5));
  expect_even(at::atan2(-down.select(1, 1), down.select(1, 0)) / (40 * kDegree));
}

TEST(RandomZoom, FactorsAreEvenInTheRangeAndApart) {
  const Tensor x = step_across(RandomZoom({0.5, 1.5}), 4000).select(1, 1),
               y = step_down(RandomZoom(0.5), 4000).select(1, 0);
  expect_even((x - 1) / 0.5);
  expect_even((y - 1) / 0.5);
  EXPECT_NEAR(((x - 1) * (y - 1)).mean().item<double>(), 0, 4 * 0.25 / 3 / std::sqrt(4000));
  EXPECT_TRUE(step_across(RandomZoom({2, 2}), 3).select(1, 1).eq(2).all().item<bool>());
}

TEST(RandomMoves, NeighboursInAChainAreOneResampling) {
  const int64_t rows = 12;
  const kernels::ImageSize size{8, 10, 3};
  const Tensor x = RandomStream(5).uniform({rows, 8, 10, 3});
  const auto streams = row_streams(rows);
  const FillOptions mirrored{.fill_mode = "reflect"};
  const std::vector<TransformHandle> chain = {RandomFlip("horizontal"),   RandomRotation(20, mirrored),
                                              RandomShift(0.2, mirrored), RandomZoom(0.3, mirrored),
                                              RandomShear(15, mirrored),  RandomFlip()};
  const Tensor got = apply_chain(chain, {x, {}, {}}, streams).x[0];
  for (int64_t r = 0; r < rows; ++r) {
    kernels::AffineMap map;
    for (std::size_t k = 0; k < chain.size(); ++k)
      map = map.then(dynamic_cast<const MoveTransform&>(*chain[k]).draw(streams[r].fold(k), size));
    Tensor expected = at::empty({8, 10, 3});
    kernels::warp_image(x[r].const_data_ptr<float>(), expected.mutable_data_ptr<float>(), size, map,
                        {.mode = kernels::FillMode::reflect});
    EXPECT_TRUE(at::equal(got[r], expected)) << r;
  }
}

TEST(RandomMoves, DifferentFillsAreAppliedOneAfterTheOther) {
  const Tensor x = RandomStream(5).uniform({6, 8, 8, 1});
  const auto streams = row_streams(6);
  std::vector<RandomStream> first, second;
  for (const RandomStream& row : streams) {
    first.push_back(row.fold(0));
    second.push_back(row.fold(1));
  }
  const RandomShift shift(0.4, {.fill_mode = "constant", .cval = 3});
  const RandomRotation turn(45);
  const Tensor got = apply_chain({shift, turn}, {x, {}, {}}, streams).x[0];
  EXPECT_TRUE(at::equal(got, turn->apply(shift->apply({x, {}, {}}, first), second).x[0]));
}

TEST(RandomMoves, RefuseBadRanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of<InvalidArgument>([] { RandomRotation(-1); }),
            "RandomRotation: degrees must be a number of at least 0, got -1");
  EXPECT_EQ(message_of<InvalidArgument>([=] { RandomShear{nan}; }),
            "RandomShear: degrees must be a number of at least 0, got nan");
  EXPECT_EQ(message_of<InvalidArgument>([] { RandomZoom(1); }),
            "RandomZoom: the range must be of rising factors above 0, got 0 to 2");
  EXPECT_THROW(RandomZoom({1.5, 0.5}), InvalidArgument);
  EXPECT_THROW(RandomZoom{nan}, InvalidArgument);
  EXPECT_THROW(RandomRotation{std::numeric_limits<double>::infinity()}, InvalidArgument);
  EXPECT_THROW(RandomRotation(1, {.fill_mode = "reflct"}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::data
