#include "tandem/data/loader.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/random_flip.h"
#include "tandem/data/random_shift.h"
#include "tandem/data/rescale.h"

namespace tandem::data {
namespace {

// 100 images of 6 x 5 x 2 with their row numbers as targets.
Dataset images(int64_t rows = 100) {
  const Tensor x = at::arange(rows * 60, at::kFloat).remainder(251).to(at::kByte).reshape({rows, 6, 5, 2});
  return TensorDataset(x, at::arange(rows));
}

struct Epoch {
  Tensor x;
  std::vector<int64_t> ids;
  std::vector<int64_t> batch_rows;
};

Epoch read_epoch(Loader& loader, int64_t epoch) {
  loader.start_epoch(epoch);
  std::vector<Tensor> parts;
  Epoch out;
  while (const auto batch = loader.next()) {
    parts.push_back(batch->x[0]);
    for (int64_t i = 0; i < batch->rows(); ++i) out.ids.push_back(batch->y[0][i].item<int64_t>());
    out.batch_rows.push_back(batch->rows());
  }
  out.x = parts.empty() ? Tensor() : at::cat(parts);
  return out;
}

LoaderOptions with(int64_t workers, uint64_t key = 5) {
  LoaderOptions options;
  options.batch_size = 8;
  options.random = RandomStream(key);
  options.workers = workers;
  return options;
}

std::set<int64_t> numbers_below(int64_t n) {
  std::set<int64_t> all;
  for (int64_t i = 0; i < n; ++i) all.insert(i);
  return all;
}

int64_t threads_of_this_process() {
  using std::filesystem::directory_iterator;
  return std::distance(directory_iterator("/proc/self/task"), directory_iterator());
}

TEST(Loader, WorkersChangeNothingInTheNumbers) {
  const Dataset data =
      images().map(RandomShift(0.3)).map(RandomFlip("horizontal_and_vertical")).map(Rescale(1.0 / 255)).shuffle();
  std::vector<Epoch> expected;
  for (const int64_t workers : {0, 1, 2, 4, 7}) {
    Loader loader(data, with(workers));
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const Epoch got = read_epoch(loader, epoch);
      ASSERT_EQ(got.batch_rows, std::vector<int64_t>({8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4}));
      if (workers == 0) {
        expected.push_back(got);
      } else {
        EXPECT_TRUE(at::equal(got.x, expected[epoch].x)) << workers << " workers, epoch " << epoch;
        EXPECT_EQ(got.ids, expected[epoch].ids);
      }
    }
  }
  EXPECT_NE(expected[0].ids, expected[1].ids);
}

TEST(Loader, ARowsRandomNumbersDependOnSeedEpochAndRowOnly) {
  const Dataset data = images().map(RandomShift(0.3));
  const auto in_order = [&](const Dataset& served, int64_t batch, int64_t epoch) {
    Loader loader(served.batch(batch), with(2));
    const Epoch got = read_epoch(loader, epoch);
    return got.x.index_select(0, at::tensor(got.ids).argsort());
  };
  const Tensor expected = in_order(data, 8, 1);
  EXPECT_TRUE(at::equal(in_order(data.shuffle(), 8, 1), expected));
  EXPECT_TRUE(at::equal(in_order(data, 33, 1), expected));
  EXPECT_FALSE(at::equal(in_order(data, 8, 2), expected));
}

TEST(Loader, EachRowComesOncePerEpochInAnOrderOfItsOwn) {
  for (const int64_t workers : {0, 1, 4, 7}) {
    Loader loader(images().shuffle(), with(workers)), again(images().shuffle(), with(workers)),
        other(images().shuffle(), with(workers, 6));
    const auto first = read_epoch(loader, 0).ids, second = read_epoch(loader, 1).ids;
    EXPECT_EQ(std::set<int64_t>(first.begin(), first.end()), numbers_below(100));
    EXPECT_EQ(first.size(), 100U);
    EXPECT_NE(first, second);
    EXPECT_EQ(read_epoch(loader, 0).ids, first);
    EXPECT_EQ(read_epoch(again, 0).ids, first);
    EXPECT_NE(read_epoch(other, 0).ids, first);
  }
}

TEST(Loader, AResumedEpochGoesOnWhereItEnded) {
  const Dataset data = images().map(RandomShift(0.3)).shuffle();
  for (const int64_t workers : {0, 4}) {
    Loader whole(data, with(workers));
    const Epoch expected = read_epoch(whole, 2), next = read_epoch(whole, 3);
    LoaderOptions options = with(workers);
    options.first_batch = 7;
    Loader rest(data, options);
    const Epoch got = read_epoch(rest, 2);
    EXPECT_TRUE(at::equal(got.x, expected.x.slice(0, 56)));
    EXPECT_TRUE(at::equal(read_epoch(rest, 3).x, next.x));
    EXPECT_EQ(rest.batches(), 13);
  }
}

TEST(Loader, MakesTheBatchesThatItIsDealt) {
  const auto shuffled = images().shuffle();
  Loader all(shuffled, {.batch_size = 8});
  const auto whole = read_epoch(all, 1);
  std::vector<int64_t> numbers{3, 12, 0};
  int64_t asked_of = -1;
  Loader dealt(shuffled, {.batch_size = 8, .deal = [&](int64_t epoch, int64_t batches) -> std::optional<DealtBatch> {
                            EXPECT_EQ(batches, 13);
                            asked_of = epoch;
                            if (numbers.empty()) return {};
                            const int64_t next = numbers.back();
                            numbers.pop_back();
                            return DealtBatch{.number = next, .batch = next};
                          }});
  dealt.start_epoch(1);
  for (const int64_t number : {0, 12, 3}) {
    const auto batch = dealt.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->number, number);
    EXPECT_EQ(batch->rows(), number == 12 ? 4 : 8);
    for (int64_t i = 0; i < batch->rows(); ++i)
      EXPECT_EQ(batch->y[0][i].item<int64_t>(), whole.ids[static_cast<std::size_t>(number * 8 + i)]);
    EXPECT_TRUE(at::equal(batch->x[0], whole.x.slice(0, number * 8, number * 8 + batch->rows())));
  }
  EXPECT_FALSE(dealt.next());
  EXPECT_EQ(asked_of, 1);
}

