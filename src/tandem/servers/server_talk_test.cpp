// What a server says to whom, by calls and with a clock of the test's own.
#include "tandem/servers/server_talk.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/servers/table_plan_test.h"

namespace tandem::servers {
namespace {

struct Said {
  std::string who;
  Header header;
  std::vector<Frame> payload;
};

struct Talk {
  explicit Talk(const ServerPlan& plan) : plan(plan) {}

  void hear(const std::string& who, const Header& header, std::vector<Frame> payload, double now) {
    payload.insert(payload.begin(), Frame::of(encode(header)));
    talk.hear(who, payload, now);
  }
  void hello(int32_t worker, double now, const std::string& run = "") {
    std::vector<Frame> payload{Frame::of(plan.encode())};
    for (int64_t b = 0; worker == 0 && b < plan.blocks(); ++b)
      payload.push_back(Frame::of(at::zeros({plan.block_elements(b)})));
    hear(name(worker) + run, {.kind = Kind::hello, .worker = worker}, payload, now);
  }
  void push(int32_t worker, uint64_t id, int64_t version, double now) {
    for (int64_t b = 0; b < plan.blocks(); ++b)
      hear(name(worker), {.kind = Kind::push, .worker = worker, .id = id, .block = b, .version = version, .rows = 1},
           {Frame::of(at::ones({plan.block_elements(b)}))}, now);
  }
  void ask(const std::string& who, int32_t place, int64_t pass, int64_t batches, double now) {
    hear(who,
         {.kind = Kind::desk,
          .worker = place,
          .id = ++asked,
          .block = static_cast<int64_t>(DeskAsk::take),
          .version = pass,
          .rows = batches},
         {Frame::of(std::string())}, now);
  }
  // The batch that is dealt, or -1 with what is said instead.
  int64_t take(const std::string& who, int32_t place, int64_t pass, int64_t batches, double now) {
    ask(who, place, pass, batches, now);
    return dealt();
  }
  int64_t dealt() const {
    const auto deal = static_cast<Deal>(last().header.staleness);
    return last().header.kind == Kind::desk && deal == Deal::batch ? last().header.block : -1;
  }
  bool hears(const std::string& who, const std::string& text) const {
    return std::any_of(said.begin(), said.end(), [&](const Said& one) {
      return one.who == who && !one.payload.empty() && one.payload[0].text() == text;
    });
  }
  static std::string name(int32_t worker) { return "worker-" + std::to_string(worker); }
  const Said& last() const { return said.back(); }
  std::string last_text() const { return std::string(said.back().payload.at(0).text()); }

