// Ranks that meet in shared memory, here as threads that open it as processes do.
#include "tandem/comm/shared_processes.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tandem/comm/started_broadcasts_test.h"
#include "tandem/core/random.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using OwnProcesses = std::unique_ptr<SharedProcesses>;

// Runs `act` as each of `processes`; what one throws is thrown here.
void as_processes(int64_t processes, const std::function<void(OwnProcesses&, int64_t process)>& act,
                  double limit_seconds = 20) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  testing::on_threads(processes, [&](int64_t p) {
    auto own = std::make_unique<SharedProcesses>(store, OneHost{p, processes}, limit_seconds, 10);
    act(own, p);
  });
}

void as_ranks(int64_t ranks, const std::function<void(Communicator&)>& act, double limit_seconds = 20) {
  as_processes(
      ranks, [&](OwnProcesses& own, int64_t) { act(own->rank()); }, limit_seconds);
}

// What rank r brings: whole numbers small enough that every type adds them up exactly.
Tensor small_numbers(int64_t rank, int64_t count, at::ScalarType type) {
  return at::arange(count, at::kLong).add(rank).remainder(5).to(type);
}

Tensor sum_of_small_numbers(int64_t ranks, int64_t count) {
  Tensor sum = at::zeros({count}, at::kLong);
  for (int64_t r = 0; r < ranks; ++r) sum += small_numbers(r, count, at::kLong);
  return sum;
}

