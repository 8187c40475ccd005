#include "tandem/comm/turns.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tandem/comm/local_group.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::comm {
namespace {

using testing::message_of;

// Calls act(rank) for ranks that share `turns`, each in a thread of its own that has a turn.
template <class Act>
void with_turns(LocalGroup& group, Turns& turns, Act act) {
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < group.world_size(); ++r) {
    threads.emplace_back([&, r] {
      turns.acquire();
      act(r);
      turns.release();
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Turns, NotMoreThanThatManyAtOnce) {
  EXPECT_EQ(message_of([] { Turns(0); }), "Turns: at_once must be at least 1, got 0");
  Turns turns(2);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 5; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        turns.acquire();
        const int now = ++inside;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --inside;
        turns.release();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 2);
  EXPECT_EQ(inside, 0);
  EXPECT_FALSE(turns.wanted());
}

TEST(Turns, EightRanksOnOneTurnFinishManyCollectives) {
  const auto turns = std::make_shared<Turns>(1);
  LocalGroup group(8, 60, std::vector<std::shared_ptr<Turns>>(8, turns));
  std::atomic<int> computing{0};
  std::atomic<bool> crowded{false}, wrong{false};
  with_turns(group, *turns, [&](int64_t r) {
    auto& communicator = group.rank(r);
    Tensor small = at::empty({3}), large = at::empty({5000}), later = at::empty({3000});
    for (int round = 0; round < 25; ++round) {
      if (++computing > 1) crowded = true;
      small.fill_(static_cast<double>(r));
      large.fill_(1.0);
      later.fill_(2.0);
      std::this_thread::yield();
      --computing;
      Pending pending = communicator.all_reduce_async(later);
      communicator.all_reduce(small);
      for (const auto algorithm : {Algorithm::direct, Algorithm::ring, Algorithm::tree}) {
        communicator.all_reduce(large, {.algorithm = algorithm});
      }
      communicator.broadcast(small, round % 8);
      communicator.barrier();
      pending.wait();
      if (!at::equal(small, at::full({3}, 28.0)) || !at::equal(large, at::full({5000}, 512.0)) ||
          !at::equal(later, at::full({3000}, 16.0)))
        wrong = true;
    }
  });
  EXPECT_FALSE(crowded) << "two ranks computed at once";
  EXPECT_FALSE(wrong);
  EXPECT_FALSE(turns->wanted());
}

TEST(Turns, ATurnIsTakenAgainWhenAWaitThrows) {
  const auto turns = std::make_shared<Turns>(1);
  LocalGroup group(3, 600, std::vector<std::shared_ptr<Turns>>(3, turns));
  std::atomic<int> stopped{0};
  with_turns(group, *turns, [&](int64_t r) {
    if (r == 2) {
      group.abort("out of paper");
      return;
    }
    if (message_of<PeerError>([&] { group.rank(r).barrier(); }).find("out of paper") != std::string::npos) ++stopped;
  });
  EXPECT_EQ(stopped, 2);
  std::thread only([&] { turns->acquire(); });  // would wait for ever if a turn had been lost
  only.join();
  turns->release();
}

TEST(Turns, TimeWithoutATurnIsNobodysLateness) {
  // The limit is shorter than the time for which rank 0 finds its turn taken when it wakes.
  const auto turns = std::make_shared<Turns>(1);
  LocalGroup group(2, 0.3, {turns, nullptr});
  std::string message;
  std::thread waiting([&] {
    turns->acquire();
    message = message_of<PeerError>([&] { group.rank(0).barrier(); });
    turns->release();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  turns->acquire();  // rank 0 has given it up
  group.rank(1).barrier();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  turns->release();
  waiting.join();
  EXPECT_EQ(message, "nothing was thrown");
}

TEST(Turns, OneForEachRankOrNone) {
  EXPECT_EQ(message_of([] { LocalGroup(3, 1, {nullptr}); }),
            "LocalGroup: must get one Turns for each of 3 ranks, got 1");
}

}  // namespace
}  // namespace tandem::comm
