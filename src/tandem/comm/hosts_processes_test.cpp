// A job on several hosts: which are sets of threads here, that share memory among themselves and speak by Gloo on the
// loopback interface with the others.
#include "tandem/comm/hosts_processes.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <latch>
#include <numeric>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/started_broadcasts_test.h"
#include "tandem/core/random.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/on_threads.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::comm {
namespace {

using testing::message_of;
using OnHosts = std::unique_ptr<HostsProcesses>;

// Runs `act` as each process; `sizes`: processes of each host.
void on_hosts(const std::vector<int64_t>& sizes, const std::function<void(OnHosts&, int64_t process)>& act) {
  HostPlan plan{{0}};
  for (const auto size : sizes) plan.begins.push_back(plan.ranks() + size);
  const auto store = c10::make_intrusive<c10d::HashStore>();
  testing::on_threads(plan.ranks(), [&](int64_t p) {
    auto own = std::make_unique<HostsProcesses>(
        store, p, plan, BackendProcesses::Options{.limit_seconds = 20, .silence_seconds = 10, .numbers = {}},
        [](const auto& keys, int64_t rank, int64_t ranks) {
          return make_gloo_backend(keys, rank, ranks, "127.0.0.1", std::chrono::seconds(20));
        });
    act(own, p);
  });
}

Tensor drawn(int64_t rank, int64_t count) { return RandomStream(5).fold(static_cast<uint64_t>(rank)).normal({count}); }

// The sum along the tree over `ranks`, as threads of one process add up.
Tensor tree_sum(int64_t ranks, int64_t count) {
  Tensor sum;
  testing::run_ranks(ranks, [&](Communicator& rank) {
    Tensor own = drawn(rank.rank(), count);
    rank.all_reduce(own, {.algorithm = Algorithm::direct});
    if (rank.rank() == 0) sum = own;
  });
  return sum;
}

TEST(HostsProcesses, AddUpToTheBitsOfOneProcess) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{1, 1}, {2, 2}, {1, 1, 1, 1}}) {
    for (const int64_t count : {1, 3000, 300'000}) {
      const Tensor want = tree_sum(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), count);
      on_hosts(sizes, [&](OnHosts& own, int64_t process) {
        Tensor x = drawn(process, count), y = drawn(process, count);
        auto pending = own->rank().all_reduce_async(y, {.algorithm = Algorithm::direct});
        own->rank().all_reduce(x, {.algorithm = Algorithm::direct});
        pending.wait();
        EXPECT_TRUE(at::equal(x, want)) << c10::Join(",", sizes) << " " << count;
        EXPECT_TRUE(at::equal(y, want)) << c10::Join(",", sizes) << " " << count;
      });
    }
  }
}

TEST(HostsProcesses, RefuseAnOrderThatTheyCannotKeep) {
  on_hosts({2, 1, 1}, [&](OnHosts& own, int64_t) {
    Tensor x = at::ones({4});
    EXPECT_EQ(message_of<InvalidArgument>([&] { own->rank().all_reduce(x, {.algorithm = Algorithm::direct}); }),
              "all_reduce: to add in the order of one process, hosts must be a power of two with equally many ranks, "
              "got 4 ranks on 3 hosts");
    own->rank().all_reduce(x, {});
    EXPECT_TRUE(x.eq(4).all().item<bool>());
  });
}

