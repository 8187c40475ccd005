// Failures and time limits while operations are in progress.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

using testing::message_of;

TEST(FailureInProgress, TimeLimitNamesTheOperationAndWhoDidNotStartIt) {
  for (const auto algorithm : {Algorithm::direct, Algorithm::ring, Algorithm::tree}) {
    LocalGroup group(3, 0.2);
    std::vector<std::string> messages(3);
    std::vector<std::thread> threads;
    for (int64_t r = 0; r < 3; ++r) {
      threads.emplace_back([&, r] {
        messages[static_cast<std::size_t>(r)] = message_of<PeerError>([&] {
          Tensor first = at::ones({2000}), second = at::ones({2000});
          Pending one = group.rank(r).all_reduce_async(first, {.algorithm = algorithm, .what = "bucket 0"});
          Pending two;
          if (r != 2) two = group.rank(r).all_reduce_async(second, {.algorithm = algorithm, .what = "bucket 1"});
          one.wait();
          two.wait();
        });
      });
    }
    for (auto& thread : threads) thread.join();
    const std::string call = c10::str("waited 0.2 s in all_reduce by ", name_of(algorithm));
    for (std::size_t r : {0, 1}) EXPECT_TRUE(messages[r].ends_with(call + " of bucket 1 for rank 2")) << messages[r];
    EXPECT_EQ(messages[2], "nothing was thrown");
  }
}

TEST(FailureInProgress, AFullLineOfOperationsHasALimitToo) {
  LocalGroup group(2, 0.2);
  std::vector<Tensor> tensors;
  std::vector<Pending> pending;
  for (int i = 0; i < 65; ++i) tensors.push_back(at::ones({3}));
  const auto message = message_of<PeerError>([&] {
    for (auto& tensor : tensors) pending.push_back(group.rank(0).all_reduce_async(tensor));
  });
  EXPECT_TRUE(message.ends_with("waited 0.2 s in all_reduce for rank 1, while 64 were in progress")) << message;
  EXPECT_EQ(pending.size(), 64U);
}

TEST(FailureInProgress, AbortEndsOperationsInFlightAndResetDropsThem) {
  LocalGroup group(3);  // limit: 600 s
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> messages(3);
    std::vector<Pending> left_over(3);
    std::latch all_started(3);
    std::vector<std::thread> threads;
    for (int64_t r = 0; r < 3; ++r) {
      threads.emplace_back([&, r] {
        const auto i = static_cast<std::size_t>(r);
        auto& communicator = group.rank(r);
        Tensor first = at::ones({50'000}), second = at::ones({50'000});  // freed while others may be at work
        left_over[i] = communicator.all_reduce_async(first);
        all_started.arrive_and_wait();
        messages[i] = message_of<PeerError>([&] {
          if (r == 1) {
            group.abort("rank 1 has failed");
          } else {
            communicator.all_reduce_async(second).wait();
            communicator.barrier();
          }
        });
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(messages[0], "rank 0 of 3: stopped, rank 1 has failed");
    EXPECT_EQ(messages[1], "nothing was thrown");
    EXPECT_EQ(messages[2], "rank 2 of 3: stopped, rank 1 has failed");
    group.reset();
    EXPECT_TRUE(left_over[0].advance());
    EXPECT_NE(message_of<PeerError>([&] { left_over[0].wait(); }).find("was given up"), std::string::npos);
    threads.clear();
    std::vector<Tensor> sums(3);
    for (int64_t r = 0; r < 3; ++r) {
      threads.emplace_back([&, r] {
        auto& sum = sums[static_cast<std::size_t>(r)];
        sum = at::ones({4000});
        Pending pending = group.rank(r).all_reduce_async(sum);
        left_over[static_cast<std::size_t>(r)] = {};  // does not touch the operation that is there now
        group.rank(r).barrier();
        pending.wait();
      });
    }
    for (auto& thread : threads) thread.join();
    for (const auto& sum : sums) EXPECT_TRUE(at::equal(sum, at::full({4000}, 3.0F)));
  }
}

TEST(FailureInProgress, MemoryOfARankThatLeavesIsNotTouchedAnyMore) {
  // Abort at a moment of its own in each round, while large additions are under way; then the tensor is written at
  // once.
  for (int round = 0; round < 30; ++round) {
    LocalGroup group(2);
    std::thread other([&] {
      Tensor x = at::ones({2'000'000});
      message_of<PeerError>([&] {
        while (true) group.rank(1).all_reduce(x);
      });
    });
    std::thread failing([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
      group.abort("once");
    });
    Tensor x = at::ones({2'000'000});
    message_of<PeerError>([&] {
      while (true) group.rank(0).all_reduce(x);
    });
    x.fill_(7.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(at::equal(x, at::full({2'000'000}, 7.0F)));
    other.join();
    failing.join();
  }
}

}  // namespace
}  // namespace tandem::comm
