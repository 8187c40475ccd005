// What a server makes of pushes and pulls that are repeated, since some of its answers were lost.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tandem/servers/parameter_table_test.h"
#include "tandem/servers/plan_test.h"

namespace tandem::servers {
namespace {

// Between a push and its duplicate others may have made updates: some blocks then are newer than others.
TEST(LostAnswers, AreMadeUpForByNewerOnes) {
  for (const auto mode : {ServerMode::stale, ServerMode::async}) {
    Table server(plan_of("SGD", Config::object(), {.mode = mode, .workers = 2, .staleness = 2}, 1, 64));
    const auto ones = at::ones({server.plan.elements});
    for (int64_t w = 0; w < 2; ++w) server.table->pull(w, 1);
    server.push(0, 1, 0, ones);
    server.push(1, 1, 0, ones);
    server.push_block(0, 0, 1, 0, ones);
    EXPECT_EQ(server.last().outcome, Outcome::duplicate);
    EXPECT_EQ(server.last().version, 2);
    server.push(0, 2, 1, ones);  // of the oldest of its blocks
    EXPECT_EQ(server.last().outcome, Outcome::applied);
    EXPECT_EQ(server.last().staleness, 1);
    server.push(1, 2, 2, ones);
    for (int64_t b = 0; b < server.plan.blocks(); ++b) server.push_block(b, 0, 2, 1, ones);
    server.push(0, 3, 4, ones);  // no block of the first answer has come
    EXPECT_EQ(server.last().staleness, 0);
    EXPECT_EQ(server.table->figures().by_staleness, (std::vector<int64_t>{2, 3}));
  }
}

TEST(LostAnswers, ParametersThatAreAskedForOnceMoreMayHaveComeBefore) {
  Table server(plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 2, .staleness = 1}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  for (int64_t w = 0; w < 2; ++w) server.table->pull(w, 1);
  server.push(1, 1, 0, ones);
  server.table->pull(0, 1);
  EXPECT_EQ(server.last().version, 1);
  server.push(1, 2, 1, ones);
  EXPECT_EQ(server.last().outcome, Outcome::held);  // another update would leave it two behind
  server.push(0, 1, 0, ones);
  EXPECT_EQ(server.last().staleness, 1);
  server.table->pull(0, 2);  // another one
  server.push(0, 2, 2, ones);
  EXPECT_EQ(server.table->figures().max_staleness, 1);
}

TEST(LostAnswers, StalenessIsTrueAndBoundWhateverAnswersAreLost) {
  constexpr int64_t kWorkers = 3, kBound = 2;
  const auto wishes = [](ServerMode mode) {
    return ServerPlan{.mode = mode, .workers = kWorkers, .staleness = kBound};
  };
  for (const auto mode : {ServerMode::stale, ServerMode::async}) {
    const auto plan = plan_of("SGD", Config::object(), wishes(mode), 1, 64);
    const auto ones = at::ones({plan.elements});
    Table server(plan);
    std::mt19937 random(1);
    // By worker and block: the version that has come, and whether it waits for one.
    std::vector<std::vector<int64_t>> came(kWorkers, std::vector<int64_t>(static_cast<std::size_t>(plan.blocks())));
    std::vector<std::vector<bool>> waits(kWorkers, std::vector<bool>(static_cast<std::size_t>(plan.blocks())));
    std::vector<uint64_t> ids(kWorkers);
    std::vector<int64_t> made_of(kWorkers);
    const auto take_answers = [&](std::size_t w) {
      const auto comes = random() % 4;  // 0: none, 3: all
      for (const auto& [worker, answer] : server.answers) {
        if (worker != static_cast<int64_t>(w) || random() % 3 >= comes) continue;
        const auto b = static_cast<std::size_t>(answer.block);
        if (waits[w][b]) came[w][b] = answer.version;
        waits[w][b] = false;
      }
      server.answers.clear();
    };
    for (int64_t w = 0; w < kWorkers; ++w) server.table->pull(w, 1);
    server.answers.clear();
    for (int turn = 0; turn < 3000; ++turn) {
      const auto w = random() % kWorkers;
      const auto worker = static_cast<int64_t>(w);
      const bool anew = std::find(waits[w].begin(), waits[w].end(), true) == waits[w].end();
      if (anew) {
        ++ids[w];
        made_of[w] = *std::min_element(came[w].begin(), came[w].end());
        waits[w].assign(waits[w].size(), true);
      }
      const auto before = server.table->figures().gradients();
      const int64_t age = *server.table->version() - made_of[w];
      for (int64_t b = 0; b < plan.blocks(); ++b) {
        if (waits[w][static_cast<std::size_t>(b)]) server.push_block(b, worker, ids[w], made_of[w], ones);
      }
      if (anew) {
        EXPECT_EQ(server.last().staleness, age);
      }
      EXPECT_EQ(server.table->figures().gradients() > before, anew && server.last().outcome == Outcome::applied);
      take_answers(w);
    }
    if (mode == ServerMode::stale) {
      EXPECT_EQ(server.table->figures().max_staleness, kBound);
    }
    EXPECT_GT(server.table->figures().duplicates, 0);
  }
}

}  // namespace
}  // namespace tandem::servers
