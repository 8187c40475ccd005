#include "tandem/data/data_loader.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/data/message_of_test.h"

namespace tandem::data {
namespace {

using Numbers = std::vector<float>;

Dataset numbers(int64_t n) {
  const Tensor x = at::arange(n, at::kFloat).view({n, 1});
  return TensorDataset(x, -x);
}

// The rows of an epoch as they come, and the sizes of its batches.
struct Served {
  Numbers rows, sizes;
};
Served served(DataLoader& loader, int64_t epoch, int64_t first_batch = 0) {
  Served all;
  for (auto [x, y] : loader.epoch(epoch, first_batch)) {
    EXPECT_TRUE(at::equal(y, -x));
    all.sizes.push_back(static_cast<float>(x.size(0)));
    for (int64_t i = 0; i < x.size(0); ++i) all.rows.push_back(x[i].item<float>());
  }
  return all;
}

TEST(DataLoader, ServesBatchesInOrder) {
  for (const int64_t workers : {0, 1, 3}) {
    DataLoader loader(numbers(5), {.batch_size = 2, .workers = workers});
    EXPECT_EQ(loader.batches(), 3);
    const auto all = served(loader, 0);
    EXPECT_EQ(all.rows, (Numbers{0, 1, 2, 3, 4}));
    EXPECT_EQ(all.sizes, (Numbers{2, 2, 1}));
  }
  DataLoader whole(numbers(5), {.batch_size = 2, .drop_last = true});
  EXPECT_EQ(served(whole, 0).rows, (Numbers{0, 1, 2, 3}));
}

TEST(DataLoader, ASamplersRows) {
  const DistributedSampler sampler(7, 2, 1, {.seed = 3});
  DataLoader loader(numbers(7), {.batch_size = 3, .sampler = sampler, .workers = 2});
  for (int64_t epoch : {0, 1, 5}) {
    const auto order = sampler.order(epoch);
    EXPECT_EQ(served(loader, epoch).rows, Numbers(order.begin(), order.end()));
  }
  EXPECT_EQ(loader.batches(), 2);
}

TEST(DataLoader, ShufflesByEpochWhateverTheWorkers) {
  set_random_seed(4);
  DataLoader one(numbers(9), {.batch_size = 2, .shuffle = true, .workers = 0});
  DataLoader many(numbers(9), {.batch_size = 2, .shuffle = true, .workers = 3});
  const auto first = served(one, 0).rows, second = served(one, 1).rows;
  EXPECT_NE(first, second);
  EXPECT_EQ(served(many, 0).rows, first);
  EXPECT_EQ(served(many, 1).rows, second);
}

TEST(DataLoader, EpochsMustRise) {  // U21
  DataLoader loader(numbers(4), {.batch_size = 2, .shuffle = true});
  served(loader, 0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { loader.epoch(0); }),
            "DataLoader: epochs must rise, so that each has an order of its own; got epoch 0 after 0");
}

TEST(DataLoader, GoesOnFromAState) {
  set_random_seed(4);
  const DataLoaderOptions options{.batch_size = 2, .shuffle = true, .workers = 2};
  DataLoader loader(numbers(9), options);
  served(loader, 0);
  Numbers rest;
  int64_t taken = 0;
  DataLoader::State state;
  for (auto [x, y] : loader.epoch(1)) {
    if (++taken == 2) state = loader.state();
    if (taken > 2) rest.push_back(x[0].item<float>());
  }
  EXPECT_EQ(state.epoch, 1);
  EXPECT_EQ(state.next_batch, 2);
  DataLoader again(numbers(9), options);
  Numbers got;
  for (auto [x, y] : again.epoch(state.epoch, state.next_batch)) got.push_back(x[0].item<float>());
  EXPECT_EQ(got, rest);
  served(again, 2);
}

TEST(DataLoader, ReceiptsAreOfTheRowsServed) {
  for (const int64_t workers : {0, 2}) {
    DataLoader loader(numbers(7), {.batch_size = 2, .sampler = DistributedSampler(7, 2, 1), .workers = workers});
    EXPECT_EQ(loader.receipt(), Receipt());
    Numbers rows;
    for (auto [x, y] : loader.epoch(3)) {
      for (int64_t i = 0; i < x.size(0); ++i) rows.push_back(x[i].item<float>());
      EXPECT_EQ(loader.receipt().batches, rows.size() == 2 ? 1 : 2);
    }
    ASSERT_EQ(rows.size(), 4U);  // the last one is rank 0's first: 2 x 4 places for 7 rows
    const auto receipt = loader.receipt();
    EXPECT_EQ(receipt.epoch, 3);
    EXPECT_EQ(receipt.batches, receipt.batches_due);
    EXPECT_EQ(receipt.served, sum_of(std::vector<int64_t>(rows.begin(), rows.end() - 1)));
    EXPECT_EQ(receipt.padding, sum_of(std::vector<int64_t>(rows.end() - 1, rows.end())));
    EXPECT_EQ(receipt.all, sum_of(std::vector<int64_t>{6, 5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(receipt.earlier.count + receipt.left_out.count, 0);
  }
}

TEST(DataLoader, ReceiptsOfAResumedEpoch) {
  const DataLoaderOptions options{.batch_size = 2, .sampler = DistributedSampler(10, 2, 0, {.drop_last = true})};
  DataLoader whole(numbers(10), options), again(numbers(10), options);
  const auto all = served(whole, 1).rows, rest = served(again, 1, 1).rows;
  EXPECT_EQ(again.receipt().batches, 3);
  EXPECT_EQ(again.receipt().earlier, sum_of(std::vector<int64_t>(all.begin(), all.begin() + 2)));
  EXPECT_EQ(again.receipt().served, sum_of(std::vector<int64_t>(rest.begin(), rest.end())));
}

TEST(DataLoader, ReceiptsOfAPartOfTheRows) {
  DataLoader loader(numbers(9).take(5), {.batch_size = 2, .drop_last = true});
  served(loader, 0);
  EXPECT_EQ(loader.receipt().served, sum_of(std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(loader.receipt().left_out, sum_of(std::vector<int64_t>{4}));
  EXPECT_EQ(loader.receipt().all.count, 5);
}

TEST(DataLoader, RefusesWhatCannotBe) {
  EXPECT_EQ(message_of<InvalidArgument>([] { DataLoader(numbers(4), {.batch_size = 0}); }),
            "data set: the batch size must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { DataLoader(numbers(4), {.shuffle = true, .sampler = DistributedSampler(4, 2, 0)}); }),
            "DataLoader: shuffle must be off beside a sampler, which says for itself");
  DataLoader wrong(numbers(4), {.sampler = DistributedSampler(9, 2, 0)});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              wrong.epoch(0);
            }).rfind("data set: ordered_by must give numbers below the 4 rows", 0),
            0U);
}

}  // namespace
}  // namespace tandem::data
