// A rank that is late or fails never leaves the others waiting.
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

using Clock = std::chrono::steady_clock;
using testing::message_of;

double elapsed(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string barrier_message(LocalGroup& group, int64_t rank) {
  return message_of<PeerError>([&] { group.rank(rank).barrier(); });
}

TEST(LocalFailure, TimeLimitNamesTheMissingRanks) {
  LocalGroup group(4, 0.2);
  std::string first, second;
  const auto start = Clock::now();
  std::thread other([&] { second = barrier_message(group, 2); });
  first = barrier_message(group, 0);
  other.join();
  EXPECT_GE(elapsed(start), 0.19);
  for (const auto& message : {first, second}) {
    EXPECT_NE(message.find("waited 0.2 s in barrier for rank 1, 3"), std::string::npos) << message;
  }
  // Who comes late is told at once: it does not say that it waited.
  EXPECT_NE(barrier_message(group, 1).find("rank 1 of 4: stopped"), std::string::npos);
}

TEST(LocalFailure, TimeLimitNamesARankThatStoppedAfterSomeRounds) {
  std::vector<std::string> messages(3);
  LocalGroup group(3, 0.2);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < 3; ++r) {
    threads.emplace_back([&, r] {
      for (int64_t round = 0; round < (r == 1 ? 5 : 6); ++round)
        messages[static_cast<std::size_t>(r)] = barrier_message(group, r);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(messages[1], "nothing was thrown");
  for (std::size_t r : {0, 2}) {
    EXPECT_TRUE(messages[r].ends_with("waited 0.2 s in barrier for rank 1")) << messages[r];
  }
}

TEST(LocalFailure, AbortWakesTheWaitingAtOnce) {
  LocalGroup group(3);  // limit: 600 s
  std::vector<std::string> messages(2);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < 2; ++r)
    threads.emplace_back([&, r] { messages[static_cast<std::size_t>(r)] = barrier_message(group, r); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto start = Clock::now();
  group.abort("disk full on rank 2");
  for (auto& thread : threads) thread.join();
  EXPECT_LT(elapsed(start), 60);
  EXPECT_EQ(messages[0], "rank 0 of 3: stopped, disk full on rank 2");
  EXPECT_EQ(messages[1], "rank 1 of 3: stopped, disk full on rank 2");
  group.abort("a later reason");
  EXPECT_EQ(barrier_message(group, 0), "rank 0 of 3: stopped, disk full on rank 2") << "the first reason stays";
}

TEST(LocalFailure, ResetMakesTheGroupUsable) {
  LocalGroup group(2, 5);
  std::thread waiting([&] { barrier_message(group, 0); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  group.abort("once");
  waiting.join();
  group.reset();
  Tensor sums[2] = {at::ones({3}), at::ones({3})};
  std::thread other([&] { group.rank(1).all_reduce(sums[1]); });
  group.rank(0).all_reduce(sums[0]);
  other.join();
  for (const auto& sum : sums) EXPECT_TRUE(at::equal(sum, at::full({3}, 2.0F)));
}

TEST(LocalFailure, RunRanksThrowsTheFirstFailure) {
  EXPECT_EQ(message_of<DataError>([] {  // not the PeerError of those who waited for it
              testing::run_ranks(4, [](Communicator& communicator) {
                if (communicator.rank() == 3) throw DataError("row 7 cannot be read");
                communicator.barrier();
              });
            }),
            "row 7 cannot be read");
}

}  // namespace
}  // namespace tandem::comm
