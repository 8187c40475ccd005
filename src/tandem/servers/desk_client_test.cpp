// Processes at a server's work desk, as threads over real sockets.
#include "tandem/servers/desk_client.h"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <set>

#include "tandem/servers/server.h"
#include "tandem/testing/on_threads.h"

namespace tandem::servers {
namespace {

TEST(DeskClient, DealsGathersAndHandsOn) {
  Server server;
  std::mutex mutex;
  std::multiset<int64_t> made;
  std::latch all_here(3);
  testing::on_threads(3, [&](int64_t place) {
    DeskClient desk({.servers = {server.address()}, .worker = place});
    if (place == 0) desk.say("fit", "seed 7");
    EXPECT_EQ(desk.hear("fit"), "seed 7");
    all_here.arrive_and_wait();
    for (int64_t pass = 0; pass < 3; ++pass) {
      std::vector<int64_t> done;
      for (bool waits = false;;) {
        const auto dealt = desk.take(pass, 40, done, waits);
        if (dealt.deal == Deal::over) break;
        waits = dealt.deal == Deal::later;
        done.clear();
        if (waits) continue;
        done.push_back(dealt.batch);
        const std::lock_guard lock(mutex);
        made.insert(dealt.batch);
      }
      const auto own = "p" + std::to_string(place);
      EXPECT_EQ(desk.gather("end of " + std::to_string(pass), own), (std::vector<std::string>{"p0", "p1", "p2"}));
    }
  });
  for (int64_t batch = 0; batch < 40; ++batch) EXPECT_EQ(made.count(batch), 3U) << batch;
}

TEST(DeskClient, OneThatLeavesGivesBackWhatItHad) {
  Server server;
  DeskClient stays({.servers = {server.address()}, .worker = 1});
  {
    DeskClient leaves({.servers = {server.address()}, .worker = 0});
    EXPECT_EQ(leaves.take(0, 1, {}, false).batch, 0);
    EXPECT_EQ(stays.take(0, 1, {}, false).deal, Deal::later);
  }
  const auto dealt = stays.take(0, 1, {}, true);
  EXPECT_EQ(dealt.deal, Deal::batch);
  EXPECT_EQ(dealt.batch, 0);
  EXPECT_EQ(stays.take(0, 1, {0}, true).deal, Deal::over);
  EXPECT_EQ(stays.gather("end", "alone"), std::vector<std::string>{"alone"});
}

}  // namespace
}  // namespace tandem::servers
