#include "tandem/data/dataset.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/compose.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/rescale.h"

namespace tandem::data {
namespace {

Dataset numbered(int64_t rows) { return TensorDataset(at::arange(rows), at::arange(rows) * 10); }

TEST(Dataset, TakeBeforeAndAfterShuffle) {
  const RandomStream random(3);
  const auto before = numbered(20).take(5).shuffle().order(0, random);
  EXPECT_EQ(before.size(), 5U);
  for (const int64_t row : before) EXPECT_LT(row, 5);
  const auto whole = numbered(20).shuffle().order(0, random), after = numbered(20).shuffle().take(5).order(0, random);
  EXPECT_EQ(after, std::vector<int64_t>(whole.begin(), whole.begin() + 5));
  EXPECT_EQ(numbered(20).take(5).size(), 5);
  EXPECT_EQ(numbered(20).take(5).take(9).size(), 5);
  EXPECT_EQ(numbered(20).take(50).size(), 20);
}

TEST(Dataset, ASeedOfItsOwnFixesTheOrder) {
  const Dataset seeded = numbered(30).shuffle(7);
  EXPECT_EQ(seeded.order(1, RandomStream(1)), seeded.order(1, RandomStream(2)));
  EXPECT_NE(seeded.order(1, RandomStream(1)), seeded.order(2, RandomStream(1)));
  EXPECT_NE(seeded.order(1, RandomStream(1)), numbered(30).shuffle(8).order(1, RandomStream(1)));
  const Dataset free = numbered(30).shuffle();
  EXPECT_NE(free.order(1, RandomStream(1)), free.order(1, RandomStream(2)));
  EXPECT_TRUE(free.is_shuffled());
  EXPECT_FALSE(numbered(30).take(3).is_shuffled());
}

TEST(Dataset, CountsBatches) {
  EXPECT_EQ(numbered(20).batches(), 1);
  EXPECT_EQ(numbered(20).batches(8), 3);
  EXPECT_EQ(numbered(20).batch(6).batches(8), 4);
  EXPECT_EQ(numbered(20).batch(6, true).batches(), 3);
  EXPECT_EQ(numbered(20).batch(6).take(12).batches(), 2);
}

TEST(Dataset, EachDecoratorGivesANewOne) {
  const Dataset plain = numbered(4);
  const Dataset changed = plain.map(Rescale(2)).batch(2).shuffle(1).take(3).prefetch(4, 2);
  EXPECT_EQ(plain.size(), 4);
  EXPECT_EQ(plain.batch_size(), 0);
  EXPECT_EQ(plain.get(3).x[0].item<int64_t>(), 3);
  EXPECT_EQ(changed.get(2).x[0].item<float>(), 4);
  EXPECT_EQ(changed.get(2).y[0].item<int64_t>(), 20);
  EXPECT_EQ(changed.prefetch_batches(), 4);
  EXPECT_EQ(changed.workers(), 2);
  EXPECT_EQ(changed.source(), plain.source());
}

TEST(Dataset, HoldsTheTensorsWithoutACopy) {
  const Tensor x = at::ones({5, 3});
  const TensorDataset data({x, x}, {at::arange(5), at::ones({5, 2})}, at::ones({5}));
  EXPECT_EQ(data.x().const_data_ptr(), x.const_data_ptr());
  EXPECT_EQ(data.y(1).size(1), 2);
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.y(2); }), "data set: y(2) does not exist, it has 2 y");
  EXPECT_EQ(message_of<InvalidArgument>([&] { Dataset().x(); }), "data set: x(0) does not exist, it has 0 x");
}

TEST(Dataset, GathersRowsOfAnyKind) {
  const Tensor transposed = at::arange(24).reshape({4, 6}).t();  // 6 rows, not contiguous
  const TensorDataset data({transposed, transposed.to(at::kByte).contiguous(), transposed.gt(7)}, at::empty({6, 0}));
  const std::vector<int64_t> rows = {5, 0, 0, 3};
  const Batch batch = data.source()->get(rows);
  const Tensor index = at::tensor(rows);
  EXPECT_TRUE(at::equal(batch.x[0], transposed.index_select(0, index)));
  EXPECT_TRUE(at::equal(batch.x[1], transposed.to(at::kByte).index_select(0, index)));
  EXPECT_TRUE(at::equal(batch.x[2], transposed.gt(7).index_select(0, index)));
  EXPECT_EQ(batch.y[0].sizes(), at::IntArrayRef({4, 0}));
}

TEST(Dataset, RefusesRowsThatDoNotFitTogether) {
  const Tensor x = at::ones({5, 3});
  EXPECT_EQ(message_of<InvalidArgument>([&] { TensorDataset(x, at::ones({4})); }),
            "data set: all tensors must have the rows of x[0], 5; y[0] has 4");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              TensorDataset(Tensors{x, at::ones({6, 3})});
            }),
            "data set: all tensors must have the rows of x[0], 5; x[1] has 6");
  EXPECT_EQ(message_of<InvalidArgument>([&] { TensorDataset(x, {}, at::ones({7})); }),
            "data set: all tensors must have the rows of x[0], 5; weights has 7");
  EXPECT_EQ(message_of<InvalidArgument>([&] { TensorDataset(at::scalar_tensor(1)); }),
            "data set: x[0] must have its rows on the first axis, got a scalar");
  EXPECT_EQ(message_of<InvalidArgument>([&] { TensorDataset(Tensor{}); }), "data set: x[0] is an undefined tensor");
  EXPECT_EQ(message_of<InvalidArgument>([&] { TensorDataset(Tensors{}); }),
            "data set: x must hold at least one tensor");
  EXPECT_THROW(TensorDataset(at::ones({0, 3})), DataError);
}

TEST(Dataset, RefusesBadSettings) {
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).batch(0); }),
            "data set: the batch size must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).batches(0); }),
            "data set: the batch size must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).take(-1); }),
            "data set: take must be given a number of rows, got -1");
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).map({}); }), "data set: map was given an empty transform");
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).get(4); }),
            "data set: row 4 does not exist, it serves 4 rows");
  EXPECT_EQ(message_of<InvalidArgument>([] { numbered(4).prefetch(2, -2); }),
            "data set: prefetch takes a number of workers, or -1, got -2");
  EXPECT_EQ(message_of<InvalidArgument>([] { Dataset(nullptr); }), "data set: the source must not be null");
}

// A user's own source: rows come from somewhere else.
class Squares : public Source {
 public:
  int64_t size() const override { return 9; }
  Batch get(std::span<const int64_t> rows) const override {
    std::vector<int64_t> x;
    for (const int64_t row : rows) x.push_back(row * row);
    return {at::tensor(x), {}, {}};
  }
};

TEST(Dataset, TakesASourceOfTheUser) {
  const Dataset data(std::make_shared<Squares>());
  EXPECT_EQ(data.size(), 9);
  EXPECT_EQ(data.get(3).x[0].item<int64_t>(), 9);
  EXPECT_TRUE(at::equal(data.x(), at::arange(9).square()));
}

}  // namespace
}  // namespace tandem::data
