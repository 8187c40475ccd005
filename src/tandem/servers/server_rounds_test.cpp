// Rounds of averaging by calls: messages lie in queues of the test's own and are delivered in any order between
// servers.
#include "tandem/servers/server_rounds.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tandem/core/error.h"
#include "tandem/servers/plan_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

constexpr ServerSync kWays[] = {ServerSync::all_reduce, ServerSync::ring, ServerSync::async_scatter_sum};

class QueuedHosts {
 public:
  QueuedHosts(ServerSync way, int64_t count, int64_t n, bool twice = false) : twice_(twice) {
    for (int64_t s = 0; s < count; ++s) {
      parameters.push_back(at::arange(n, at::kFloat).mul_(0.7 + static_cast<double>(s)).sin_());
      rounds.push_back(std::make_unique<ServerRounds>(
          way, count, s, parameters.back(),
          [this, s](int64_t to, const Header& header, const Tensor& values) {
            if (header.kind == Kind::slice) elements_sent[s] += values.numel();
            // As a socket that has not sent it yet: the memory itself.
            for (int i = 0; i < (twice_ ? 2 : 1); ++i) waiting_[{s, to}].push_back({header, values});
          },
          [this, s] { ++done[s]; }));
    }
  }

  void come_all() {
    for (auto& server : rounds) server->come();
  }
  // One message, of any pair whose queue is not empty; of one pair in order.
  bool deliver_one() {
    std::vector<std::pair<int64_t, int64_t>> full;
    for (const auto& [pair, queue] : waiting_) {
      if (!queue.empty()) full.push_back(pair);
    }
    if (full.empty()) return false;
    const auto pair = full[random_() % full.size()];
    const auto message = waiting_[pair].front();
    waiting_[pair].pop_front();
    const auto values = message.second.defined() ? message.second.clone() : Tensor();
    rounds[static_cast<std::size_t>(pair.second)]->hear(pair.first, message.first, values);
    return true;
  }
  void deliver() {
    while (deliver_one()) {
    }
  }
  void lose_messages_of(int64_t from) {
    for (auto& [pair, queue] : waiting_) {
      if (pair.first == from) queue.clear();
    }
  }

  std::vector<Tensor> parameters;
  std::vector<std::unique_ptr<ServerRounds>> rounds;
  std::map<int64_t, int64_t> elements_sent, done;

 private:
  bool twice_;
  std::map<std::pair<int64_t, int64_t>, std::deque<std::pair<Header, Tensor>>> waiting_;
  std::minstd_rand random_{1};
};

std::vector<Tensor> clones(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  for (const auto& tensor : tensors) copies.push_back(tensor.clone());
  return copies;
}

// Part p starts with server p and goes around.
Tensor ring_average(const std::vector<Tensor>& values) {
  const auto count = static_cast<int64_t>(values.size());
  Tensor average = at::empty_like(values[0]);
  for (int64_t p = 0; p < count; ++p) {
    const auto span = comm::slice(average.numel(), count, p);
    const auto part = [&](int64_t s) {
      return values[static_cast<std::size_t>(s % count)].narrow(0, span.begin, span.size());
    };
    Tensor sum = part(p).clone();
    for (int64_t s = p + 1; s < p + count; ++s) sum.add_(part(s));
    average.narrow(0, span.begin, span.size()).copy_(sum.div_(static_cast<double>(count)));
  }
  return average;
}

Tensor average_of(ServerSync way, const std::vector<Tensor>& values) {
  return way == ServerSync::ring ? ring_average(values) : tree_sum(values).div_(static_cast<double>(values.size()));
}

TEST(ServerRounds, AllHaveTheAveragesBitsInWhateverOrderSlicesCome) {
  for (const auto way : kWays) {
    for (int64_t count = 1; count <= 5; ++count) {
      for (const int64_t n : {1, 130, 540001}) {
        if (n > 130 && count > 3) continue;  // pieces of parts, too
        for (const bool twice : {false, true}) {
          QueuedHosts hosts(way, count, n, twice);
          for (int64_t round = 1; round <= 2; ++round) {
            const auto expected = average_of(way, hosts.parameters);
            const auto tree = average_of(ServerSync::all_reduce, hosts.parameters);
            hosts.come_all();
            hosts.deliver();
            for (std::size_t s = 0; s < hosts.parameters.size(); ++s) {
              auto& parameters = hosts.parameters[s];
              EXPECT_TRUE(parameters.equal(expected)) << name_of(way) << " of " << count << ", " << n;
              EXPECT_LE(parameters.sub(tree).abs().max().item<double>(), 1e-6);
              EXPECT_EQ(hosts.rounds[s]->rounds(), round);
              EXPECT_EQ(hosts.done[static_cast<int64_t>(s)], round);
              parameters.mul_(static_cast<double>(s) + 0.3);
            }
          }
        }
      }
    }
  }
}

