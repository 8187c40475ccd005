#include "tandem/servers/work_desk.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

class WorkDeskTest : public ::testing::Test {
 protected:
  WorkDeskTest() {
    for (const auto& [who, place] : {std::pair("b", 1), std::pair("a", 0), std::pair("c", 2)}) desk_.come(who, place);
  }
  // What was sent last to `who`, once.
  std::string told(const std::string& who) {
    const auto found = last_.find(who);
    if (found == last_.end()) return "";
    const auto answer = found->second;
    last_.erase(found);
    if (answer.deal == Deal::batch) return "batch " + std::to_string(answer.batch);
    if (answer.deal == Deal::later) return "later";
    if (answer.deal == Deal::stopped) return "stopped";
    std::string said = answer.said.empty() ? "over" : "said";
    for (const auto& text : answer.said) said += " " + text;
    return said;
  }
  std::string take(const std::string& who, int64_t pass, int64_t batches, const std::vector<int64_t>& done = {},
                   bool waits = false) {
    desk_.take(who, {.id = ++id_, .pass = pass, .batches = batches, .done = done, .waits = waits});
    return told(who);
  }

  std::map<std::string, WorkDesk::Answer> last_;
  WorkDesk desk_{[this](const std::string& who, const WorkDesk::Answer& answer) { last_[who] = answer; }};
  uint64_t id_ = 0;
};

TEST_F(WorkDeskTest, DealsNothingOfAPassThatIsStopped) {
  EXPECT_EQ(take("a", 1, 2), "batch 0");
  EXPECT_EQ(take("b", 1, 2), "batch 1");
  EXPECT_EQ(take("c", 1, 2, {}, true), "");
  desk_.stop(1);
  EXPECT_EQ(told("c"), "stopped");
  EXPECT_EQ(take("a", 1, 2, {0}), "stopped");
  EXPECT_EQ(take("b", 2, 2), "batch 0");
  desk_.stop(7);
  EXPECT_EQ(take("a", 5, 2), "stopped");
  desk_.stop(-1);
  EXPECT_EQ(take("a", 5, 2), "batch 0");
}

TEST_F(WorkDeskTest, DealsEachBatchOnceAndEndsWhenAllAreDone) {
  EXPECT_EQ(take("a", 0, 3), "batch 0");
  EXPECT_EQ(take("b", 0, 3), "batch 1");
  EXPECT_EQ(take("a", 0, 3), "batch 2");
  EXPECT_EQ(take("a", 0, 3), "later");
  EXPECT_EQ(take("c", 0, 3, {}, true), "");
  EXPECT_EQ(take("a", 0, 3, {0, 2}), "later");
  EXPECT_EQ(take("a", 0, 3, {1}), "later");  // is not its own
  EXPECT_EQ(told("c"), "");
  EXPECT_EQ(take("b", 0, 3, {1}), "over");
  EXPECT_EQ(told("c"), "over");
  EXPECT_EQ(take("a", 0, 3), "over");
  EXPECT_EQ(take("b", 1, 2), "batch 0");
  EXPECT_EQ(take("c", 0, 3), "over");  // one that is late
}

TEST_F(WorkDeskTest, WhatALostOneHadIsDealtAgain) {
  EXPECT_EQ(take("a", 0, 2), "batch 0");
  EXPECT_EQ(take("b", 0, 2), "batch 1");
  EXPECT_EQ(take("c", 0, 2, {}, true), "");
  desk_.gone("a");
  EXPECT_EQ(told("c"), "batch 0");
  desk_.come("a", 0);
  EXPECT_EQ(take("a", 0, 2, {0}), "later");  // is another's now
  EXPECT_EQ(take("b", 0, 2, {1}, true), "");
  EXPECT_EQ(take("c", 0, 2, {0}), "over");
  EXPECT_EQ(told("b"), "over");
}

TEST_F(WorkDeskTest, AQuestionThatIsAskedAgainGetsTheSameAnswer) {
  desk_.take("a", {7, 0, 2, {}, false});
  EXPECT_EQ(told("a"), "batch 0");
  desk_.take("a", {7, 0, 2, {}, false});
  EXPECT_EQ(told("a"), "batch 0");
  desk_.take("a", {8, 0, 2, {0}, false});
  EXPECT_EQ(told("a"), "batch 1");
  desk_.take("b", {1, 0, 2, {}, true});
  desk_.take("b", {1, 0, 2, {}, true});
  desk_.take("a", {9, 0, 2, {1}, false});
  EXPECT_EQ(told("a"), "over");
  EXPECT_EQ(told("b"), "over");
}