TEST(Loader, MakesThePartOfABatchThatItIsDealt) {
  const auto shuffled = images().shuffle();
  Loader all(shuffled, {.batch_size = 8});
  const auto whole = read_epoch(all, 1);
  bool given = false;
  Loader dealt(shuffled, {.batch_size = 8, .deal = [&](int64_t, int64_t) -> std::optional<DealtBatch> {
                            if (std::exchange(given, true)) return {};
                            return DealtBatch{.number = 7, .batch = 2, .rows = [](int64_t rows) {
                                                return std::pair(rows / 2, rows - 1);
                                              }};
                          }});
  dealt.start_epoch(1);
  const auto batch = dealt.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->number, 7);
  EXPECT_EQ(batch->first_row, 4);
  EXPECT_EQ(batch->rows(), 3);
  EXPECT_EQ(batch->all_rows(), 8);
  EXPECT_TRUE(at::equal(batch->x[0], whole.x.slice(0, 20, 23)));
  EXPECT_FALSE(dealt.next());
}

TEST(Loader, MaxBatchesEndsTheEpoch) {
  for (const int64_t workers : {0, 2}) {
    LoaderOptions options = with(workers);
    options.max_batches = 3;
    Loader loader(images(), options);
    EXPECT_EQ(loader.batches(), 3);
    EXPECT_EQ(read_epoch(loader, 0).ids.size(), 24U);
    EXPECT_FALSE(loader.next());
  }
}

TEST(Loader, AnEpochMayBeLeftAtAnyTime) {
  const Dataset data = images().map(RandomShift(0.3)).shuffle();
  Loader plain(data, with(0));
  const Epoch expected = read_epoch(plain, 4);
  Loader loader(data, with(3));
  for (int64_t left_after = 0; left_after < 13; ++left_after) {
    loader.start_epoch(left_after);
    for (int64_t i = 0; i < left_after; ++i) loader.next();
  }
  EXPECT_TRUE(at::equal(read_epoch(loader, 4).x, expected.x));
}

TEST(Loader, TheNextEpochIsMadeAhead) {
  const Dataset data = images().map(RandomShift(0.3)).shuffle();
  Loader plain(data, with(0));
  LoaderOptions options = with(3);
  options.last_epoch = 9;
  Loader ahead(data, options);
  for (const int64_t epoch : {0, 1, 2, 3, 3, 7, 8, 9, 10}) {
    EXPECT_TRUE(at::equal(read_epoch(ahead, epoch).x, read_epoch(plain, epoch).x)) << "epoch " << epoch;
  }
}