TEST(ServerRounds, SendsWhatItsWaySays) {
  for (int64_t count = 1; count <= 4; ++count) {
    const int64_t n = 64 * 12 * 1000;
    for (const auto way : kWays) {
      QueuedHosts hosts(way, count, n);
      hosts.come_all();
      hosts.deliver();
      const int64_t expected = way == ServerSync::ring ? 2 * (count - 1) * n / count : (count - 1) * n;
      for (int64_t s = 0; s < count; ++s)
        EXPECT_EQ(hosts.elements_sent[s], expected) << name_of(way) << " of " << count;
    }
  }
}

TEST(ServerRounds, WhatChangesInTheMidstOfAnAsyncRoundIsAddedToTheAverage) {
  constexpr int64_t kN = 600000;
  QueuedHosts hosts(ServerSync::async_scatter_sum, 3, kN);
  for (std::size_t s = 0; s < 3; ++s) hosts.parameters[s].fill_(static_cast<double>(3 * s));  // the average is 3
  double changed[3] = {};
  hosts.come_all();
  for (int64_t i = 0; hosts.deliver_one(); ++i) {
    const auto s = static_cast<std::size_t>(i % 3);
    hosts.parameters[s].add_(0.25);  // at any time: before, in the midst, after
    changed[s] += 0.25;
  }
  for (std::size_t s = 0; s < 3; ++s)
    EXPECT_TRUE(hosts.parameters[s].eq(3 + changed[s]).all().item<bool>()) << hosts.parameters[s][0];
}

TEST(ServerRounds, AFastServerIsAtMostOneRoundAhead) {
  QueuedHosts hosts(ServerSync::async_scatter_sum, 2, 100);
  const auto before = clones(hosts.parameters);
  hosts.rounds[0]->come();
  hosts.deliver();
  EXPECT_TRUE(hosts.rounds[0]->running());
  EXPECT_EQ(hosts.rounds[0]->waiting_for(), (std::vector<int64_t>{1}));
  EXPECT_EQ(hosts.rounds[1]->early_elements(0), 100);
  hosts.rounds[1]->come();
  EXPECT_FALSE(hosts.rounds[1]->running());  // all is there
  EXPECT_EQ(hosts.rounds[1]->early_elements(0), 0);
  hosts.rounds[1]->come();  // before the other has the last round
  hosts.deliver();
  EXPECT_FALSE(hosts.rounds[0]->running());
  EXPECT_TRUE(hosts.parameters[0].equal(average_of(ServerSync::all_reduce, before)));
  hosts.rounds[0]->come();
  hosts.deliver();
  EXPECT_EQ(hosts.rounds[0]->rounds(), 2);
  EXPECT_EQ(hosts.rounds[1]->rounds(), 2);
}

TEST(ServerRounds, WaitsForThoseThatHaveNotCome) {
  for (const auto way : {ServerSync::all_reduce, ServerSync::ring}) {
    QueuedHosts hosts(way, 3, 100);
    const auto before = clones(hosts.parameters);
    hosts.rounds[0]->come();
    hosts.rounds[2]->come();
    hosts.deliver();
    EXPECT_EQ(hosts.rounds[0]->waiting_for(), (std::vector<int64_t>{1}));
    EXPECT_TRUE(hosts.parameters[0].equal(before[0]));
    hosts.rounds[1]->come();
    EXPECT_EQ(message_of<InternalError>([&] { hosts.rounds[1]->come(); }),
              "server 1 comes to a round while 1 is running");
    hosts.deliver();
    EXPECT_TRUE(hosts.parameters[1].equal(average_of(way, before)));
    EXPECT_TRUE(hosts.rounds[1]->waiting_for().empty());
  }
}

TEST(ServerRounds, TheOthersGoOnWithoutOneThatHasLeft) {
  for (const auto way : kWays) {
    for (const bool last : {false, true}) {  // tells before the others come, or when they have
      QueuedHosts hosts(way, 4, 1000);
      hosts.come_all();
      hosts.deliver();
      for (std::size_t s = 0; s < 4; ++s) hosts.parameters[s].mul_(static_cast<double>(s));
      const auto expected = average_of(way, {hosts.parameters[0], hosts.parameters[2], hosts.parameters[3]});
      if (!last) hosts.rounds[1]->leave();
      if (!last) hosts.deliver();
      for (const std::size_t s : {3, 2, 0}) hosts.rounds[s]->come();
      hosts.deliver();
      if (last) hosts.rounds[1]->leave();
      hosts.deliver();
      for (const std::size_t s : {0, 2, 3}) {
        EXPECT_TRUE(hosts.parameters[s].equal(expected)) << name_of(way);
        EXPECT_TRUE(hosts.rounds[s]->has_left(1));
      }
    }
  }
}