TEST_F(WorkDeskTest, EveryBatchIsDoneOnceWhoeverIsLost) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    WorkDesk desk([this](const std::string& who, const WorkDesk::Answer& answer) { last_[who] = answer; });
    std::map<std::string, std::vector<int64_t>> has;
    std::multiset<int64_t> made;
    uint64_t id = 0;
    const auto name = [&](int place, int life) { return std::to_string(place) + "/" + std::to_string(life); };
    std::vector<int> life(3, 0);
    for (int place = 0; place < 3; ++place) desk.come(name(place, 0), place);
    bool over = false;
    while (!over) {
      const int place = static_cast<int>(random() % 3);
      const auto who = name(place, life[static_cast<std::size_t>(place)]);
      if (random() % 10 == 0) {
        desk.gone(who);
        has.erase(who);
        desk.come(name(place, ++life[static_cast<std::size_t>(place)]), place);
      } else {
        const auto done = random() % 2 == 0 ? std::exchange(has[who], {}) : std::vector<int64_t>();
        made.insert(done.begin(), done.end());
        desk.take(who, {++id, 0, 20, done, false});
        const auto answer = last_.at(who);
        if (answer.deal == Deal::batch) has[who].push_back(answer.batch);
        over = answer.deal == Deal::over;
      }
    }
    std::multiset<int64_t> all;
    for (int64_t batch = 0; batch < 20; ++batch) all.insert(batch);
    EXPECT_EQ(made, all) << "seed " << seed;
  }
}

TEST_F(WorkDeskTest, BatchesMustBeAsManyForAll) {
  EXPECT_EQ(take("a", 4, 3), "batch 0");
  EXPECT_EQ(message_of<DataError>([&] { take("b", 4, 5); }),
            "pass 4: all processes must have as many batches, got 5 where the first one has 3");
}

TEST_F(WorkDeskTest, GathersInTheOrderOfPlacesFromAllThatAreThere) {
  desk_.gather("c", 1, "end", "third");
  desk_.gather("a", 2, "end", "first");
  EXPECT_EQ(told("a"), "");
  desk_.gather("b", 3, "end", "second");
  for (const std::string who : {"a", "b", "c"}) EXPECT_EQ(told(who), "said first second third");
  desk_.come("d", 3);
  desk_.gather("d", 4, "end", "late");
  EXPECT_EQ(told("d"), "said first second third");
  desk_.gather("b", 5, "next", "B");
  desk_.gather("d", 6, "next", "D");
  desk_.gather("a", 7, "next", "A");
  desk_.gone("a");  // what it has said goes with it
  EXPECT_EQ(told("b"), "");
  desk_.gone("c");
  EXPECT_EQ(told("b"), "said B D");
  EXPECT_EQ(told("d"), "said B D");
}

TEST_F(WorkDeskTest, TellsWhatOneHasSaidAlsoToThoseThatComeLate) {
  desk_.hear("b", 1, "fit 0");
  EXPECT_EQ(told("b"), "");
  desk_.say("fit 0", "seed 7");
  EXPECT_EQ(told("b"), "said seed 7");
  desk_.hear("c", 2, "fit 0");
  EXPECT_EQ(told("c"), "said seed 7");
}

TEST_F(WorkDeskTest, OneThatEndsItsShareTellsWhatItHasMadeAndLeavesTheRest) {
  EXPECT_EQ(take("a", 1, 3), "batch 0");
  EXPECT_EQ(take("b", 1, 3), "batch 1");
  desk_.take("a", {.id = ++id_, .pass = 1, .batches = 3, .done = {0}, .ends = true});
  EXPECT_EQ(told("a"), "over");
  EXPECT_EQ(take("c", 1, 3), "batch 2");
  EXPECT_EQ(take("c", 1, 3, {2}, true), "");  // b may fail
  desk_.take("b", {.id = ++id_, .pass = 1, .batches = 3, .done = {1}, .ends = true});
  EXPECT_EQ(told("b"), "over");
  EXPECT_EQ(told("c"), "over");
}

}  // namespace
}  // namespace tandem::servers
