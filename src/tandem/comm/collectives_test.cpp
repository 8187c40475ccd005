// Collectives other than all-reduce among the threads of one process.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tandem/comm/local_group.h"
#include "tandem/comm/started_broadcasts_test.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::run_ranks;

TEST(Collectives, BroadcastsGoOn) { run_ranks(3, expect_broadcasts_go_on); }

TEST(Collectives, BroadcastCopiesTheRoot) {
  for (int64_t n = 1; n <= 8; ++n) {
    for (int64_t root = 0; root < n; ++root) {
      run_ranks(n, [&](Communicator& communicator) {
        for (const int64_t count : {0, 37, 50'000}) {
          Tensor mine = at::full({count}, static_cast<double>(communicator.rank()));
          communicator.broadcast(mine, root);
          if (!at::equal(mine, at::full({count}, static_cast<double>(root)))) throw InternalError("not the root's");
        }
        Tensor flag = at::full({1}, communicator.rank() == root, at::kBool);
        communicator.broadcast(flag, root);
        if (!flag.item<bool>()) throw InternalError("not the root's flag");
      });
    }
  }
}

TEST(Collectives, ReduceScatterGivesEachItsSlice) {
  for (int64_t n = 1; n <= 8; ++n) {
    run_ranks(n, [&](Communicator& communicator) {
      const int64_t r = communicator.rank();
      for (const int64_t rows : {0, 1, 33, 9001}) {
        for (const auto type : {at::kFloat, at::kLong, at::kBFloat16}) {
          const Tensor numbers = at::arange(n * rows * 2, at::kLong).remainder(3).view({n * rows, 2});
          const Tensor whole = numbers.add(r % 2).to(type), before = whole.clone();
          Tensor part = at::empty({rows, 2}, type);
          communicator.reduce_scatter(whole, part);
          const Tensor want = numbers.narrow(0, r * rows, rows).mul(n).add(n / 2);
          if (!at::equal(part.to(at::kLong), want)) throw InternalError(c10::str(n, " ranks, ", rows, " rows"));
          if (!at::equal(whole, before)) throw InternalError("the addends were changed");
        }
      }
    });
  }
}

TEST(Collectives, AllGatherPutsThePartsInTheirOrder) {
  for (int64_t n = 1; n <= 8; ++n) {
    run_ranks(n, [&](Communicator& communicator) {
      for (const int64_t rows : {0, 1, 33, 9001}) {
        const Tensor want = at::arange(n * rows * 2, at::kInt).view({n * rows, 2});
        const Tensor part = want.narrow(0, communicator.rank() * rows, rows).clone();
        Tensor whole = at::zeros({n * rows, 2}, at::kInt);
        communicator.all_gather(part, whole);
        if (!at::equal(whole, want)) throw InternalError(c10::str(n, " ranks, ", rows, " rows"));
      }
    });
  }
}

TEST(Collectives, ReduceScatterAndAllGatherWorkWithinOneBuffer) {
  // As an optimizer uses them whose state is divided over the ranks.
  run_ranks(4, [](Communicator& communicator) {
    for (const int64_t rows : {5, 4096}) {
      Tensor buffer = at::arange(4 * rows).to(at::kFloat).add(static_cast<float>(communicator.rank()));
      Tensor part = buffer.narrow(0, communicator.rank() * rows, rows);
      communicator.reduce_scatter(buffer, part);
      communicator.all_gather(part, buffer);
      if (!at::equal(buffer, at::arange(4 * rows).to(at::kFloat) * 4 + 6)) throw InternalError("not the sum");
    }
  });
}

TEST(Collectives, BarrierLetsNobodyThroughEarly) {
  std::atomic<int> arrived{0};
  run_ranks(4, [&](Communicator& communicator) {
    for (int round = 1; round <= 200; ++round) {
      ++arrived;
      communicator.barrier();
      if (arrived.load() < 4 * round) throw InternalError("a rank went through before all had come");
      communicator.barrier();
    }
  });
}

TEST(Collectives, ArgumentsThatCannotWork) {
  EXPECT_EQ(message_of([] { LocalGroup(0); }), "LocalGroup: world_size must be at least 1, got 0");
  EXPECT_EQ(message_of([] { LocalGroup(2, 0); }), "LocalGroup: limit_seconds must be positive, got 0");
  LocalGroup alone(1);
  auto& c = alone.rank(0);
  Tensor one = at::ones({1}), gaps = at::ones({4, 4}).slice(1, 0, 2), flags = at::ones({2}, at::kBool), none;
  EXPECT_EQ(message_of([&] { c.broadcast(one, 1); }), "broadcast: root must be in [0, 1), got 1");
  EXPECT_NE(message_of([&] { c.all_reduce(gaps); }).find("dense"), std::string::npos);
  EXPECT_NE(message_of([&] { c.all_reduce(none); }).find("undefined"), std::string::npos);
  EXPECT_EQ(message_of([&] { c.all_reduce(flags); }), "all_reduce: must get numbers that add up, got Bool");
  EXPECT_EQ(message_of([&] { c.all_reduce_async(flags); }), "all_reduce_async: must get numbers that add up, got Bool");
  LocalGroup pair(2);
  Tensor three = at::ones({3});
  EXPECT_EQ(message_of([&] { pair.rank(0).reduce_scatter(three, one); }),
            "reduce_scatter: whole must be contiguous and hold 2 times the "
            "elements of part, got Float of sizes [3] and "
            "Float of sizes [1]");
  EXPECT_NE(message_of([&] { pair.rank(0).all_gather(one, three); }).find("all_gather: whole must"), std::string::npos);
  EXPECT_EQ(message_of([&] { pair.rank(0).send(one, 0); }), "send on rank 0: must name another rank in [0, 2), got 0");
  EXPECT_EQ(message_of([&] { pair.rank(1).recv(one, 2); }), "recv on rank 1: must name another rank in [0, 2), got 2");
}

}  // namespace
}  // namespace tandem::comm