  ServerPlan plan;
  uint64_t asked = 0;
  std::vector<Said> said;
  ServerTalk talk{10, [this](const std::string& who, const Header& header, std::vector<Frame> payload) {
                    said.push_back({who, header, std::move(payload)});
                  }};
};

ServerPlan plan_in(ServerMode mode) {
  return plan_of("SGD", Config::object(), {.mode = mode, .workers = 2, .staleness = 1}, 1, 64);
}

TEST(ServerTalk, GreetsWhenWorkerZeroHasBroughtTheParameters) {
  Talk talk(plan_in(ServerMode::sync));
  talk.hello(1, 0);
  EXPECT_TRUE(talk.said.empty());
  talk.hello(0, 1);
  ASSERT_EQ(talk.said.size(), 2);
  EXPECT_EQ(talk.said[0].who, "worker-0");
  EXPECT_EQ(talk.said[1].who, "worker-1");
  EXPECT_EQ(talk.last().header.kind, Kind::hello);
  EXPECT_FALSE(talk.talk.nobody());
}

TEST(ServerTalk, RowsMustBeThoseOfATableAndHaveTheirValues) {
  Talk talk(table_plan("SGD", Config::object(), {}, 1));
  talk.hello(0, 0);
  const int64_t block = talk.plan.blocks() - 1;
  const auto rows = Frame::of(encode_rows(at::tensor({0, 2}, at::kLong)));
  const auto values = [](int64_t n) { return Frame::of(at::ones({n})); };
  talk.hear("worker-0", {.kind = Kind::rows, .id = 5, .block = block}, {rows}, 0);
  EXPECT_EQ(talk.last().header.kind, Kind::rows);
  EXPECT_EQ(talk.last().payload.at(0).size(), 2 * 5 * sizeof(float));
  const auto refused = [&](Kind kind, int64_t of, const std::vector<Frame>& payload) {
    talk.hear("worker-0", {.kind = kind, .id = 1, .block = of}, payload, 0);
    return talk.last().header.kind == Kind::error ? talk.last_text() : "";
  };
  const auto place = "block " + std::to_string(block);
  EXPECT_EQ(refused(Kind::push, block, {rows, values(9)}),
            "worker 0: message of worker 0: " + place + " must have 40 bytes, got 36");
  EXPECT_EQ(refused(Kind::push, block, {values(20)}), "worker 0: a push of a table's rows must have two payloads");
  EXPECT_EQ(refused(Kind::push, 0, {rows, values(1)}), "worker 0: a push must have one payload");
  EXPECT_EQ(refused(Kind::push, block + 1, {values(1)}), "worker 0: message of worker 0: block must be from 0 to " +
                                                             std::to_string(block) + ", got " +
                                                             std::to_string(block + 1));
  EXPECT_EQ(refused(Kind::rows, block, {rows, rows}), "worker 0: a question for rows must have one payload at most");
  EXPECT_NE(refused(Kind::rows, 0, {}).find("must be of a table's block that is here, got block 0"), std::string::npos);
  EXPECT_NE(refused(Kind::rows, 99, {}).find("got block 99"), std::string::npos);
}

TEST(ServerTalk, ASilentWorkerIsLostInAsyncAndEndsSync) {
  for (const auto mode : {ServerMode::async, ServerMode::sync}) {
    Talk talk(plan_in(mode));
    talk.hello(0, 0);
    talk.hello(1, 0);
    for (double now = 0.5; now < 10; now += 0.5) {
      talk.hear("worker-0", {.kind = Kind::ping}, {}, now);
      talk.talk.look(now);
    }
    talk.said.clear();
    talk.push(0, 1, 0, 10);
    talk.talk.look(10.4);
    if (mode == ServerMode::async) {
      EXPECT_EQ(talk.last().header.outcome, Outcome::applied);
      talk.push(1, 1, 0, 11);
      EXPECT_EQ(talk.last().who, "worker-1");
      EXPECT_EQ(talk.last_text(),
                "worker 1: is not known here: it was given up after 10 s of silence, or the server has begun anew");
      talk.hello(1, 12, "-again");
      EXPECT_EQ(talk.last().header.kind, Kind::hello);
    } else {
      EXPECT_EQ(talk.last().who, "worker-0");
      EXPECT_EQ(talk.last_text(), "worker 1 has been silent for 10 s, and mode sync needs all workers");
      EXPECT_EQ(talk.talk.failure(), talk.last_text());
    }
  }
}

TEST(ServerTalk, ItsOwnSleepIsNotTheWorkersSilence) {
  Talk talk(plan_in(ServerMode::sync));
  talk.hello(0, 0);
  talk.hello(1, 0);
  talk.talk.look(1);
  talk.talk.look(30);
  EXPECT_EQ(talk.talk.failure(), "");
}

TEST(ServerTalk, EndsWhenAllHaveLeft) {
  Talk talk(plan_in(ServerMode::async));
  talk.hello(0, 0);
  talk.hear("worker-0", {.kind = Kind::leave}, {}, 1);
  EXPECT_TRUE(talk.talk.nobody());
  EXPECT_FALSE(talk.talk.all_have_left());  // worker 1 may come yet
  talk.hello(1, 2);
  talk.hear("worker-1", {.kind = Kind::leave, .worker = 1}, {}, 3);
  EXPECT_TRUE(talk.talk.all_have_left());
}

TEST(ServerTalk, ThoseThatFailedAreNotDone) {
  Talk talk(plan_in(ServerMode::async));
  for (int32_t w = 0; w < 2; ++w) talk.hello(w, 0);
  for (int32_t w = 0; w < 2; ++w) talk.hear(Talk::name(w), {.kind = Kind::leave, .worker = w, .id = 1}, {}, 1);
  EXPECT_TRUE(talk.talk.all_have_left());
  EXPECT_FALSE(talk.talk.any_is_done());
  talk.hello(1, 2, "-again");
  talk.hear("worker-1-again", {.kind = Kind::leave, .worker = 1}, {}, 3);
  EXPECT_TRUE(talk.talk.any_is_done());
}

TEST(ServerTalk, ARefusedWorkerHasCome) {
  auto plan = plan_in(ServerMode::async);
  plan.server_sync = "ring";
  Talk talk(plan);
  EXPECT_FALSE(talk.talk.anybody_came());
  talk.hello(0, 0);
  EXPECT_EQ(talk.last().header.kind, Kind::error);
  EXPECT_TRUE(talk.talk.nobody());
  EXPECT_TRUE(talk.talk.anybody_came());
}

TEST(ServerTalk, ARunAfterOneThatFailedGetsItsOwnBatches) {
  for (const bool noticed : {true, false}) {  // that the old one's connections do not come back
    Talk talk(plan_in(ServerMode::async));
    for (int32_t w = 0; w < 2; ++w) talk.hello(w, 0);
    EXPECT_EQ(talk.take("desk-0", 0, 5, 3, 0), 0);
    EXPECT_EQ(talk.take("desk-1", 1, 5, 3, 0), 1);
    talk.talk.away({"desk-0", "desk-1", "worker-0", "worker-1"});
    const auto notice = [&] {
      for (const char* who : {"desk-0", "desk-1", "worker-0", "worker-1"}) talk.talk.closed(who);
      talk.talk.away({});
    };
    if (noticed) notice();
    talk.hello(1, 1, "-again");
    talk.said.clear();
    if (!noticed) {
      talk.ask("desk-1-again", 1, 0, 2, 1);
      talk.talk.look(1.5);
      EXPECT_TRUE(talk.said.empty());
      EXPECT_FALSE(talk.talk.nobody());
      notice();
      talk.talk.look(2);
    }
    EXPECT_EQ(noticed ? talk.take("desk-1-again", 1, 0, 2, 1) : talk.dealt(), 0) << noticed;
    talk.hello(0, 2, "-again");
    EXPECT_EQ(talk.take("desk-0-again", 0, 0, 2, 2), 1) << noticed;
  }
}

// Its batches are its own, whoever comes while its connection is broken.
TEST(ServerTalk, OneWhoseConnectionBreaksKeepsItsBatches) {
  for (const bool all : {true, false}) {  // are away
    Talk talk(plan_in(ServerMode::async));
    for (int32_t w = 0; w < 2; ++w) talk.hello(w, 0);
    EXPECT_EQ(talk.take("desk-0", 0, 0, 4, 0), 0);
    if (!all) {
      EXPECT_EQ(talk.take("desk-2", 2, 0, 4, 0), 1);
    }
    talk.talk.away({"desk-0", "worker-0"});
    talk.said.clear();
    talk.ask("desk-1", 1, 0, 4, 1);
    EXPECT_EQ(talk.said.empty(), all);
    talk.talk.look(1.1);
    EXPECT_EQ(talk.said.empty(), all);
    talk.talk.away({});
    talk.talk.look(1.2);
    EXPECT_EQ(talk.dealt(), all ? 1 : 2);
    EXPECT_EQ(talk.take("desk-0", 0, 0, 4, 2), all ? 2 : 3);
  }
}

TEST(ServerTalk, OneThatComesBackGoesOnWithTheOthers) {
  Talk talk(plan_in(ServerMode::async));
  for (int32_t w = 0; w < 2; ++w) talk.hello(w, 0);
  EXPECT_EQ(talk.take("desk-0", 0, 5, 3, 0), 0);
  EXPECT_EQ(talk.take("desk-1", 1, 5, 3, 0), 1);
  talk.talk.closed("desk-0");
  EXPECT_EQ(talk.take("desk-0-again", 0, 0, 3, 1), -1);  // that pass is over
  EXPECT_EQ(talk.take("desk-0-again", 0, 5, 3, 1), 0);
}

TEST(ServerTalk, WorkerZeroComesAfterItsEndWithAnotherRun) {
  Talk talk(plan_in(ServerMode::async));
  talk.hello(0, 0);
  const auto desk = [](int32_t place, uint64_t id, DeskAsk ask) {
    return Header{.kind = Kind::desk, .worker = place, .id = id, .block = static_cast<int64_t>(ask)};
  };
  talk.hear("desk-0", desk(0, 1, DeskAsk::say), {Frame::of("0"), Frame::of("seed 7")}, 0);
  talk.hear("desk-0", desk(0, 2, DeskAsk::leave), {}, 0);
  talk.hear("worker-0", {.kind = Kind::leave}, {}, 0);
  talk.hello(1, 1);
  talk.hear("desk-1", desk(1, 1, DeskAsk::hear), {Frame::of("0")}, 1);
  EXPECT_EQ(talk.last_text(), "seed 7");  // late, but of the same run
  talk.hello(0, 2, "-again");
  EXPECT_EQ(talk.take("desk-0-again", 0, 0, 2, 2), 0);
  EXPECT_TRUE(talk.hears("desk-1", "worker 0 has begun another training"));
  EXPECT_EQ(talk.take("desk-1-again", 1, 0, 2, 2), 1);
}

TEST(ServerTalk, TellsAnotherRunFromWhichUpdateItGoesOn) {
  Talk talk(plan_in(ServerMode::async));
  talk.hello(0, 0);
  EXPECT_EQ(talk.last().header.version, 0);
  talk.push(0, 1, 0, 0);
  talk.hello(1, 0);
  EXPECT_EQ(talk.last().header.version, 0);  // it joins
  for (int32_t w = 0; w < 2; ++w) talk.talk.closed(Talk::name(w));
  talk.hello(1, 1, "-again");
  EXPECT_EQ(talk.last().header.version, 1);
}

TEST(ServerTalk, WorkersAreToldThatItIsBeingStopped) {
  Talk talk(plan_in(ServerMode::async));
  talk.hello(0, 0);
  talk.hear("worker-0", {.kind = Kind::ping}, {}, 0);
  EXPECT_EQ(talk.last().header.staleness, 0);
  talk.said.clear();
  talk.talk.stop_work();
  ASSERT_EQ(talk.said.size(), 1U);
  EXPECT_EQ(talk.last().who, "worker-0");
  EXPECT_EQ(talk.last().header.kind, Kind::ping);
  EXPECT_EQ(talk.last().header.staleness, 1);
  talk.hear("worker-0", {.kind = Kind::ping}, {}, 0);
  EXPECT_EQ(talk.last().header.staleness, 1);
  EXPECT_EQ(talk.take("desk-0", 0, 0, 2, 0), -1);
  EXPECT_EQ(static_cast<Deal>(talk.last().header.staleness), Deal::stopped);
}

TEST(ServerTalk, ASecondProcessOfARunningWorkerIsRefused) {
  Talk async(plan_in(ServerMode::async));
  async.hello(0, 0);
  async.hello(1, 0);
  async.said.clear();
  async.hello(1, 1, "-again");
  async.hear("worker-1", {.kind = Kind::ping, .worker = 1}, {}, 2);  // may have been said before its end
  async.talk.look(2.1);
  EXPECT_FALSE(async.hears("worker-1-again", "worker 1: is here already, in another process"));
  async.hear("worker-1", {.kind = Kind::ping, .worker = 1}, {}, 3.5);
  async.talk.look(3.6);
  EXPECT_EQ(async.last().who, "worker-1-again");
  EXPECT_EQ(async.last().header.kind, Kind::error);
  EXPECT_EQ(async.last_text(), "worker 1: is here already, in another process");
  async.push(1, 1, 0, 4);
  EXPECT_EQ(async.last().header.outcome, Outcome::applied);
  Talk sync(plan_in(ServerMode::sync));  // at once: none can come back
  sync.hello(0, 0);
  sync.hello(1, 0);
  sync.hello(1, 1, "-again");
  EXPECT_EQ(sync.last_text(), "worker 1: is here already, in another process");
}

TEST(ServerTalk, AWorkerThatBeginsAnewTakesThePlaceOfItsOlderRun) {
  for (const bool closes : {true, false}) {  // else that one is silent
    Talk talk(plan_in(ServerMode::async));
    talk.hello(0, 0);
    talk.hello(1, 0);
    talk.push(1, 5, 0, 1);
    talk.said.clear();
    talk.hello(1, 2, "-again");
    for (double now = 2; now < 10.9; now += 0.5) {
      talk.hear("worker-0", {.kind = Kind::ping}, {}, now);
      talk.talk.look(now);
    }
    EXPECT_FALSE(talk.hears("worker-1-again", ""));
    if (closes) talk.talk.closed("worker-1");
    talk.talk.look(closes ? 10.9 : 11.1);
    EXPECT_EQ(talk.last().who, "worker-1-again");
    EXPECT_EQ(talk.last().header.kind, Kind::hello);
    talk.push(1, 6, 0, 12);  // of the old run
    EXPECT_EQ(talk.last().header.kind, Kind::error);
  }
}

TEST(ServerTalk, SaysWhyNoneIsDone) {
  Talk talk(plan_in(ServerMode::async));
  EXPECT_EQ(talk.talk.why_none_is_done(), "no worker has come");
  for (int32_t w = 0; w < 2; ++w) talk.hello(w, 0);
  talk.talk.closed("worker-0");
  EXPECT_EQ(talk.talk.why_none_is_done(), "its workers have gone, and none said that it is done");
  talk.hear("worker-1", {.kind = Kind::leave, .worker = 1, .id = 1}, {}, 1);
  EXPECT_EQ(talk.talk.why_none_is_done(), "its workers have said that they cannot go on");
}

TEST(ServerTalk, ErrorsAreOneLineWhateverCame) {
  auto plan = plan_in(ServerMode::async);
  plan.optimizer = "Ad\nam";
  Talk talk(plan);
  talk.hello(0, 0);
  EXPECT_EQ(talk.last_text().rfind("worker 0: optimizer 'Ad am' is not known", 0), 0) << talk.last_text();
}

TEST(ServerTalk, NamesWhatDiffersInAWorkersPlan) {
  const auto plan = plan_in(ServerMode::async);
  const auto said = [&](const ServerPlan& other) {
    Talk talk(plan);
    talk.hello(0, 0);
    talk.hear("worker-1", {.kind = Kind::hello, .worker = 1}, {Frame::of(other.encode())}, 0);
    return talk.last_text();
  };
  const std::string own = "worker 1: its plan differs from worker 0's: ";
  EXPECT_EQ(said(plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 2, .staleness = 1}, 1, 64)),
            own + "mode stale where worker 0 has async");
  EXPECT_EQ(said(plan_of("SGD", Config::object({{"momentum", 0.5}}),
                         {.mode = ServerMode::async, .workers = 2, .staleness = 1}, 1, 64)),
            own + "optimizer's momentum 0.5 where worker 0 has 0.0");
  EXPECT_EQ(said(plan_of("Adam", Config::object(), {.mode = ServerMode::async, .workers = 2, .staleness = 1}, 1, 64)),
            own + "optimizer Adam where worker 0 has SGD");
  auto other = plan;
  other.weights[1].name = "another";
  EXPECT_EQ(said(other).find(own + "weight 1 'another' ["), 0) << said(other);
  EXPECT_EQ(said(plan_of("SGD", Config::object(), {.mode = ServerMode::async, .workers = 2, .staleness = 1}, 1, 128)),
            own + "messages of other sizes than worker 0 (bucket_bytes)");
}

