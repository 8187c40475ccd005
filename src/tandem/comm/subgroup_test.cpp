// Communicators of some of the ranks.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::run_ranks;

TEST(Subgroup, AMeshOfRowsAndColumns) {
  // Ranks 0 to 5 as two rows of three.
  run_ranks(6, [](Communicator& communicator) {
    const int64_t row = communicator.rank() / 3, column = communicator.rank() % 3;
    const auto along_row = communicator.subgroup({3 * row, 3 * row + 1, 3 * row + 2});
    const auto along_column = communicator.subgroup({column, column + 3});
    if (along_row->rank() != column || along_row->world_size() != 3 || along_column->rank() != row ||
        along_column->world_size() != 2)
      throw InternalError("not the place in the sub-group");
    for (int round = 0; round < 20; ++round) {
      for (const int64_t count : {3, 5000}) {
        Tensor in_row = at::full({count}, static_cast<double>(communicator.rank()));
        Tensor in_column = in_row.clone(), everywhere = in_row.clone();
        Pending pending = along_row->all_reduce_async(in_row);
        along_column->all_reduce(in_column);
        communicator.all_reduce(everywhere);
        pending.wait();
        const auto filled = [&](int64_t value) { return at::full({count}, static_cast<float>(value)); };
        if (!at::equal(in_row, filled(9 * row + 3)) || !at::equal(in_column, filled(2 * column + 3)) ||
            !at::equal(everywhere, filled(15)))
          throw InternalError("not the sum of the sub-group");
      }
    }
    if (along_column->bytes_sent() == 0) throw InternalError("a sub-group counts for itself");
  });
}

TEST(Subgroup, OrderCopiesAndSubgroupsOfSubgroups) {
  run_ranks(4, [](Communicator& communicator) {
    if (communicator.rank() == 0) return;
    const auto group = communicator.subgroup({3, 1, 2});  // in this order
    const int64_t place = communicator.rank() % 3;
    if (group->rank() != place) throw InternalError("not in the order that was asked for");
    Tensor x = at::full({2}, static_cast<float>(communicator.rank()));
    group->broadcast(x, 0);
    if (x[0].item<float>() != 3) throw InternalError("the root is not rank 3");
    // Two of the same ranks are two communicators.
    const auto again = communicator.subgroup({3, 1, 2});
    Tensor mine = at::ones({1}), other = at::ones({1});
    Pending pending = group->all_reduce_async(mine);
    again->all_reduce(other);
    pending.wait();
    if (mine.item<float>() != 3 || other.item<float>() != 3) throw InternalError("not three ranks");
    if (place == 0) return;
    const auto pair = group->subgroup({1, 2});  // ranks 1 and 2 of all
    Tensor sum = at::full({1}, static_cast<float>(communicator.rank()));
    pair->all_reduce(sum);
    if (sum.item<float>() != 3 || pair->world_size() != 2) throw InternalError("not the pair");
    if (place == 1) pair->send(sum, 1);
    if (place == 2) pair->recv(sum, 0);
  });
}

TEST(Subgroup, ArgumentsThatCannotWork) {
  LocalGroup group(3);
  const auto message = [&](const std::vector<int64_t>& ranks) {
    return message_of<InvalidArgument>([&] { group.rank(1).subgroup(ranks); });
  };
  EXPECT_EQ(message({0, 2}), "subgroup on rank 1: must be called by its ranks only, got [0, 2]");
  EXPECT_EQ(message({}), "subgroup on rank 1: must be called by its ranks only, got []");
  EXPECT_EQ(message({1, 3}), "subgroup on rank 1: ranks must be in [0, 3), got [1, 3]");
  EXPECT_EQ(message({1, -1}), "subgroup on rank 1: ranks must be in [0, 3), got [1, -1]");
  EXPECT_EQ(message({1, 2, 1}), "subgroup on rank 1: ranks must be different, got [1, 2, 1]");
}

TEST(Subgroup, MissingRanksAreNamedByTheirNumbersInTheWholeGroup) {
  LocalGroup group(4, 0.2);
  const auto pair = group.rank(1).subgroup({1, 3});
  Tensor x = at::ones({3});
  EXPECT_EQ(message_of<PeerError>([&] { pair->all_reduce(x, {.what = "bucket 2"}); }),
            "rank 1 of 4: stopped, rank 1: waited 0.2 s in all_reduce of bucket 2 "
            "for rank 3");
}

TEST(Subgroup, AbortOfTheGroupReachesItAndResetToo) {
  LocalGroup group(3);  // limit: 600 s
  const auto first = group.rank(0).subgroup({0, 2}), second = group.rank(2).subgroup({0, 2});
  Tensor left = at::ones({3000});
  Pending pending = first->all_reduce_async(left);
  std::string message;
  std::thread waiting([&] { message = message_of<PeerError>([&] { first->barrier(); }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto start = std::chrono::steady_clock::now();
  group.abort("rank 1 has failed");
  waiting.join();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1);
  EXPECT_EQ(message, "rank 0 of 3: stopped, rank 1 has failed");
  EXPECT_EQ(message_of<PeerError>([&] { second->barrier(); }), "rank 2 of 3: stopped, rank 1 has failed");
  group.reset();
  Tensor sums[2] = {at::ones({3000}), at::ones({3000})};
  std::thread other([&] { second->all_reduce_async(sums[1]).wait(); });
  first->all_reduce_async(sums[0]).wait();
  other.join();
  for (const auto& sum : sums) EXPECT_TRUE(at::equal(sum, at::full({3000}, 2.0F)));
}

}  // namespace
}  // namespace tandem::comm
