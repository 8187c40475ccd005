// What a loader does when the data, a source or a transform fails.
#include <gtest/gtest.h>

#include <string>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/data/map_rows.h"
#include "tandem/data/message_of_test.h"

namespace tandem::data {
namespace {

LoaderOptions batches_of(int64_t batch_size, int64_t workers) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.workers = workers;
  return options;
}

// Rows that hold their number; row 13 cannot be read.
class Damaged : public Source {
 public:
  int64_t size() const override { return 20; }
  Batch get(std::span<const int64_t> rows) const override {
    for (const int64_t row : rows) {
      if (row == 13) throw std::runtime_error("the file of row 13 is empty");
    }
    return {at::tensor(std::vector<int64_t>(rows.begin(), rows.end())), {}, {}};
  }
};

TEST(LoaderErrors, ARowThatCannotBeReadIsNamed) {
  for (const int64_t workers : {0, 1, 4}) {
    Loader loader(Dataset(std::make_shared<Damaged>()), batches_of(4, workers));
    loader.start_epoch(2);
    for (int64_t batch = 0; batch < 3; ++batch) EXPECT_EQ(loader.next()->x[0][0].item<int64_t>(), batch * 4);
    EXPECT_EQ(message_of<DataError>([&] { loader.next(); }), "batch 3 of epoch 2, row 13: the file of row 13 is empty");
    EXPECT_EQ(loader.next()->x[0][0].item<int64_t>(), 16);
    EXPECT_FALSE(loader.next());
  }
}

TEST(LoaderErrors, ARowThatATransformRefusesIsNamed) {
  const Dataset data = TensorDataset(at::arange(20)).map(MapRows([](Example row) {
    if (row.x[0].item<int64_t>() == 6) throw InvalidArgument("six is out of range");
    return row;
  }));
  for (const int64_t workers : {0, 2}) {
    Loader loader(data, batches_of(4, workers));
    loader.start_epoch(0);
    loader.next();
    EXPECT_EQ(message_of<InvalidArgument>([&] { loader.next(); }), "batch 1 of epoch 0, row 6: six is out of range");
  }
}

TEST(LoaderErrors, AnErrorOfATensorOperationIsOneLine) {
  const Dataset data = TensorDataset(at::ones({8, 3})).map(MapRows([](Example row) {
    row.x[0] = at::matmul(row.x[0], at::ones({4, 4}));
    return row;
  }));
  Loader loader(data, batches_of(4, 1));
  loader.start_epoch(0);
  const auto text = message_of<DataError>([&] { loader.next(); });
  EXPECT_EQ(text.find("batch 0 of epoch 0, row 0: "), 0U) << text;
}

// Each row can be read alone; two of them do not fit together.
class Uneven : public Source {
 public:
  int64_t size() const override { return 8; }
  Batch get(std::span<const int64_t> rows) const override {
    return {at::zeros({std::min<int64_t>(rows.size(), 3), 2}), {}, {}};
  }
};

TEST(LoaderErrors, ABatchThatFailsAsAWholeIsNamed) {
  Loader loader(Dataset(std::make_shared<Uneven>()), batches_of(4, 1));
  loader.start_epoch(0);
  EXPECT_EQ(message_of<DataError>([&] { loader.next(); }),
            "batch 0 of epoch 0: the source must give x of 4 rows, got (3, 2)");
}

TEST(LoaderErrors, EmptyDataAndBadSizes) {
  const Dataset data = TensorDataset(at::ones({5, 2}));
  EXPECT_EQ(message_of<DataError>([&] { Loader(data.take(0), {}); }),
            "data set: it must have at least one row, got none");
  EXPECT_EQ(message_of<InvalidArgument>([&] { Loader(Dataset(), {}); }),
            "data set: it has no source (a default-made Dataset)");
  EXPECT_EQ(message_of<InvalidArgument>([&] { Loader(data, batches_of(0, 0)); }),
            "data set: the batch size must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([&] { Loader(data.batch(8, true), {}); }),
            "data set: 5 rows make no full batch of 8 and the remainder is dropped");
  Loader loader(data, {});
  EXPECT_EQ(message_of<InvalidArgument>([&] { loader.next(); }), "Loader: start_epoch must be called before next");
}

// Waits until the test lets it go on.
class Slow : public Source {
 public:
  int64_t size() const override { return 4; }
  Batch get(std::span<const int64_t> rows) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return {at::zeros({static_cast<int64_t>(rows.size())}), {}, {}};
  }
};

TEST(LoaderErrors, WaitedCountsTheTimeWithoutABatch) {
  for (const int64_t workers : {0, 1}) {
    Loader loader(Dataset(std::make_shared<Slow>()), batches_of(1, workers));
    loader.start_epoch(0);
    while (loader.next()) {
    }
    EXPECT_GT(loader.waited(), workers == 0 ? 0.06 : 0);  // a worker may be ahead
    loader.start_epoch(1);
    EXPECT_EQ(loader.waited(), 0);
  }
}

}  // namespace
}  // namespace tandem::data