// A source that says when its rows are read.
class Counted : public Source {
 public:
  explicit Counted(int64_t rows) : rows_(rows) {}
  int64_t size() const override { return rows_; }
  Batch get(std::span<const int64_t> rows) const override {
    read_ += static_cast<int64_t>(rows.size());
    return {at::tensor(std::vector<int64_t>(rows.begin(), rows.end())), {}, {}};
  }
  int64_t read() const { return read_; }

 private:
  int64_t rows_;
  mutable std::atomic<int64_t> read_{0};
};

int64_t settled(const Counted& source, int64_t wanted) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (source.read() < wanted && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return source.read();
}

TEST(Loader, MakesSoManyBatchesAheadAndNoMore) {
  const auto source = std::make_shared<Counted>(80);
  LoaderOptions options = with(-1);
  options.last_epoch = 1;
  Loader loader(Dataset(source).batch(8).prefetch(3, 2), options);
  loader.start_epoch(0);
  EXPECT_EQ(settled(*source, 24), 24);
  for (int64_t i = 0; i < 9; ++i) loader.next();
  EXPECT_EQ(settled(*source, 96), 96);  // batch 9 of this epoch and two of the next
}

TEST(Loader, MakesNothingAheadOfTheLastEpoch) {
  const auto source = std::make_shared<Counted>(80);
  Loader loader(Dataset(source).batch(8), with(2));
  loader.start_epoch(0);
  while (loader.next()) {
  }
  EXPECT_EQ(settled(*source, 80), 80);
}

TEST(Loader, RowsInOrderAreSlicesWithoutACopy) {
  const Dataset data = images();
  Loader loader(data, with(-1));
  const int64_t before = threads_of_this_process();
  loader.start_epoch(0);
  for (int64_t i = 0; i < 13; ++i) {
    const auto batch = loader.next();
    EXPECT_EQ(batch->x[0].const_data_ptr(), data.x().slice(0, 8 * i).const_data_ptr());
  }
  EXPECT_EQ(threads_of_this_process(), before);  // nothing to do for a worker
}

TEST(Loader, ATransformNeverChangesTheSource) {
  const Tensor x = at::ones({10, 4});
  Loader loader(TensorDataset(x).map(Rescale(3)), with(0));
  loader.start_epoch(0);
  EXPECT_EQ(loader.next()->x[0].sum().item<float>(), 96);
  EXPECT_EQ(x.sum().item<float>(), 40);
}

TEST(Loader, LeavesNoThreadBehind) {
  const int64_t before = threads_of_this_process();
  {
    Loader busy(images().map(RandomShift(0.3)), with(4));
    EXPECT_EQ(threads_of_this_process(), before + 4);
    busy.start_epoch(0);
    busy.next();  // the workers go on and wait for room
    Loader idle(images().map(RandomShift(0.3)), with(2));
    EXPECT_EQ(threads_of_this_process(), before + 6);
  }
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(Loader, LeavesTheCallersNumberOfThreadsAlone) {
  const int before = at::get_num_threads();
  Loader loader(images().map(RandomShift(0.3)), with(4));
  EXPECT_EQ(at::get_num_threads(), before);
  int fresh = 0;
  std::thread([&] { fresh = at::get_num_threads(); }).join();
  EXPECT_EQ(fresh, before);
}

TEST(Loader, KeepsWeightsAndSeveralInputsTogether) {
  const Tensor a = at::arange(20), b = at::arange(20) * 2, weights = at::arange(20) * 3;
  Loader loader(TensorDataset({a, b}, {a, b}, weights).shuffle(), with(2));
  loader.start_epoch(0);
  int64_t rows = 0;
  while (const auto batch = loader.next()) {
    EXPECT_TRUE(at::equal(batch->x[0] * 2, batch->x[1]));
    EXPECT_TRUE(at::equal(batch->x[0], batch->y[0]));
    EXPECT_TRUE(at::equal(batch->y[1], batch->x[1]));
    EXPECT_TRUE(at::equal(batch->weights[0], batch->x[0].to(at::kFloat) * 3));
    rows += batch->rows();
  }
  EXPECT_EQ(rows, 20);
}

}  // namespace
}  // namespace tandem::data
