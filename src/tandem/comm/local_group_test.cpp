// Collectives among the threads of one process.
#include "tandem/comm/local_group.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using testing::run_ranks;

// What rank r brings: whole numbers small enough that every type adds them up exactly.
Tensor brought(int64_t rank, int64_t count, at::ScalarType type) {
  return at::arange(count, at::kLong).add(rank).remainder(5).to(type);
}

TEST(LocalGroup, AllReduceIsExactForEveryType) {
  for (const auto type :
       {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    for (const int64_t n : {1, 2, 3, 5, 8}) {
      for (const int64_t count : {0, 1, 7, 64, 1001, 70000}) {
        Tensor want = brought(0, count, type).to(at::kLong);
        for (int64_t r = 1; r < n; ++r) want += brought(r, count, type).to(at::kLong);
        run_ranks(n, [&](Communicator& communicator) {
          Tensor mine = brought(communicator.rank(), count, type);
          communicator.all_reduce(mine);
          if (!at::equal(mine.to(at::kLong), want))
            throw InternalError(c10::str(type, " on ", n, " ranks, ", count, " elements"));
        });
      }
    }
  }
}

TEST(LocalGroup, EveryRankGetsTheSameBitsInTheOrderOfRanks) {
  constexpr int64_t kRanks = 5, kCount = 12345;
  std::vector<Tensor> inputs, results(kRanks);
  for (int64_t r = 0; r < kRanks; ++r) inputs.push_back(at::randn({kCount}) * std::pow(10.0, r));
  Tensor want = inputs[0].clone();
  for (int64_t r = 1; r < kRanks; ++r) want += inputs[static_cast<std::size_t>(r)];
  for (int repeat = 0; repeat < 3; ++repeat) {
    run_ranks(kRanks, [&](Communicator& communicator) {
      const auto r = static_cast<std::size_t>(communicator.rank());
      results[r] = inputs[r].clone();
      communicator.all_reduce(results[r]);
    });
    for (const auto& result : results) EXPECT_TRUE(at::equal(result, want));
  }
}

TEST(LocalGroup, StridesAreKept) {
  run_ranks(3, [](Communicator& communicator) {
    Tensor kernel = at::full({2, 3, 4, 5}, static_cast<float>(communicator.rank() + 1)).permute({3, 0, 1, 2});
    const auto strides = kernel.strides().vec();
    communicator.all_reduce(kernel);
    if (!at::equal(kernel, at::full({5, 2, 3, 4}, 6.0F)) || kernel.strides() != strides)
      throw InternalError("a permuted tensor was not added up");
  });
}

TEST(LocalGroup, BroadcastCopiesTheRoot) {
  for (const int64_t root : {0, 2, 3}) {
    run_ranks(4, [&](Communicator& communicator) {
      Tensor mine = at::full({37}, static_cast<double>(communicator.rank()));
      communicator.broadcast(mine, root);
      if (!at::equal(mine, at::full({37}, static_cast<double>(root)))) throw InternalError("not the root's values");
      Tensor flag = at::full({1}, communicator.rank() == root, at::kBool);
      communicator.broadcast(flag, root);
      if (!flag.item<bool>()) throw InternalError("not the root's flag");
    });
  }
}

TEST(LocalGroup, BytesAreCountedByTheFormula) {
  // Cut at cache lines of 64 elements: 3 ranks of 200 elements sum 64, 64 and 72. A rank gives its addends of the
  // others' slices once, and its sums to each of the others.
  LocalGroup group(3);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < 3; ++r) {
    threads.emplace_back([&group, r] {
      Tensor sum = at::ones({200}), message = at::ones({10}, at::kDouble);
      group.rank(r).all_reduce(sum);
      group.rank(r).broadcast(message, 1);
    });
  }
  for (auto& thread : threads) thread.join();
  const int64_t slices[] = {64, 64, 72};
  for (int64_t r = 0; r < 3; ++r) {
    EXPECT_EQ(group.rank(r).bytes_sent(), 4 * ((200 - slices[r]) + 2 * slices[r]) + (r == 1 ? 2 * 80 : 0)) << r;
    EXPECT_GE(group.rank(r).seconds_waiting(), 0);
    EXPECT_GT(group.rank(r).seconds_moving(), 0);
  }
  LocalGroup alone(1);
  Tensor x = at::ones({4});
  alone.rank(0).all_reduce(x);
  EXPECT_EQ(alone.rank(0).bytes_sent(), 0);
}

TEST(LocalGroup, BarrierLetsNobodyThroughEarly) {
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

TEST(LocalGroup, ArgumentsThatCannotWork) {
  EXPECT_EQ(message_of([] { LocalGroup(0); }), "LocalGroup: world_size must be at least 1, got 0");
  LocalGroup alone(1);
  Tensor one = at::ones({1});
  EXPECT_EQ(message_of([&] { alone.rank(0).broadcast(one, 1); }), "broadcast: root must be in [0, 1), got 1");
  Tensor gaps = at::ones({4, 4}).slice(1, 0, 2), flags = at::ones({2}, at::kBool);
  EXPECT_NE(message_of([&] { alone.rank(0).all_reduce(gaps); }).find("dense"), std::string::npos);
  EXPECT_EQ(message_of([&] { alone.rank(0).all_reduce(flags); }), "all_reduce: must get numbers that add up, got Bool");
}

TEST(LocalGroup, TensorsThatDifferAreNamedOnEveryRank) {
  LocalGroup group(3);
  std::vector<std::string> messages(3);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < 3; ++r) {
    threads.emplace_back([&, r] {
      Tensor mine = at::ones({r == 1 ? 5 : 4});
      messages[static_cast<std::size_t>(r)] = message_of([&] { group.rank(r).all_reduce(mine); });
      Tensor after = at::ones({2});
      group.rank(r).all_reduce(after);  // the group goes on working
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(messages[0],
            "all_reduce: rank 0 brought Float of sizes [4] and strides [1], rank 1 Float of sizes [5] and strides [1]; "
            "they must be equal");
  EXPECT_EQ(messages[1],
            "all_reduce: rank 1 brought Float of sizes [5] and strides [1], rank 0 Float of sizes [4] and strides [1]; "
            "they must be equal");
  EXPECT_NE(messages[2].find("rank 1"), std::string::npos);
  EXPECT_NE(message_of([] {
              run_ranks(2, [](Communicator& c) {
                Tensor mine = c.rank() == 0 ? at::ones({2}) : at::ones({2}, at::kDouble);
                c.all_reduce(mine);
              });
            }).find("Double"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::comm
