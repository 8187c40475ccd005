// A process's part of each batch, as a loader makes it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/data/per_device.h"
#include "tandem/data/random_shift.h"
#include "tandem/testing/message_of.h"

namespace tandem::data {
namespace {

// The p-th of n even parts.
OwnRows part_of(int64_t p, int64_t n) {
  return [=](int64_t rows) { return std::pair(rows * p / n, rows * (p + 1) / n); };
}

TEST(OwnRows, PartsMakeUpTheWholeBatchesWhateverTheWorkers) {
  const Dataset rows =
      TensorDataset(RandomStream(1).normal({50, 5, 5, 1}), at::arange(50)).map(RandomShift(0.2)).shuffle().batch(8);
  for (const int64_t workers : {0, 3}) {
    Loader whole(rows, {.random = RandomStream(3), .workers = workers});
    std::vector<std::unique_ptr<Loader>> parts;
    for (int64_t p = 0; p < 3; ++p)
      parts.push_back(std::make_unique<Loader>(
          rows, LoaderOptions{.random = RandomStream(3), .workers = workers, .own_rows = part_of(p, 3)}));
    for (const int64_t epoch : {0, 1}) {
      whole.start_epoch(epoch);
      for (auto& part : parts) part->start_epoch(epoch);
      int64_t batches = 0;
      while (const auto want = whole.next()) {
        ++batches;
        EXPECT_EQ(want->all_rows(), want->rows());
        int64_t done = 0;
        for (auto& part : parts) {
          const auto got = part->next();
          ASSERT_TRUE(got);
          EXPECT_EQ(got->all_rows(), want->rows());
          EXPECT_EQ(got->first_row, done);
          if (got->rows() == 0) continue;
          EXPECT_TRUE(at::equal(got->x[0], want->x[0].slice(0, done, done + got->rows())));
          EXPECT_TRUE(at::equal(got->y[0], want->y[0].slice(0, done, done + got->rows())));
          done += got->rows();
        }
        EXPECT_EQ(done, want->rows());
      }
      EXPECT_EQ(batches, 7);
      for (auto& part : parts) EXPECT_FALSE(part->next());
    }
  }
}

TEST(OwnRows, OtherRowsAreNotMade) {
  std::atomic<int64_t> made = 0;
  const auto rows = Dataset::from(20, [&](int64_t i) {
    ++made;
    if (i == 3) throw DataError("no such picture");
    return Example{.x = at::full({2}, static_cast<double>(i)), .y = at::scalar_tensor(0.0)};
  });
  Loader loader(rows.batch(10), {.workers = 0, .own_rows = part_of(1, 2)});
  loader.start_epoch(0);
  while (loader.next()) continue;
  EXPECT_EQ(made, 10);
  Loader other(rows.batch(10), {.workers = 0, .own_rows = part_of(0, 2)});
  other.start_epoch(0);
  EXPECT_EQ(testing::message_of<DataError>([&] { other.next(); }), "batch 0 of epoch 0, row 3: no such picture");
}

TEST(OwnRows, NoneAtAll) {
  Loader loader(TensorDataset(at::zeros({3, 2})).batch(1),
                {.workers = 0, .own_rows = [](int64_t rows) { return std::pair(rows, rows); }});
  loader.start_epoch(0);
  const auto batch = loader.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->rows(), 0);
  EXPECT_EQ(batch->all_rows(), 1);
}

TEST(OwnRows, DataByDeviceIsMadeWhole) {
  const Dataset half = TensorDataset(at::zeros({4, 2}));
  Loader loader(PerDevice{half, half}.batch(4), {.workers = 0, .own_rows = part_of(0, 2)});
  loader.start_epoch(0);
  const auto batch = loader.next();
  EXPECT_EQ(batch->rows(), 4);
  EXPECT_EQ(batch->division, (std::vector<int64_t>{2, 2}));
}

}  // namespace
}  // namespace tandem::data
