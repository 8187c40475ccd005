#include "tandem/data/compose.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/data/dataset.h"
#include "tandem/data/map_rows.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_shift.h"
#include "tandem/data/rescale.h"

namespace tandem::data {
namespace {

TEST(Compose, IsTheSameAsMappingItsPartsInTurn) {
  const Dataset data = TensorDataset(RandomStream(4).uniform({6, 5, 5, 2}));
  const RandomShift shift(0.4);
  const RandomFlip flip("horizontal");
  const Rescale rescale(2, 1);
  const Dataset apart = data.map(shift).map(flip).map(rescale);
  const Dataset together = data.map(Compose({shift, flip, rescale})),
                nested = data.map(Compose({Compose({shift, flip}), rescale}));
  for (int64_t i = 0; i < 6; ++i) {
    const Tensor expected = apart.get(i).x[0];
    EXPECT_TRUE(at::equal(together.get(i).x[0], expected));
    EXPECT_TRUE(at::equal(nested.get(i).x[0], expected));
  }
  EXPECT_EQ(nested.transforms().size(), 3U);
}

TEST(Compose, AppliesItsPartsInOrder) {
  const std::vector<RandomStream> rows(2);
  const Batch batch = Compose({Rescale(2), Rescale(1, 3)})->apply({at::ones({2, 1}), {}, {}}, rows);
  EXPECT_EQ(batch.x[0].sum().item<float>(), 10);
}

TEST(Compose, RefusesAnEmptyPart) { EXPECT_THROW(Compose({Rescale(2), TransformHandle()}), InvalidArgument); }

TEST(Rescale, MultipliesAndAddsAndTurnsBytesToFloats) {
  const std::vector<RandomStream> rows(2);
  const Tensor bytes = at::tensor({0, 51, 102, 255}, at::kByte).reshape({2, 2});
  const Batch batch = Rescale(1.0 / 127.5, -1)->apply({{bytes, bytes.to(at::kDouble)}, {}, {}}, rows);
  const Tensor expected = at::tensor({-1.0, -0.6, -0.2, 1.0}, at::kDouble).reshape({2, 2});
  EXPECT_EQ(batch.x[0].scalar_type(), at::kFloat);
  EXPECT_TRUE(at::allclose(batch.x[0].to(at::kDouble), expected, 0, 1e-6));
  EXPECT_TRUE(at::allclose(batch.x[1], expected, 0, 1e-12));
}

TEST(MapRows, CallsTheFunctionForEachRow) {
  const Dataset data =
      TensorDataset(at::arange(6).reshape({3, 2}), at::arange(3), at::ones({3})).map(MapRows([](Example row) {
        row.x[0] = at::cat({row.x[0], row.y[0].reshape({1})});
        row.weight = row.weight * 5;
        return row;
      }));
  const Batch batch = data.get(2);
  EXPECT_TRUE(at::equal(batch.x[0], at::tensor({4, 5, 2}, at::kLong).reshape({1, 3})));
  EXPECT_EQ(batch.weights[0].item<float>(), 5);
}

TEST(MapRows, GivesARowItsStream) {
  std::vector<RandomStream> rows = {RandomStream(1), RandomStream(2)};
  const Batch batch = MapRows([](Example row, const RandomStream& random) {
                        row.x[0] = row.x[0] + random.uniform({1});
                        return row;
                      })->apply({at::zeros({2, 1}), {}, {}}, rows);
  EXPECT_EQ(batch.x[0][0].item<float>(), rows[0].uniform_at(0));
  EXPECT_EQ(batch.x[0][1].item<float>(), rows[1].uniform_at(0));
}

TEST(MapRows, RefusesRowsOfDifferentShapes) {
  const std::vector<RandomStream> rows(2);
  const MapRows uneven([](Example row) {
    row.x[0] = at::ones({row.x[0].item<int64_t>()});
    return row;
  });
  try {
    uneven->apply({at::arange(1, 3), {}, {}}, rows);
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "MapRows: x must have one shape in all rows, got (1,) in the first and (2,) in row 1 of the batch");
  }
}

}  // namespace
}  // namespace tandem::data
