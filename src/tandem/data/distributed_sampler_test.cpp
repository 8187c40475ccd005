#include "tandem/data/distributed_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tandem/data/message_of_test.h"

namespace tandem::data {
namespace {

using Rows = std::vector<int64_t>;

// All ranks' rows of an epoch.
std::vector<Rows> orders(int64_t size, int64_t ranks, int64_t epoch, DistributedSamplerOptions options = {}) {
  std::vector<Rows> all;
  for (int64_t rank = 0; rank < ranks; ++rank)
    all.push_back(DistributedSampler(size, ranks, rank, options).order(epoch));
  return all;
}

std::map<int64_t, int> counts(const std::vector<Rows>& orders) {
  std::map<int64_t, int> counts;
  for (const auto& rows : orders) {
    for (const auto row : rows) ++counts[row];
  }
  return counts;
}

TEST(DistributedSampler, RanksShareTheRowsAnewInEachEpoch) {  // U20
  std::set<std::vector<Rows>> seen;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto all = orders(8, 2, epoch, {.seed = 1});
    const auto times = counts(all);
    EXPECT_EQ(times.size(), 8U);
    for (const auto& [row, n] : times) EXPECT_EQ(n, 1) << row;
    EXPECT_EQ(all, orders(8, 2, epoch, {.seed = 1}));
    EXPECT_NE(all, orders(8, 2, epoch, {.seed = 2}));
    seen.insert(all);
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST(DistributedSampler, InOrderWithoutShuffling) {
  EXPECT_EQ(orders(6, 2, 5, {.shuffle = false}), (std::vector<Rows>{{0, 2, 4}, {1, 3, 5}}));
}

TEST(DistributedSampler, ServesTheFirstRowsTwiceWhereTheyDoNotDivide) {
  EXPECT_EQ(orders(7, 3, 0, {.shuffle = false}), (std::vector<Rows>{{0, 3, 6}, {1, 4, 0}, {2, 5, 1}}));
  for (int64_t size = 1; size < 20; ++size) {
    for (int64_t ranks = 1; ranks < 9; ++ranks) {
      const auto all = orders(size, ranks, 1);
      for (const auto& rows : all) EXPECT_EQ(static_cast<int64_t>(rows.size()), (size + ranks - 1) / ranks);
      EXPECT_EQ(static_cast<int64_t>(counts(all).size()), size);
    }
  }
}

TEST(DistributedSampler, EachRowOnceWhereRanksNeedNotHaveAsMany) {  // U22: 10 rows on 4 ranks
  EXPECT_EQ(orders(10, 4, 0, {.shuffle = false, .even = false}),
            (std::vector<Rows>{{0, 4, 8}, {1, 5, 9}, {2, 6}, {3, 7}}));
  const auto times = counts(orders(10, 4, 3, {.even = false}));
  EXPECT_EQ(times.size(), 10U);
  for (const auto& [row, n] : times) EXPECT_EQ(n, 1) << row;
  EXPECT_EQ(DistributedSampler(10, 4, 3, {.even = false}).padding(), 0);
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(3, 4, 0, {.even = false}); }),
            "DistributedSampler: there must be at least 4 rows, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(8, 4, 0, {.drop_last = true, .even = false}); }),
            "DistributedSampler: drop_last leaves rows out so that all ranks have as many; even must be true");
}

TEST(DistributedSampler, MoreRanksThanRows) {
  EXPECT_EQ(orders(2, 5, 0, {.shuffle = false}), (std::vector<Rows>{{0}, {1}, {0}, {1}, {0}}));
}

TEST(DistributedSampler, DroppedRowsComeInTheNextEpochs) {
  for (const bool shuffle : {false, true}) {
    std::set<int64_t> served;
    for (int64_t epoch = 0; epoch < 12; ++epoch) {
      const auto times = counts(orders(7, 3, epoch, {.shuffle = shuffle, .drop_last = true}));
      EXPECT_EQ(times.size(), 6U);
      for (const auto& [row, n] : times) served.insert(row);
    }
    EXPECT_EQ(served.size(), 7U);
  }
  // In order, two epochs in a row leave different rows out.
  EXPECT_EQ(counts(orders(7, 3, 0, {.shuffle = false, .drop_last = true})).count(6), 0U);
  EXPECT_EQ(counts(orders(7, 3, 1, {.shuffle = false, .drop_last = true})).count(6), 1U);
}

// Over all ranks, what is served or left out is each row once.
TEST(DistributedSampler, SharesAddUp) {
  for (const bool drop_last : {false, true}) {
    for (const bool shuffle : {false, true}) {
      for (int64_t size = 1; size < 12; ++size) {
        for (int64_t ranks = 1; ranks <= (drop_last ? size : 15); ++ranks) {
          std::vector<Rows> accounted_for;
          int64_t padding = 0;
          for (int64_t rank = 0; rank < ranks; ++rank) {
            const DistributedSampler sampler(size, ranks, rank, {.shuffle = shuffle, .drop_last = drop_last});
            const auto share = sampler.share(2);
            auto all = share.rows;
            all.insert(all.end(), share.padding.begin(), share.padding.end());
            EXPECT_EQ(all, sampler.order(2));
            EXPECT_EQ(static_cast<int64_t>(share.padding.size()), sampler.padding());
            EXPECT_EQ(static_cast<int64_t>(share.all.size()), size);
            accounted_for.push_back(share.rows);
            accounted_for.push_back(share.left_out);
            padding += sampler.padding();
          }
          const auto times = counts(accounted_for);
          EXPECT_EQ(static_cast<int64_t>(times.size()), size) << size << " rows, " << ranks << " ranks";
          for (const auto& [row, n] : times) EXPECT_EQ(n, 1) << row;
          EXPECT_EQ(padding, drop_last ? 0 : (size + ranks - 1) / ranks * ranks - size);
        }
      }
    }
  }
}

TEST(DistributedSampler, TakesItsPlaceFromAGroup) {
  struct Group {
    int64_t rank() const { return 1; }
    int64_t world_size() const { return 2; }
  };
  EXPECT_EQ(DistributedSampler(4, Group(), {.shuffle = false}).order(0), (Rows{1, 3}));
}

TEST(DistributedSampler, RefusesWhatCannotBe) {
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(4, 0, 0); }),
            "DistributedSampler: num_replicas must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(4, 2, 2); }),
            "DistributedSampler: rank must be below num_replicas, 2, got 2");
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(0, 2, 1); }),
            "DistributedSampler: there must be at least 1 rows, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { DistributedSampler(3, 4, 1, {.drop_last = true}); }),
            "DistributedSampler: there must be at least 4 rows, got 3");
}

}  // namespace
}  // namespace tandem::data
