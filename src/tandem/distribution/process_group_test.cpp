// Calls of a group of ranks, which are threads here.
#include "tandem/distribution/process_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>

#include "tandem/comm/communicator.h"
#include "tandem/comm/local_group.h"
#include "tandem/distribution/ranks_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

using testing::message_of;
using testing::run_ranks;

TEST(ProcessGroupCalls, GathersBytesOfAnyLengths) {
  for (const int64_t ranks : {1, 2, 4}) {
    run_ranks(ranks, [](comm::Communicator& communicator) {
      const auto group = group_of(communicator);
      const auto text = [](int64_t rank) { return std::string(static_cast<std::size_t>(3 * rank), 'a') + '\0'; };
      const auto all = group.all_gather_objects(group.rank() == 0 ? "" : text(group.rank()));
      ASSERT_EQ(static_cast<int64_t>(all.size()), group.world_size());
      for (int64_t r = 0; r < group.world_size(); ++r)
        EXPECT_EQ(all[static_cast<std::size_t>(r)], r == 0 ? "" : text(r)) << r;
      for (const auto& one : group.all_gather_objects("")) EXPECT_EQ(one, "");
    });
  }
}

TEST(ProcessGroupCalls, SaysWhatEachRankBroughtToGather) {
  run_ranks(3, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    EXPECT_EQ(
        message_of([&] {
          group.all_gather(at::zeros({group.rank() == 1 ? 3 : 2, 4}));
        }),
        "all_gather: all ranks must bring the same type and sizes, but rank 0 Float of sizes [2, 4], rank 1 Float "
        "of sizes [3, 4], rank 2 Float of sizes [2, 4]");
    EXPECT_EQ(group.all_gather(at::zeros({2}))[1].sizes(), at::IntArrayRef({2}));  // and goes on
  });
}

TEST(ProcessGroupCalls, Reduces) {
  run_ranks(3, [](comm::Communicator& communicator) {
    const auto group = group_of(communicator);
    const auto reduced = [&](ReduceOp op) {
      Tensor own = at::tensor({static_cast<float>(group.rank()), static_cast<float>(-5 * group.rank())});
      group.all_reduce(own, op);
      return own;
    };
    EXPECT_TRUE(reduced(ReduceOp::sum).equal(at::tensor({3.F, -15.F})));
    EXPECT_TRUE(reduced(ReduceOp::mean).equal(at::tensor({1.F, -5.F})));
    EXPECT_TRUE(reduced(ReduceOp::max).equal(at::tensor({2.F, 0.F})));
    EXPECT_TRUE(reduced(ReduceOp::min).equal(at::tensor({0.F, -10.F})));
    Tensor whole = at::ones({2}, at::kLong);
    EXPECT_EQ(message_of([&] { group.all_reduce(whole, ReduceOp::mean); }),
              "all_reduce: the mean must be of floating-point numbers, got long int");
  });
}

// U34: whatever the call, the rank that does not come is named.
TEST(ProcessGroupCalls, EachNamesTheRankThatIsMissing) {
  const std::vector<std::function<void(const ProcessGroup&)>> calls{
      [](const ProcessGroup& group) { group.barrier(); },
      [](const ProcessGroup& group) {
        Tensor t = at::zeros({2});
        group.all_reduce(t);
      },
      [](const ProcessGroup& group) {
        Tensor t = at::zeros({2});
        group.all_reduce(t, ReduceOp::max);
      },
      [](const ProcessGroup& group) { group.all_gather(at::zeros({2})); },
      [](const ProcessGroup& group) { group.all_gather_objects("a"); },
      [](const ProcessGroup& group) {
        Tensor t = at::zeros({2});
        group.broadcast(t, 1);
      },
      [](const ProcessGroup& group) { group.broadcast_object("a", 1); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    run_ranks(
        2,
        [&](comm::Communicator& communicator) {
          if (communicator.rank() == 1) return;
          const auto message = message_of<PeerError>([&] { calls[i](group_of(communicator)); });
          EXPECT_NE(message.find("rank 1"), std::string::npos) << i << ": " << message;
        },
        0.2);
  }
}

}  // namespace
}  // namespace tandem::distribute