TEST(ServerRounds, AsyncGoesOnWithoutOneThatIsLost) {
  QueuedHosts hosts(ServerSync::async_scatter_sum, 3, 1000);
  const auto before = clones(hosts.parameters);
  hosts.come_all();
  hosts.lose_messages_of(1);
  hosts.deliver();
  EXPECT_TRUE(hosts.rounds[0]->running());
  hosts.rounds[0]->lost(1);
  hosts.rounds[2]->lost(1);
  const auto expected = average_of(ServerSync::all_reduce, {before[0], before[2]});
  EXPECT_TRUE(hosts.parameters[0].equal(expected));
  EXPECT_TRUE(hosts.parameters[2].equal(expected));
}

TEST(ServerRounds, AllSaveWhatOneWishesWhileAllAreThere) {
  for (const auto way : kWays) {
    QueuedHosts hosts(way, 3, 1000);
    for (int round = 1; round <= 6; ++round) {  // after the fifth one leaves
      for (std::size_t s = 0; s < 3; ++s) {
        if (round < 6 || s != 1) hosts.rounds[s]->come(s == 2 && round % 3 != 1);
      }
      hosts.deliver();
      const bool wished = round % 3 != 1;
      for (const std::size_t s : {0, 2}) {
        EXPECT_EQ(hosts.rounds[s]->rounds(), round);
        EXPECT_EQ(hosts.rounds[s]->to_be_saved(), wished && round < 6) << name_of(way) << " " << round;
      }
      if (round == 5) hosts.rounds[1]->leave();
    }
  }
}

TEST(ServerRounds, NamesWhatCannotHaveBeenSaid) {
  const auto slice = [](int64_t round, int64_t begin) {
    return Header{.kind = Kind::slice, .id = static_cast<uint64_t>(round), .block = begin};
  };
  QueuedHosts hosts(ServerSync::all_reduce, 3, 100);
  auto& server = *hosts.rounds[0];
  EXPECT_EQ(message_of<DataError>([&] { server.hear(3, slice(1, 0), at::ones({100})); }),
            "server: must be another of 3, got 3");
  EXPECT_EQ(message_of<DataError>([&] { server.hear(1, slice(3, 0), at::ones({100})); }),
            "round: must be 1 or the next, got 3");
  EXPECT_EQ(message_of<DataError>([&] { server.hear(1, slice(0, 0), at::ones({100})); }),
            "round: must be at least 1, got 0");
  EXPECT_EQ(message_of<DataError>([&] { server.hear(1, {.kind = Kind::come, .id = 3}, {}); }),
            "round: must be at most 2, got 3");
  EXPECT_EQ(message_of<DataError>([&] { server.hear(1, {.kind = Kind::part, .id = 4}, {}); }),
            "round: must be at most 3, got 4");
  server.hear(1, slice(1, 0), at::ones({100}));
  server.hear(1, slice(1, 0), at::ones({100}));  // once more
  server.hear(1, slice(2, 0), at::ones({100}));
  EXPECT_EQ(message_of<DataError>([&] { server.hear(1, slice(1, 7), at::ones({1})); }),
            "slices of server 1: must be at most two rounds of 100 elements before this server comes to them");
  QueuedHosts others(ServerSync::ring, 3, 100);
  others.come_all();
  others.deliver();
  others.come_all();
  for (int i = 0; i < 4; ++i) others.deliver_one();
  others.rounds[0]->hear(1, {.kind = Kind::come, .id = 2}, {});
  others.rounds[0]->hear(2, {.kind = Kind::come, .id = 2}, {});
  EXPECT_NE(message_of<DataError>([&] {
              others.rounds[0]->hear(1, slice(2, 0), at::ones({64}));
            }).find("must be of server 2 in one of 4 steps"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] {
              others.rounds[0]->hear(2, slice(2, 1), at::ones({5}));
            }).find("slice of 5 elements from 1 in step 0: must be one of the round's"),
            std::string::npos);
}

TEST(ServerSync, KnowsItsNames) {
  for (const auto way : kWays) EXPECT_EQ(server_sync(name_of(way)), way);
  EXPECT_EQ(message_of([] { server_sync("mesh"); }),
            "server_sync: must be all-reduce, ring or async-scatter-sum, got 'mesh'");
}

}  // namespace
}  // namespace tandem::servers
