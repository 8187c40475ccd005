// Ranks, which are threads here, that share a data set as they should and as they should not.
#include "tandem/distribution/check_shards.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tandem/data/concatenate.h"
#include "tandem/data/shard.h"
#include "tandem/distribution/check_receipt.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using data::DataLoader;
using data::DistributedSampler;
using testing::message_of;
using testing::run_ranks;

Dataset numbered(int64_t n) { return data::TensorDataset(at::arange(n, at::kFloat).view({n, 1})); }

void serve(DataLoader& loader, int64_t epoch, int64_t first_batch = 0) {
  for (auto [x, y] : loader.epoch(epoch, first_batch)) EXPECT_GT(x.size(0), 0);
}

TEST(CheckShards, IsContentWithSamplers) {
  for (const int64_t ranks : {1, 2, 4}) {
    run_ranks(ranks, [&](comm::Communicator& communicator) {
      const auto group = group_of(communicator);
      for (const int64_t rows : {1, 3, 7, 1000}) {
        for (const bool drop_last : {false, true}) {
          if (drop_last && rows < ranks) continue;
          const DistributedSampler sampler(rows, group, {.drop_last = drop_last});
          check_shards(sampler, group, 3);
          check_shards(DataLoader(numbered(rows), {.batch_size = 1, .sampler = sampler}), group);
        }
      }
    });
  }
}

// What a rank is told when the ranks have these rows of n.
std::string told(int64_t n, const std::vector<std::vector<int64_t>>& rows_by_rank) {
  std::string told;
  run_ranks(static_cast<int64_t>(rows_by_rank.size()), [&](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    data::Share share{.rows = rows_by_rank[static_cast<std::size_t>(group.rank())]};
    share.all.resize(static_cast<std::size_t>(n));
    std::iota(share.all.begin(), share.all.end(), int64_t{0});
    const auto message = message_of([&] { check_shards(share, group); });
    if (group.rank() == 0) told = message;
    EXPECT_EQ(group.broadcast_object(message), message);  // all ranks are told the same
  });
  return told;
}

TEST(CheckShards, NamesARowAndItsRanks) {  // U25
  EXPECT_EQ(told(4, {{0, 2}, {0, 2}}),
            "check_shards: one rank must serve each row, but row 0 is served by rank 0 and rank 1; of 4 rows all ranks "
            "serve 4, padding apart");
  EXPECT_EQ(told(4, {{0, 1}, {2}}),
            "check_shards: one rank must serve each row, but row 3 is served by no rank; of 4 rows all ranks serve 3, "
            "padding apart");
  EXPECT_EQ(told(3, {{0, 0}, {1, 2}}),
            "check_shards: one rank must serve each row, but row 0 is served by rank 0 (2 times); of 3 rows all ranks "
            "serve 4, padding apart");
  EXPECT_EQ(told(2, {{0}, {1, 7}}),
            "check_shards: one rank must serve each row, but row 7 is served by rank 1; of 2 rows all ranks serve 3, "
            "padding apart");
  EXPECT_EQ(told(4, {{}, {0, 1, 2, 3}}), "nothing was thrown");
}

TEST(CheckShards, FindsOneRowAmongMany) {
  constexpr int64_t kRows = 100'000;
  std::vector<std::vector<int64_t>> rows(3);
  for (int64_t i = 0; i < kRows; ++i) rows[static_cast<std::size_t>(i % 3)].push_back(i);
  EXPECT_EQ(told(kRows, rows), "nothing was thrown");
  std::replace(rows[2].begin(), rows[2].end(), int64_t{54'323}, int64_t{54'321});  // one is lost, one comes twice
  EXPECT_EQ(
      told(kRows, rows),
      "check_shards: one rank must serve each row, but row 54321 is served by rank 0 and rank 2; of 100000 rows all "
      "ranks serve 100000, padding apart");
}

TEST(CheckShards, FindsLoadersThatServeTheSame) {  // U25: no sampler, or each rank as rank 0
  run_ranks(2, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const DataLoader no_sampler(numbered(10), {.batch_size = 2, .shuffle = true});
    EXPECT_NE(message_of([&] { check_shards(no_sampler, group); }).find("is served by rank 0 and rank 1; of 10 rows"),
              std::string::npos);
    const DataLoader as_one(numbered(10), {.batch_size = 2, .sampler = DistributedSampler(10, 2, 0)});
    EXPECT_NE(message_of([&] { check_shards(as_one, group); }).find("is served by rank 0 and rank 1; of 10 rows"),
              std::string::npos);
    const DistributedSampler seeds(10, group, {.seed = group.rank()});
    EXPECT_NE(message_of([&] { check_shards(seeds, group); }).find("is served by rank"), std::string::npos);
    const DistributedSampler sizes(10 + group.rank(), group);
    EXPECT_EQ(message_of([&] { check_shards(sizes, group); }),
              "check_shards: all ranks must share one data set, but rank 0 has 10 rows, rank 1 11");
    const auto other = numbered(10).ordered_by(5, [&](int64_t) {
      return group.rank() == 0 ? std::vector<int64_t>{0, 1, 2, 3, 4} : std::vector<int64_t>{5, 6, 7, 8, 9};
    });
    const DataLoader others(other, {.batch_size = 2, .sampler = DistributedSampler(5, group)});
    EXPECT_EQ(message_of([&] { check_shards(others, group); }),
              "check_shards: all ranks must share one data set, but rank 0 has 5 rows, rank 1 others");
  });
}

