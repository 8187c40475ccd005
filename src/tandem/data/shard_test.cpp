#include "tandem/data/shard.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tandem/core/error.h"
#include "tandem/data/concatenate.h"
#include "tandem/data/data_loader.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/captured_log.h"

namespace tandem::data {
namespace {

Dataset of_files(const std::vector<int64_t>& rows_by_file) {
  std::vector<Dataset> parts;
  for (const auto n : rows_by_file) parts.push_back(TensorDataset(at::zeros({n, 1})));
  return concatenate(parts);
}

// Each rank's rows of an epoch, sorted.
std::vector<std::vector<int64_t>> sharded(const Dataset& dataset, int64_t ranks, const ShardOptions& options,
                                          int64_t epoch = 0) {
  std::vector<std::vector<int64_t>> all;
  for (int64_t r = 0; r < ranks; ++r) {
    all.push_back(shard(dataset, ranks, r, options).order(epoch));
    std::sort(all.back().begin(), all.back().end());
  }
  return all;
}

using Shards = std::vector<std::vector<int64_t>>;

TEST(ShardByFile, EachRankHasWholeFilesLargeOnesFirst) {
  const testing::CapturedLog log;
  for (const int64_t epoch : {0, 1}) {
    EXPECT_EQ(sharded(of_files({2, 4, 1, 2}), 2, {.by = "file"}, epoch), (Shards{{2, 3, 4, 5, 6}, {0, 1, 7, 8}}));
  }
  const auto four = sharded(of_files({25, 25, 25, 25}), 2, {.by = "auto"});  // U26: 2 files each
  EXPECT_EQ(four[0].size(), 50U);
  EXPECT_EQ(four[1].front(), 25);
  EXPECT_EQ(log.infos().back(), "shard: rank 1 of 2 has 2 of 4 files, 50 of 100 rows");
}

TEST(ShardByFile, ShufflesWithinTheRanksRows) {
  const testing::CapturedLog log;
  const auto dataset = of_files({20, 20});
  const auto order = [&](int64_t epoch, const ShardOptions& options) {
    return shard(dataset, 2, 1, options).order(epoch);
  };
  EXPECT_NE(order(0, {.by = "file"}), order(1, {.by = "file"}));
  EXPECT_EQ(order(1, {.by = "file"}), order(1, {.by = "file"}));
  EXPECT_NE(order(0, {.by = "file"}), order(0, {.by = "file", .seed = 1}));
  EXPECT_EQ(order(3, {.by = "file", .shuffle = false}).front(), 20);
}

TEST(ShardByRow, WhereFilesAreFewerThanRanks) {  // U26: 1 file, 100 rows, 50 each
  const testing::CapturedLog log;
  const auto shards = sharded(TensorDataset(at::zeros({100, 1})), 2, {});
  std::set<int64_t> seen;
  for (const auto& rows : shards) {
    EXPECT_EQ(rows.size(), 50U);
    seen.insert(rows.begin(), rows.end());
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(log.infos().back(), "shard: rank 1 of 2 has part of each file, 50 of 100 rows");
  EXPECT_EQ(sharded(of_files({2, 2, 2}), 2, {.by = "row", .shuffle = false}), (Shards{{0, 2, 4}, {1, 3, 5}}));
}

TEST(ShardByFile, ALoaderServesIt) {
  const testing::CapturedLog log;
  const Tensor x = at::arange(6, at::kFloat).view({6, 1});
  const auto dataset = concatenate(std::vector<Dataset>{TensorDataset(x.slice(0, 0, 4)), TensorDataset(x.slice(0, 4))});
  struct Group {
    int64_t rank() const { return 1; }
    int64_t world_size() const { return 2; }
  };
  DataLoader loader(dataset, {.batch_size = 4, .sampler = shard(dataset, Group(), {.by = "file", .shuffle = false})});
  for (auto [rows, y] : loader.epoch(0)) EXPECT_TRUE(at::equal(rows, x.slice(0, 4)));
  const auto receipt = loader.receipt();
  EXPECT_EQ(receipt.served, sum_of(std::vector<int64_t>{4, 5}));
  EXPECT_EQ(receipt.padding, RowSum());
}

TEST(Shard, RefusesWhatCannotBe) {
  const testing::CapturedLog log;
  EXPECT_EQ(message_of<InvalidArgument>([] {
              shard(of_files({2, 2}), 3, 0, {.by = "file"});
            }),
            "shard: there must be a file for each of 3 ranks, got 2 files; by \"row\" all ranks get rows");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              shard(of_files({2, 2}), 2, 0, {.by = "rows"});
            }),
            "shard: by 'rows' is not known; did you mean 'row'?");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              shard(of_files({2, 2}).shuffle(), 2, 0, {.by = "file"});
            }),
            "shard: the data set must not be shuffled, since each rank keeps its files; the sampler does");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              shard(of_files({2, 2}), 2, 2);
            }),
            "DistributedSampler: rank must be below num_replicas, 2, got 2");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              DistributedSampler({0, 4}, 4, 2, 0);
            }),
            "DistributedSampler: there is no row 4 among 4 rows");
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(std::vector<int64_t>(), 4, 2, 0); }),
            "DistributedSampler: rank 0 must have a row, got none");
}

}  // namespace
}  // namespace tandem::data