TEST(HostsProcesses, GatherScatterAndBroadcast) {
  on_hosts({2, 1, 3}, [&](OnHosts& own, int64_t process) {
    auto& rank = own->rank();
    EXPECT_EQ(rank.rank(), process);
    EXPECT_EQ(rank.world_size(), 6);
    const auto r = static_cast<double>(process);
    for (const int64_t count : {1, 100'000}) {
      Tensor whole = at::zeros({6 * count}), part = at::full({count}, r);
      rank.all_gather(part, whole);
      EXPECT_TRUE(at::equal(whole, at::arange(6, at::kFloat).repeat_interleave(count)));
      Tensor own_part = whole.narrow(0, process * count, count);
      rank.reduce_scatter(whole.clone(), own_part);
      EXPECT_TRUE(own_part.eq(6 * r).all().item<bool>());
      for (const int64_t root : {0, 2, 4}) {
        Tensor x = at::full({count}, r);
        rank.broadcast(x, root);
        EXPECT_TRUE(x.eq(static_cast<double>(root)).all().item<bool>()) << root;
      }
    }
    EXPECT_GT(rank.bytes_sent(), 0);
  });
}

TEST(HostsProcesses, BroadcastsGoOn) {
  on_hosts({2, 1, 3}, [](OnHosts& own, int64_t) { expect_broadcasts_go_on(own->rank()); });
}

TEST(HostsProcesses, MessagesAndSubgroupsWithinAHostAndBetweenThem) {
  on_hosts({2, 1, 3}, [&](OnHosts& own, int64_t process) {
    auto& rank = own->rank();
    const auto r = static_cast<double>(process);
    for (const auto& [from, to] : {std::pair<int64_t, int64_t>{3, 5}, {1, 2}, {2, 0}}) {
      Tensor x = at::full({1000}, r);
      if (process == from) rank.send(x, to, 1);
      if (process != to) continue;
      rank.recv(x, from, 1);
      EXPECT_TRUE(x.eq(static_cast<double>(from)).all().item<bool>());
    }
    rank.barrier();
    const bool last = process >= 3;  // a host; the others are two
    const auto group = rank.subgroup(last ? std::vector<int64_t>{5, 4, 3} : std::vector<int64_t>{0, 1, 2});
    Tensor x = at::full({10}, r);
    group->all_reduce(x, {});
    EXPECT_TRUE(x.eq(last ? 12 : 3).all().item<bool>());
  });
}

// Rank 2 waits for one of its own host while rank 0 sends to it, for whom that one waits in the end.
TEST(HostsProcesses, MessagesGoToOneThatWaitsForAnother) {
  on_hosts({2, 2}, [](OnHosts& own, int64_t process) {
    auto& rank = own->rank();
    rank.expect_messages();
    Tensor x = at::full({1000}, static_cast<double>(process));
    const auto take = [&](int64_t from) {
      rank.recv(x, from, 1);
      EXPECT_TRUE(x.eq(static_cast<double>(from)).all().item<bool>());
      x.fill_(static_cast<double>(process));
    };
    if (process == 0) rank.send(x, 2, 1);
    if (process == 0) rank.send(x, 1, 1);
    if (process == 1) take(0);
    if (process == 1) rank.send(x, 3, 1);
    if (process == 3) take(1);
    if (process == 3) rank.send(x, 2, 1);
    if (process == 2) take(3);
    if (process == 2) take(0);
    rank.barrier();
  });
}

// Rank 1 waits for the other host while rank 0 sends it more than the memory between them holds.
TEST(HostsProcesses, MessagesAreTakenFromTheOwnHostMeanwhile) {
  on_hosts({2, 1}, [](OnHosts& own, int64_t process) {
    auto& rank = own->rank();
    rank.expect_messages();
    Tensor x = at::full({1'000'000}, static_cast<double>(process)), word = at::zeros({1});
    if (process == 0) {
      rank.send(x, 1, 1);
      rank.send(word, 2, 2);
    } else if (process == 2) {
      rank.recv(word, 0, 2);
      rank.send(word, 1, 3);
    } else {
      rank.recv(word, 2, 3);
      rank.recv(x, 0, 1);
      EXPECT_TRUE(x.eq(0).all().item<bool>());
    }
    rank.barrier();
  });
}

// The store is in a process of the first host, which may leave before others know why.
TEST(HostsProcesses, EndThoughNobodyHasTheStoreAnyMore) {
  auto point = std::make_unique<MeetingPoint>("127.0.0.1", 0, std::nullopt);
  const HostPlan plan{{0, 1, 2}};
  std::latch met(2), gone(2);
  testing::on_threads(2, [&](int64_t p) {
    auto store = c10::make_intrusive<MeetingStore>("127.0.0.1", point->port(), std::nullopt, std::chrono::seconds(60));
    HostsProcesses own(store, p, plan, {.limit_seconds = 60, .silence_seconds = 10, .numbers = {}},
                       [](const auto& keys, int64_t rank, int64_t ranks) {
                         return make_gloo_backend(keys, rank, ranks, "127.0.0.1", std::chrono::seconds(60));
                       });
    own.rank().barrier();
    met.arrive_and_wait();
    if (p == 0) point.reset();
    gone.arrive_and_wait();
    const double start = steady_seconds();
    own.abort("over");
    EXPECT_EQ(message_of<PeerError>([&] { own.rank().barrier(); }).find("rank "), 0U);
    EXPECT_LT(steady_seconds() - start, 30) << "of a limit of 60";
  });
}

TEST(HostsProcesses, ManyInFlightAmongOtherCalls) {
  on_hosts({2, 2}, [](OnHosts& own, int64_t process) {
    auto& rank = own->rank();
    std::vector<Tensor> all;
    std::vector<Pending> pending;
    for (int64_t i = 0; i < 24; ++i) {
      all.push_back(at::full({i % 3 == 0 ? 100'000 : 100 * i + 1}, static_cast<double>(process + i)));
      pending.push_back(rank.all_reduce_async(all.back(), {.what = "bucket"}));
      if (i % 5 == process) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (i % 7 == 6) {
        Tensor x = at::full({50}, static_cast<double>(process));
        rank.all_reduce(x, {});
        EXPECT_TRUE(x.eq(6).all().item<bool>());
      }
      pending[static_cast<std::size_t>(i) / 2].advance();
    }
    pending[3] = Pending();  // let go of
    for (auto& one : pending) one.wait();
    for (int64_t i = 0; i < 24; ++i) {
      if (i == 3) continue;
      EXPECT_TRUE(all[static_cast<std::size_t>(i)].eq(6 + 4.0 * static_cast<double>(i)).all().item<bool>()) << i;
    }
    rank.barrier();
  });
}

TEST(HostsProcesses, GoOnWithWhatIsInProgressWhileTheyWaitForOthers) {
  on_hosts({2, 2}, [](OnHosts& own, int64_t process) {
    Tensor x = at::full({1000}, static_cast<double>(process));
    auto pending = own->rank().all_reduce_async(x, {});
    if (process % 2 == 1) pending.wait();  // needs what the other rank of its host hands on
    Tensor y = at::ones({10});
    own->rank().all_reduce(y, {});
    pending.wait();
    EXPECT_TRUE(x.eq(6).all().item<bool>());
    EXPECT_TRUE(y.eq(4).all().item<bool>());
  });
}

TEST(HostsProcesses, SpreadOverThreadsOfEach) {
  const Tensor want = tree_sum(8, 50'000);
  on_hosts({2, 2}, [&](OnHosts& own, int64_t process) {
    const auto group = own->spread(2, {});
    EXPECT_EQ(group->world_size(), 8);
    EXPECT_EQ(group->first(), 2 * process);
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        auto& rank = group->rank(group->first() + i);
        Tensor x = drawn(rank.rank(), 50'000);
        rank.all_reduce(x, {.algorithm = Algorithm::direct});
        EXPECT_TRUE(at::equal(x, want));
      });
    }
    for (auto& thread : threads) thread.join();
  });
}

TEST(HostsProcesses, WhoIsLostEndsTheOthersOnAllHosts) {
  const double start = steady_seconds();
  std::latch others_know(3);
  on_hosts({2, 2}, [&](OnHosts& own, int64_t process) {
    Tensor x = at::ones({1000});
    own->rank().all_reduce(x, {});
    if (process == 3) {
      own.reset();
      return;
    }
    const auto message = message_of<PeerError>([&] {
      while (true) own->rank().all_reduce(x, {.what = "bucket"});
    });
    EXPECT_NE(message.find("rank 3 has left; it last reported: "), std::string::npos) << message;
    EXPECT_EQ(message.rfind(c10::str("rank ", process, ": "), 0), 0U) << message;
    others_know.arrive_and_wait();
  });
  EXPECT_LT(steady_seconds() - start, 15);  // the limit is 20 s
}

TEST(HostPlan, ByPlaces) {
  const auto plan = plan_hosts({"a", "a", "b", "c", "c"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->begins, (std::vector<int64_t>{0, 2, 3, 5}));
  EXPECT_EQ(plan->host_of(0), 0);
  EXPECT_EQ(plan->host_of(2), 1);
  EXPECT_EQ(plan->host_of(4), 2);
  EXPECT_FALSE(plan_hosts({"a", "b", "a"}));
}

}  // namespace
}  // namespace tandem::comm