TEST(CheckShards, WarnsOfUnequalNumbersOfBatches) {
  testing::CapturedLog log;
  run_ranks(2, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const auto parts = data::concatenate(std::vector<Dataset>{numbered(6), numbered(2)});
    check_shards(DataLoader(parts, {.batch_size = 2, .sampler = data::shard(parts, group, {.by = "file"})}), group);
  });
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(log.warnings()[0],
            "check_shards: ranks have from 1 to 3 batches in an epoch; run the loop in DistributedDataParallel's join");
}

void expect_receipt(const EpochReceipt& got, const EpochReceipt& want) {
  EXPECT_EQ(got.epoch, want.epoch);
  EXPECT_EQ(got.rows, want.rows);
  EXPECT_EQ(got.earlier, want.earlier);
  EXPECT_EQ(got.padding, want.padding);
  EXPECT_EQ(got.left_out, want.left_out);
}

TEST(CheckReceipt, EachRowOnce) {
  run_ranks(4, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    // 10 rows: 3 on each rank, of which 2 are padding; or 2, of which a batch of 2 takes all; or, by 3, none is whole.
    DataLoader padded(numbered(10), {.batch_size = 2, .sampler = DistributedSampler(10, group), .workers = 2});
    DataLoader dropped(numbered(10), {.batch_size = 2, .sampler = DistributedSampler(10, group, {.drop_last = true})});
    DataLoader whole(numbered(10), {.batch_size = 2, .sampler = DistributedSampler(10, group), .drop_last = true});
    DataLoader few(numbered(2), {.batch_size = 2, .sampler = DistributedSampler(2, group)});
    for (const int64_t epoch : {0, 1, 5}) {
      for (auto* loader : {&padded, &dropped, &whole, &few}) serve(*loader, epoch);
      expect_receipt(check_receipt(padded, group), {.epoch = epoch, .rows = 10, .padding = 2});
      expect_receipt(check_receipt(dropped, group), {.epoch = epoch, .rows = 8, .left_out = 2});
      expect_receipt(check_receipt(whole, group), {.epoch = epoch, .rows = 8, .left_out = 2});
      expect_receipt(check_receipt(few, group), {.epoch = epoch, .rows = 2, .padding = 2});
    }
  });
}

TEST(CheckReceipt, ByFileAndOfAPart) {
  testing::CapturedLog log;
  run_ranks(2, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const auto files = data::concatenate(std::vector<Dataset>{numbered(3), numbered(4), numbered(2)}).take(8);
    DataLoader loader(files, {.batch_size = 2, .sampler = data::shard(files, group, {.by = "file"})});
    serve(loader, 0);
    expect_receipt(check_receipt(loader, group), {.epoch = 0, .rows = 8});
  });
}

TEST(CheckReceipt, OfAResumedLoader) {
  run_ranks(2, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const data::DataLoaderOptions options{.batch_size = 2, .sampler = DistributedSampler(11, group)};
    for (const int64_t batches : {0, 1, 2, 3}) {
      DataLoader loader(numbered(11), options), again(numbered(11), options);
      int64_t taken = 0;
      const auto epoch = loader.epoch(4);
      for (auto it = epoch.begin(); taken < batches; ++taken, ++it) {
      }
      serve(again, loader.state().epoch, batches);
      // Of 6 on each rank rank 1 has a row of padding, the last.
      expect_receipt(check_receipt(again, group), {.epoch = 4,
                                                   .rows = batches == 3 ? 0 : 11 - 4 * batches,
                                                   .earlier = batches == 3 ? 11 : 4 * batches,
                                                   .padding = 1});
    }
  });
}

TEST(CheckReceipt, NamesTheRankThatIsElsewhere) {  // U21
  run_ranks(2, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const data::DataLoaderOptions options{.batch_size = 2, .sampler = DistributedSampler(10, group)};
    DataLoader loader(numbered(10), options);
    EXPECT_EQ(message_of([&] { check_receipt(loader, group); }), "check_receipt: rank 0 has served no epoch");
    serve(loader, group.rank());
    EXPECT_EQ(message_of([&] { check_receipt(loader, group); }),
              "check_receipt: all ranks must be in one epoch, but rank 0 is in epoch 0, rank 1 in 1");
    for (auto [x, y] : loader.epoch(2)) {
      if (group.rank() == 1) break;
    }
    EXPECT_EQ(message_of([&] { check_receipt(loader, group); }),
              "check_receipt: epoch 2 has not ended, rank 1 was served 1 of its 3 batches");
    DataLoader all_rows(numbered(10), {.batch_size = 5});
    serve(all_rows, 0);
    EXPECT_EQ(
        message_of([&] { check_receipt(all_rows, group); }),
        "check_shards: one rank must serve each row, but row 0 is served by rank 0 and rank 1; of 10 rows all ranks "
        "serve 20, padding apart");
  });
}

}  // namespace
}  // namespace tandem::distribute
