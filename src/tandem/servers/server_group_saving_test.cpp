// What servers of several hosts save, and go on from, by calls: no sockets.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/servers/two_hosts_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

std::vector<int64_t> rounds_saved(TwoHosts& two, std::size_t host) { return two.hosts[host].files->versions(0, 1); }

Tensor pulled(TwoHosts& two, std::size_t host) {
  two.say(host, {.kind = Kind::pull, .id = 99});
  return two.answers(host, 0, Kind::params).back().payload.at(0).floats();
}

TEST(ServerGroupSaving, RoundsOfEnoughUpdatesOfOneServerAreSavedByBoth) {
  const testing::TemporaryFolder folder;
  TwoHosts two(ServerMode::async, "all-reduce", 0, 1, {.folder = folder.path(), .every_updates = 3});
  uint64_t id = 0, asked = 0;
  for (const int64_t updates : {2, 1, 1, 4}) {  // of one, until the next round
    for (int64_t i = 0; i < updates; ++i, ++id) two.push(0, 0, id + 1, static_cast<int64_t>(id), 1);
    ++asked;
    for (std::size_t h = 0; h < 2; ++h) two.say(h, {.kind = Kind::average, .id = asked});
    two.deliver();
  }
  for (std::size_t h = 0; h < 2; ++h) EXPECT_EQ(rounds_saved(two, h), (std::vector<int64_t>{2, 4}));
}

TEST(ServerGroupSaving, NothingIsSavedAfterOneHasLeft) {
  const testing::TemporaryFolder folder;
  TwoHosts two(ServerMode::async, "all-reduce", 1, 1, {.folder = folder.path(), .every_updates = 1});
  for (std::size_t h = 0; h < 2; ++h) two.push(h, 0, 1, 0, 1);
  two.deliver();
  two.hosts[0].group->leave();
  two.deliver();
  EXPECT_FALSE(two.hosts[0].group->all_others_left());
  two.push(1, 0, 2, 1, 1);
  two.deliver();
  EXPECT_EQ(two.hosts[1].group->rounds(), 2);
  EXPECT_EQ(rounds_saved(two, 1), std::vector<int64_t>{1});
  for (uint64_t id = 3; id < 9; ++id) two.push(1, 0, id, static_cast<int64_t>(id) - 1, 1);
  two.hosts[1].group->leave();
  two.deliver();
  for (auto& host : two.hosts) EXPECT_TRUE(host.group->all_others_left() && host.group->may_end());
}

// Each has its own parameters after a round, and goes on from them.
TEST(ServerGroupSaving, AsyncScatterSumSavesBetweenTwoUpdates) {
  const testing::TemporaryFolder folder;
  const SaveOptions save{.folder = folder.path(), .every_updates = 1};
  Tensor saved[2];
  {
    TwoHosts two(ServerMode::sync, "async-scatter-sum", 1, 1, save);
    two.push(1, 0, 1, 0, 5, 1);  // one block is updated, no other
    two.push(0, 0, 1, 0, 2);
    two.deliver();
    for (auto& host : two.hosts) EXPECT_EQ(host.group->rounds(), 1);
    EXPECT_EQ(rounds_saved(two, 0), std::vector<int64_t>{1});
    EXPECT_EQ(rounds_saved(two, 1), std::vector<int64_t>());
    two.push(0, 0, 2, 1, 2);  // comes to the next round, for which the other one is not ready
    two.deliver();
    EXPECT_EQ(two.hosts[0].group->rounds(), 1);
    for (int64_t b = 1; b < two.plan.blocks(); ++b)
      two.say(1, {.kind = Kind::push, .id = 1, .block = b, .rows = 1},
              {Frame::of(at::full({two.plan.block_elements(b)}, 5.0))});
    EXPECT_EQ(rounds_saved(two, 1), (std::vector<int64_t>{1, 2}));  // which it has joined at once
    two.lose();                                                     // both are gone before the other one knows
    EXPECT_EQ(rounds_saved(two, 0), std::vector<int64_t>{1});
    for (std::size_t h = 0; h < 2; ++h)
      saved[h] = two.hosts[h].files->read(0, 1, 1, two.plan.encode()).parameters.clone();
  }
  EXPECT_FALSE(saved[0].equal(saved[1]));
  TwoHosts two(ServerMode::sync, "async-scatter-sum", 1, 1, save);
  for (std::size_t h = 0; h < 2; ++h) {
    ASSERT_EQ(two.hosts[h].begun.size(), 1);
    EXPECT_EQ(two.hosts[h].begun[0].header.kind, Kind::hello);
    EXPECT_EQ(two.hosts[h].begun[0].header.version, 1);
    EXPECT_TRUE(two.hosts[h].talk->failure().empty()) << two.hosts[h].talk->failure();
    EXPECT_TRUE(pulled(two, h).equal(saved[h].narrow(0, two.plan.block_begin(two.plan.blocks() - 1),
                                                     two.plan.block_elements(two.plan.blocks() - 1))));
    two.push(h, 0, 1, 1, 1);
  }
  two.deliver();
  for (std::size_t h = 0; h < 2; ++h) EXPECT_EQ(two.hosts[h].group->rounds(), two.hosts[0].group->rounds());
  for (std::size_t h = 0; h < 2; ++h) EXPECT_GE(rounds_saved(two, h).back(), 2);
}

TEST(ServerGroupSaving, NamesWhomWorkersWaitFor) {
  ServerGroup alone({{"a:1", "b:2"}, 0, ServerSync::ring, 1, 1}, [](int64_t, const Header&, std::vector<Frame>) {});
  EXPECT_EQ(alone.waiting_for(), "");
  alone.meet({4});
  EXPECT_EQ(alone.waiting_for(), "server 1 of 2 (b:2)");
  EXPECT_FALSE(alone.common_round().has_value());
  alone.hear({.kind = Kind::saved, .worker = 1, .version = 7}, {Frame(), Frame::of(encode_saved({2, 4, 6}))});
  EXPECT_EQ(alone.common_round(), 4);
}

TEST(ServerGroupSaving, OneThatHasBegunAnewIsNamed) {
  const auto group = [] {
    return ServerGroup({{"a:1", "b:2"}, 0, ServerSync::async_scatter_sum, 1, 1},
                       [](int64_t, const Header&, std::vector<Frame>) {});
  };
  // This one, of which the other knows an earlier run.
  auto anew = group();
  EXPECT_EQ(message_of<PeerError>([&] { anew.hear({.kind = Kind::come, .worker = 1, .id = 5}, {}); }),
            "has begun anew, in the midst of the others' rounds");
  // The other, which ends this one in async-scatter-sum, too.
  auto knows = group();
  const auto saved = [&](int64_t run) {
    knows.hear({.kind = Kind::saved, .worker = 1, .version = run}, {Frame(), Frame::of(encode_saved({}))});
  };
  saved(7);
  saved(7);
  EXPECT_EQ(message_of<PeerError>([&] { saved(8); }),
            "server 1 of 2 (b:2): has begun anew, without the others' rounds");
}

}  // namespace
}  // namespace tandem::servers