TEST(SharedProcesses, AddUpExactlyForEveryTypeSizeAndNumberOfRanks) {
  for (const int64_t n : {1, 2, 3, 4}) {
    as_ranks(n, [&](Communicator& own) {
      for (const auto type :
           {at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
        // The last ones travel in several pieces, and in more than are in memory at a time.
        for (const int64_t count : {0, 1, 7, 65, 1025, 5000, 300'001, 1'300'003}) {
          Tensor mine = small_numbers(own.rank(), count, type);
          own.all_reduce(mine, {});
          EXPECT_TRUE(at::equal(mine.to(at::kLong), sum_of_small_numbers(n, count))) << type << " " << count;
        }
      }
    });
  }
}

TEST(SharedProcesses, GiveTheBitsThatThreadsDo) {
  for (const int64_t n : {2, 3, 5}) {
    for (const int64_t count : {500, 5000, 200'000}) {
      const auto brought = [&](int64_t rank) {
        return RandomStream(7).fold(static_cast<uint64_t>(rank)).normal({count});
      };
      Tensor want;
      testing::run_ranks(n, [&](Communicator& own) {
        Tensor mine = brought(own.rank());
        own.all_reduce(mine, {.algorithm = Algorithm::direct});
        if (own.rank() == 0) want = mine;
      });
      as_ranks(n, [&](Communicator& own) {
        Tensor mine = brought(own.rank());
        own.all_reduce(mine, {});
        EXPECT_TRUE(at::equal(mine, want)) << n << " ranks, " << count;
      });
    }
  }
}

TEST(SharedProcesses, GatherScatterAndBroadcast) {
  for (const int64_t n : {1, 2, 3}) {
    for (const int64_t count : {1, 1000, 250'000}) {
      as_ranks(n, [&](Communicator& own) {
        const auto r = own.rank();
        Tensor whole = at::empty({n * count});
        Tensor part = whole.narrow(0, r * count, count).fill_(static_cast<double>(r));
        own.all_gather(part, whole);
        const Tensor want = at::arange(n, at::kFloat).repeat_interleave(count);
        EXPECT_TRUE(at::equal(whole, want));
        Tensor sums = at::arange(n * count, at::kLong).remainder(97) + r;
        const Tensor before = sums.clone();
        Tensor own_sums = at::empty({count}, at::kLong);
        own.reduce_scatter(sums, own_sums);
        EXPECT_TRUE(at::equal(sums, before));
        const Tensor all = (at::arange(n * count, at::kLong).remainder(97)) * n + n * (n - 1) / 2;
        EXPECT_TRUE(at::equal(own_sums, all.narrow(0, r * count, count)));
        Tensor within = sums.narrow(0, r * count, count);
        own.reduce_scatter(sums, within);
        EXPECT_TRUE(at::equal(within, all.narrow(0, r * count, count)));
        Tensor x = at::full({count}, static_cast<double>(r), at::kDouble);
        own.broadcast(x, n - 1);
        EXPECT_TRUE(x.eq(static_cast<double>(n - 1)).all().item<bool>());
        own.barrier();
      });
    }
  }
}

TEST(SharedProcesses, BroadcastsGoOn) {
  as_ranks(3, [](Communicator& own) { expect_broadcasts_go_on(own); });
}

TEST(SharedProcesses, ManyInFlightAmongOtherCalls) {
  as_ranks(3, [](Communicator& own) {
    const auto r = static_cast<double>(own.rank());
    for (int round = 0; round < 3; ++round) {
      std::vector<Tensor> all;
      std::vector<Pending> pending;
      for (int64_t i = 0; i < 30; ++i) {
        all.push_back(at::full({i % 3 == 0 ? 200'000 : 100 * i + 1}, r + static_cast<double>(i)));
        pending.push_back(own.all_reduce_async(all.back(), {.what = "bucket"}));
        if (i % 7 == own.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (i % 10 == 9) {
          Tensor x = at::full({5000}, r);
          own.all_reduce(x, {});
          EXPECT_TRUE(x.eq(3).all().item<bool>());
        }
      }
      pending[3] = Pending();  // let go of
      for (auto& one : pending) one.wait();
      own.barrier();
      for (int64_t i = 0; i < 30; ++i) {
        if (i == 3) continue;
        EXPECT_TRUE(all[static_cast<std::size_t>(i)].eq(3 + 3.0 * static_cast<double>(i)).all().item<bool>()) << i;
      }
    }
  });
}

TEST(SharedProcesses, SpreadOverThreadsOfEach) {
  as_processes(2, [](OwnProcesses& own, int64_t process) {
    for (const int64_t here : {1, 3}) {
      // As in fixed order: ranks of a process take turns.
      const std::vector<std::shared_ptr<Turns>> turns(static_cast<std::size_t>(here), std::make_shared<Turns>(1));
      const auto group = own->spread(here, turns);
      EXPECT_EQ(group->world_size(), 2 * here);
      EXPECT_EQ(group->first(), process * here);
      EXPECT_EQ(group->here(), here);
      std::vector<std::thread> threads;
      for (int64_t i = 0; i < here; ++i) {
        threads.emplace_back([&, i] {
          auto& rank = group->rank(group->first() + i);
          turns[static_cast<std::size_t>(i)]->acquire();
          EXPECT_EQ(rank.rank(), process * here + i);
          Tensor x = small_numbers(rank.rank(), 70'000, at::kFloat);
          rank.all_reduce(x, {});
          EXPECT_TRUE(at::equal(x.to(at::kLong), sum_of_small_numbers(2 * here, 70'000)));
          turns[static_cast<std::size_t>(i)]->release();
        });
      }
      for (auto& thread : threads) thread.join();
    }
  });
}

TEST(SharedProcesses, NameCallsThatDoNotFitOnEveryRankAndGoOn) {
  as_ranks(3, [](Communicator& own) {
    for (const int64_t odd : {10, 400'000}) {
      Tensor x = at::ones({own.rank() == 1 ? odd : 3});
      const auto message = message_of<InvalidArgument>([&] { own.all_reduce(x, {}); });
      EXPECT_EQ(message,
                own.rank() == 1
                    ? c10::str("all_reduce: rank 1 brought Float of sizes [", odd,
                               "] and strides [1], rank 0 Float of sizes [3] and strides [1]; they must be equal")
                    : c10::str("all_reduce: rank ", own.rank(),
                               " brought Float of sizes [3] and strides [1], rank 1 Float of sizes [", odd,
                               "] and strides [1]; they must be equal"));
    }
    EXPECT_NE(message_of<InvalidArgument>([&] {
                Tensor x = at::ones({3});
                if (own.rank() == 2) {
                  own.barrier();
                } else {
                  own.all_reduce(x, {});
                }
              }).find("they must make the same calls"),
              std::string::npos);
    Tensor x = at::ones({4});
    own.all_reduce(x, {});
    EXPECT_TRUE(x.eq(3).all().item<bool>());
  });
}

TEST(SharedProcesses, SendMessages) {
  as_ranks(3, [](Communicator& own) {
    const int64_t next = (own.rank() + 1) % 3, before = (own.rank() + 2) % 3;
    // All send more than a pipe holds before any receives; tags come out of order.
    for (const int64_t count : {0, 5, 500'000}) {
      for (const int64_t tag : {1, 2, 1}) {
        Tensor x = at::full({count}, static_cast<double>(own.rank() * 10 + tag));
        own.send(x, next, tag);
        x.zero_();
      }
      for (const int64_t tag : {2, 1, 1}) {
        Tensor x = at::zeros({count});
        own.recv(x, before, tag);
        EXPECT_TRUE(x.eq(static_cast<double>(before * 10 + tag)).all().item<bool>()) << count << " " << tag;
      }
    }
    Tensor x = at::zeros({3}, at::kInt);
    own.send(x, next, 5);
    Tensor y = at::zeros({4}, at::kInt);
    EXPECT_EQ(message_of<InvalidArgument>([&] { own.recv(y, before, 5); }),
              c10::str("recv on rank ", own.rank(), ": rank ", before,
                       " sent Int of sizes [3] and strides [1], but must fill Int of sizes [4] and strides [1]"));
  });
}

TEST(SharedProcesses, SubgroupsSpeakAmongThemselves) {
  as_ranks(4, [](Communicator& own) {
    const bool even = own.rank() % 2 == 0;
    const std::vector<int64_t> ranks = even ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{3, 1};
    for (int again = 0; again < 2; ++again) {
      const auto group = own.subgroup(ranks);
      EXPECT_EQ(group->rank(), even ? own.rank() / 2 : own.rank() == 3 ? 0 : 1);
      Tensor x = at::full({100'000}, static_cast<double>(own.rank()));
      group->all_reduce(x, {});
      EXPECT_TRUE(x.eq(even ? 2 : 4).all().item<bool>());
    }
  });
}

TEST(SharedProcesses, CountWhatOthersTook) {
  as_ranks(4, [](Communicator& own) {
    Tensor x = at::ones({4096});  // a piece: 3/4 of it is taken by others, and its own quarter of the sum by three
    own.all_reduce(x, {});
    EXPECT_EQ(own.bytes_sent(), 2 * 3 * 4096);
    Tensor small = at::ones({10});
    own.all_reduce(small, {});
    EXPECT_EQ(own.bytes_sent(), 2 * 3 * 4096 + 3 * 40);
  });
}

TEST(SharedProcesses, ALimitNamesWhoDoesNotCome) {
  std::latch others_gave_up(2);
  as_ranks(
      3,
      [&](Communicator& own) {
        Tensor x = at::ones({10});
        own.all_reduce(x, {});
        if (own.rank() == 1) {
          others_gave_up.wait();
          EXPECT_NE(message_of<PeerError>([&] { own.barrier(); }).find("the ranks parted before: rank "),
                    std::string::npos);
          return;
        }
        const auto message = message_of<PeerError>([&] { own.all_reduce(x, {.what = "bucket 2"}); });
        others_gave_up.count_down();
        EXPECT_NE(message.find(": waited 2 s in all_reduce of bucket 2 for rank 1"), std::string::npos) << message;
      },
      2);
}

TEST(SharedProcesses, WhoLeavesIsNamedAtOnce) {
  const double start = steady_seconds();
  as_processes(3, [](OwnProcesses& own, int64_t process) {
    Tensor x = at::ones({10});
    own->rank().all_reduce(x, {});
    if (process == 1) {
      own.reset();
      return;
    }
    const auto message = message_of<PeerError>([&] { own->rank().all_reduce(x, {.what = "bucket 2"}); });
    const auto begin = c10::str("rank ", process, ": all_reduce of bucket 2 for rank 1: rank 1 has left; ");
    EXPECT_EQ(message.rfind(begin, 0), 0U) << message;
  });
  EXPECT_LT(steady_seconds() - start, 10);  // the limit is 20 s
}

TEST(SharedProcesses, AbortEndsTheOthersWithItsReason) {
  as_processes(2, [](OwnProcesses& own, int64_t process) {
    const auto group = own->spread(1, {});
    if (process == 1) {
      group->abort("rank 1 ran out of rows");
      return;
    }
    Tensor x = at::ones({10});
    EXPECT_NE(message_of<PeerError>([&] { group->rank(0).all_reduce(x, {}); }).find("rank 1 ran out of rows"),
              std::string::npos);
  });
}

TEST(SharedProcesses, NameWhoDoesNotCome) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  EXPECT_EQ(message_of<PeerError>([&] {
              SharedProcesses(store, OneHost{0, 3}, 0.1, 10);
            }),
            "rank 0: ranks 1, 2 did not come within 0.1 s");
}

TEST(SharedPulse, NamesWhoFallsSilent) {
  auto memory = SharedMemory::make(SharedPulse::bytes(2));
  auto stopped = SharedMemory::open(memory.address());
  stopped.take_place(1);  // there, and does not count
  SharedPulse own(std::move(memory), 0, 2, 0.5);
  std::optional<SharedPulse::Lost> lost;
  for (int looks = 0; !lost && looks < 1000; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lost = own.find_lost();
  }
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->process, 1);
  EXPECT_EQ(lost->why, "has been silent for 0.5 s; it last reported: other");
}

TEST(SharedMemory, PlacesFallFreeWithTheirHolders) {
  auto first = SharedMemory::make(100);
  {
    auto second = SharedMemory::open(first.address());
    second.take_place(3);
    second.data()[5] = std::byte{7};
    EXPECT_TRUE(first.is_taken(3));
    EXPECT_FALSE(first.is_taken(2));
    EXPECT_NE(message_of<PeerError>([&] { first.take_place(3); }).find("place 3 cannot be taken"), std::string::npos);
  }
  EXPECT_FALSE(first.is_taken(3));
  EXPECT_EQ(first.data()[5], std::byte{7});
  EXPECT_EQ(message_of<PeerError>([] { SharedMemory::open("/proc/self/fd/99999"); }),
            "shared memory: cannot open /proc/self/fd/99999: No such file or directory; backend \"gloo\" does without");
}

}  // namespace
}  // namespace tandem::comm
