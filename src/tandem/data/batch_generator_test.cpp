// Batches that a function gives come as they were given, ahead of use or not, and what is wrong with one is said.
#include "tandem/data/batch_generator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/data/data_loader.h"
#include "tandem/data/generator_loader.h"
#include "tandem/data/image_normalization.h"
#include "tandem/data/map_rows.h"
#include "tandem/data/mean_image.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/per_device.h"
#include "tandem/data/shard.h"
#include "tandem/data/split.h"

namespace tandem::data {
namespace {

// Batch i of pass p: 2 + i % 2 rows of 100 p + i.
Batch numbered(int64_t pass, int64_t i) {
  const Tensor x = at::full({2 + i % 2, 3}, static_cast<double>(100 * pass + i), at::kFloat);
  return {x, x.select(1, 0)};
}

BatchGenerator passes_of(int64_t batches) {
  return BatchGenerator([batches](int64_t pass) {
    return [=, i = int64_t{0}]() mutable -> std::optional<Batch> {
      if (i == batches) return std::nullopt;
      return numbered(pass, i++);
    };
  });
}

BatchGenerator stream_of(int64_t batches) {
  return BatchGenerator([batches, i = int64_t{0}]() mutable -> std::optional<Batch> {
    if (i == batches) return std::nullopt;
    return numbered(0, i++);
  });
}

// The number in each batch that is left of the epoch, at most `most`.
std::vector<int64_t> rest(Loader& loader, int64_t most = 100) {
  std::vector<int64_t> numbers;
  while (most-- > 0) {
    const auto batch = loader.next();
    if (!batch) break;
    EXPECT_EQ(batch->rows(), 2 + static_cast<int64_t>(numbers.size()) % 2);
    numbers.push_back(batch->x[0][0][0].item<int64_t>());
  }
  return numbers;
}

using Given = std::vector<int64_t>;

TEST(BatchGenerator, EachPassBeginsAnew) {
  for (const int64_t ahead : {0, 1, 3}) {
    Loader loader(passes_of(3).prefetch(ahead), {});
    EXPECT_EQ(loader.batches(), -1);
    for (const int64_t pass : {0, 1, 5}) {
      loader.start_epoch(pass);
      EXPECT_EQ(rest(loader), (Given{100 * pass, 100 * pass + 1, 100 * pass + 2}));
      EXPECT_FALSE(loader.next());
    }
    EXPECT_FALSE(loader.spent());
    loader.start_epoch(2);
    loader.next();  // the others are dropped
    loader.start_epoch(3);
    EXPECT_EQ(rest(loader), (Given{300, 301, 302}));
  }
}

TEST(BatchGenerator, AStreamGoesOnWhoeverReadsInIt) {
  for (const int64_t ahead : {0, 1, 4}) {
    const Dataset data = stream_of(7).prefetch(ahead);
    {
      Loader loader(data, {});
      loader.start_epoch(0);
      EXPECT_EQ(rest(loader, 2), (Given{0, 1})) << "ahead " << ahead;
    }
    Loader first_two(data, {.max_batches = 2});
    EXPECT_EQ(first_two.batches(), 2);
    first_two.start_epoch(0);
    EXPECT_EQ(rest(first_two), (Given{2, 3}));
    first_two.give_back();
    Loader loader(data, {});
    loader.start_epoch(9);
    EXPECT_EQ(rest(loader), (Given{4, 5, 6})) << "the end was given last, no batch";
    EXPECT_TRUE(loader.spent());
    loader.start_epoch(10);
    EXPECT_FALSE(loader.next());
    EXPECT_TRUE(loader.spent());
  }
}

TEST(BatchGenerator, WhatIsGivenBackIsTheNext) {
  for (const int64_t ahead : {0, 2}) {
    const Dataset data = stream_of(6).prefetch(ahead);
    {
      Loader loader(data, {});
      loader.start_epoch(0);
      EXPECT_EQ(rest(loader, 2), (Given{0, 1}));
      loader.give_back();
      loader.give_back();  // once is enough
    }
    Loader loader(data, {});
    loader.start_epoch(0);
    EXPECT_EQ(loader.next()->x[0][0][0].item<int64_t>(), 1);
  }
}

TEST(BatchGenerator, FirstBatchesStayWhereTheyAre) {
  int64_t begun = 0;
  const BatchGenerator passes([&](int64_t pass) {
    ++begun;
    return [=, i = int64_t{0}]() mutable -> std::optional<Batch> { return numbered(pass, i++); };
  });
  for (const Dataset& data : {Dataset(passes), Dataset(stream_of(5))}) {
    const auto first = first_batches(data, 2, {});
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[1].rows(), 3);
    EXPECT_EQ(first_batches(data, 2, {}).size(), 2U);
    Loader loader(data, {});
    loader.start_epoch(0);
    EXPECT_EQ(rest(loader, 3), (Given{0, 1, 2}));
  }
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(first_batches(stream_of(1), 2, {}).size(), 1U);
  EXPECT_TRUE(first_batches(stream_of(0), 2, {}).empty());
}

TEST(BatchGenerator, TransformsDrawTheSameAheadOrNot) {
  const auto noisy = [](int64_t ahead) {
    const Dataset data = passes_of(3).prefetch(ahead).map(MapRows([](Example row, const RandomStream& random) {
      row.x[0].add_(random.uniform({3}));  // in place: what the function gave must stay as it is
      return row;
    }));
    Loader loader(data, {.random = RandomStream(4)});
    std::vector<Tensor> all;
    for (int64_t pass = 0; pass < 2; ++pass) {
      loader.start_epoch(pass);
      while (const auto batch = loader.next()) all.push_back(batch->x[0]);
    }
    return at::cat(all);
  };
  const Tensor want = noisy(0);
  EXPECT_EQ(want.sizes(), at::IntArrayRef({14, 3}));
  EXPECT_FALSE(at::equal(want[0], want[1]));
  EXPECT_TRUE(at::equal(noisy(2), want));
}

TEST(BatchGenerator, IsAskedOnTheCallersThreadUnlessAhead) {
  for (const int64_t ahead : {-1, 2}) {
    std::thread::id asked;
    Dataset data = BatchGenerator([&] {
      asked = std::this_thread::get_id();
      return numbered(0, 0);
    });
    if (ahead > 0) data = data.prefetch(ahead);
    {
      Loader loader(data, {});
      loader.start_epoch(0);
      loader.next();
    }
    EXPECT_EQ(asked == std::this_thread::get_id(), ahead < 0);
  }
}

TEST(BatchGenerator, SaysWhatIsWrongWithABatch) {
  const auto message_for = [](const Batch& second) {
    const BatchGenerator data([&, i = 0]() mutable {
      return i++ == 0 ? Batch{{at::ones({2, 3}), at::ones({2, 1})}, {at::ones({2}), at::ones({2})}} : second;
    });
    Loader loader(data, {});
    loader.start_epoch(4);
    loader.next();
    return message_of<DataError>([&] { loader.next(); });
  };
  const Tensor x = at::ones({2, 3}), one = at::ones({2, 1}), y = at::ones({2});
  EXPECT_EQ(message_for({{x}, {y, y}}), "batch 1 of epoch 4: must have 2 tensors of x as the first batch had, got 1");
  EXPECT_EQ(message_for({{x, one}, {}}), "batch 1 of epoch 4: must have 2 tensors of y as the first batch had, got 0");
  EXPECT_EQ(message_for({{x, y}, {y, y}}),
            "batch 1 of epoch 4: x[1] must have 2 axes as in the first batch, got shape (2,)");
  EXPECT_EQ(message_for({{x, one}, {y, at::ones({3})}}),
            "batch 1 of epoch 4: y[1] must have the rows of x[0], 2, got shape (3,)");
  EXPECT_EQ(message_for({{at::ones({0, 3}), one}, {y, y}}),
            "batch 1 of epoch 4: x[0] must have at least one row, on its first axis, got shape (0, 3)");
  EXPECT_EQ(message_for({{x, Tensor()}, {y, y}}), "batch 1 of epoch 4: x[1] is an undefined tensor");
  EXPECT_EQ(message_for({}), "batch 1 of epoch 4: must have inputs, got a batch without x");
  EXPECT_EQ(message_for({{x, one}, {y, y}, y}),
            "batch 1 of epoch 4: must have 0 tensors of weights as the first batch had, got 1");
  EXPECT_EQ(message_for({{x, one}, {y, y}, {y, y, y}}),
            "batch 1 of epoch 4: weights must be one tensor, or one for each of 2 targets, got 3");

  for (const int64_t ahead : {0, 2}) {
    const Dataset data = BatchGenerator([i = 0]() mutable -> Batch {
      if (i++ == 1) throw std::runtime_error("the sensor is off");
      return numbered(0, 0);
    });
    Loader loader(data.prefetch(ahead), {});
    loader.start_epoch(0);
    loader.next();
    EXPECT_EQ(message_of<DataError>([&] { loader.next(); }), "batch 1 of epoch 0: the sensor is off");
    EXPECT_FALSE(loader.next()) << "the epoch is over";
  }
}

TEST(BatchGenerator, RefusesWhatNeedsRowsByNumber) {
  const Dataset data = stream_of(3);
  EXPECT_EQ(data.size(), -1);
  EXPECT_EQ(data.batches(), -1);
  const std::string why =
      ": must get rows that can be asked for by number; a BatchGenerator gives whole batches as they come";
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.shuffle(); }), "data set: shuffle" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.take(3); }), "data set: take" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.batch(3); }), "data set: batch" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.get(0); }), "data set: get" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { split(data, {0.5, 0.5}); }), "split" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { PerDevice{{data, data}}; }), "PerDevice" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { shard(data, 2, 0); }), "shard" + why);
  // They would read an endless one for ever.
  EXPECT_EQ(message_of<InvalidArgument>([&] { mean_image(data); }), "mean_image" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { ImageNormalization::fit(data, {.featurewise_center = true}); }),
            "ImageNormalization" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { DataLoader{data}; }), "data set: batch" + why);
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.x(); }),
            "data set: a BatchGenerator gives whole batches, its rows cannot be asked for by number");
  EXPECT_EQ(message_of<InvalidArgument>([&] { data.prefetch(2, 2); }),
            "data set: a BatchGenerator is asked by one worker at a time, got 2");
  EXPECT_EQ(message_of<InvalidArgument>([] { BatchGenerator{NextBatch()}; }),
            "BatchGenerator: the function that gives batches must not be empty");
}

}  // namespace
}  // namespace tandem::data