TEST(ServerTalk, WrongMessagesAreAnsweredByTheirError) {
  Talk talk(plan_in(ServerMode::async));
  talk.hello(0, 0);
  talk.hear("worker-0", {.kind = Kind::push, .id = 1}, {Frame::of("short")}, 0);
  EXPECT_EQ(talk.last_text(), "worker 0: message of worker 0: block 0 must have 64 bytes, got 5");
  talk.hear("worker-0", {.kind = Kind::push, .worker = 1, .id = 1}, {}, 0);
  EXPECT_EQ(talk.last_text(), "worker 1: must be 0 as it said first");
  talk.hear("worker-0", {.kind = Kind::set_state}, {Frame::of("x")}, 0);
  EXPECT_EQ(talk.last().header.kind, Kind::error);
  talk.hear("worker-7", {.kind = Kind::hello, .worker = 7}, {Frame::of(talk.plan.encode())}, 0);
  EXPECT_EQ(talk.last_text(), "worker 7: message to a server: worker must be below 2, got 7");
  const auto count = talk.said.size();
  talk.talk.hear("stranger", {Frame::of("no header")}, 0);
  talk.talk.hear("stranger", {}, 0);
  EXPECT_EQ(talk.said.size(), count);
}

}  // namespace
}  // namespace tandem::servers
