// What a server makes of pushes, by calls, compared with plain optimizers on gradients that are added up here.
#include "tandem/servers/parameter_table.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tandem/comm/sum_tree.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/servers/parameter_table_test.h"
#include "tandem/servers/plan_test.h"
#include "tandem/testing/message_of.h"

namespace tandem::servers {
namespace {

using testing::message_of;

TEST(ParameterTable, SyncEqualsThePlainOptimizerToTheBitWhoeverComesFirst) {
  for (const auto& [name, config] : rules()) {
    const auto plan = plan_of(name, config, {.mode = ServerMode::sync, .workers = 3}, 1, 64);
    ASSERT_GT(plan.blocks(), 3);
    Table server(plan);
    PlainTraining plain(plan);
    std::mt19937 random(1);
    for (int step = 0; step < 4; ++step) {
      const auto gradients = some_gradients(plan, 3, step);
      std::vector<std::pair<int64_t, int64_t>> order;
      for (int64_t w = 0; w < 3; ++w) {
        for (int64_t b = 0; b < plan.blocks(); ++b) order.emplace_back(w, b);
      }
      std::shuffle(order.begin(), order.end(), random);
      for (const auto& [w, b] : order)
        server.push_block(b, w, static_cast<uint64_t>(step) + 1, step, gradients[static_cast<std::size_t>(w)]);
      plain.update(tree_sum(gradients));
      EXPECT_TRUE(server.table->parameters().equal(plain.parameters())) << name << " " << config.shown();
      EXPECT_EQ(server.answers.size(), static_cast<std::size_t>(3 * plan.blocks() * (step + 1)));
    }
    EXPECT_EQ(server.table->figures().updates, 4);
    EXPECT_EQ(server.table->figures().by_staleness, (std::vector<int64_t>{12}));
  }
}

TEST(ParameterTable, SyncUpdatesABlockAsSoonAsItsGradientsAreIn) {
  Table server(plan_of("SGD", Config::object(), {.workers = 2}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  server.push_block(1, 0, 1, 0, ones);
  EXPECT_TRUE(server.answers.empty());
  EXPECT_EQ(server.table->waiting_for(), "worker 1");
  server.push_block(1, 1, 1, 0, ones);
  ASSERT_EQ(server.answers.size(), 2);
  EXPECT_EQ(server.last().block, 1);
  EXPECT_EQ(server.last().version, 1);
  // Both got the same memory.
  EXPECT_EQ(server.answers[0].answer.parameters.data_ptr(), server.answers[1].answer.parameters.data_ptr());
}

TEST(ParameterTable, BackupWorkersAreLeftOutAndTheSumIsRescaledByRows) {
  Table server(plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.workers = 3, .backup_workers = 1}, 1, 64));
  const auto n = server.plan.elements;
  server.push(2, 1, 0, at::full({n}, 1.0), 4, 12);
  server.push_block(0, 1, 1, 0, at::full({n}, 100.0), 2, 12);  // by half
  server.push(0, 1, 0, at::full({n}, 2.0), 6, 12);
  // (1 + 2) * 12 / (4 + 6)
  EXPECT_TRUE(at::allclose(server.table->parameters(), at::full({n}, -3.6)));
  EXPECT_EQ(server.answers.back().worker, 2);
  for (int64_t b = 1; b < server.plan.blocks(); ++b) {
    EXPECT_EQ(server.table->figures().dropped, 0);
    server.push_block(b, 1, 1, 0, at::full({n}, 100.0), 2, 12);
  }
  // It is answered as one when it is whole.
  const auto count = static_cast<std::size_t>(server.plan.blocks());
  ASSERT_EQ(server.answers.size(), 3 * count);
  for (std::size_t i = 2 * count; i < 3 * count; ++i) {
    EXPECT_EQ(server.answers[i].worker, 1);
    EXPECT_EQ(server.answers[i].answer.outcome, Outcome::dropped);
    EXPECT_EQ(server.answers[i].answer.version, 1);
  }
  EXPECT_EQ(server.table->figures().dropped, 1);
  EXPECT_EQ(server.table->figures().dropped_rows, 2);
  server.push(1, 2, 1, at::zeros({n}));
  server.push(0, 2, 1, at::zeros({n}));
  EXPECT_EQ(server.last().outcome, Outcome::applied);
}

// As workers that are not in step push: sums over their rows, of which nobody knows beforehand how many are taken.
TEST(ParameterTable, TheLastUpdateOfAPassIsMadeOfWhatIsLeft) {
  Table server(plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.workers = 3, .backup_workers = 1}, 1, 64));
  const auto n = server.plan.elements;
  auto& table = *server.table;
  for (int64_t w = 0; w < 3; ++w) table.pull(w, 1, 1);
  server.push(0, 1, 0, at::full({n}, 8.0), 4, 1, 0.5);
  server.push(2, 1, 0, at::full({n}, 1.0), 2, 1, 7.0);  // the first worker's rate holds
  EXPECT_TRUE(at::allclose(table.parameters(), at::full({n}, -0.5 * 9 / 6)));
  server.push(0, 2, 1, at::full({n}, 6.0), 3, 1, 0.5);
  table.rest(2, 1);
  EXPECT_EQ(table.figures().updates, 1);  // worker 1 may still come
  table.rest(1, 1);
  EXPECT_EQ(table.figures().updates, 2);
  EXPECT_EQ(server.last().outcome, Outcome::applied);
  EXPECT_TRUE(at::allclose(table.parameters(), at::full({n}, -0.75 - 1)));
  table.rest(0, 1);
  // In the next one all are expected again, whoever is the first.
  table.pull(0, 2, 2);
  server.push(0, 3, 2, at::full({n}, 1.0), 1, 1);
  for (int64_t w = 0; w < 3; ++w)
    table.rest(w);  // that a worker rests says nothing of a pass; what it waits for is dropped
  EXPECT_EQ(table.figures().updates, 2);
  EXPECT_EQ(table.figures().dropped_rows, 1);
  // One that comes back to a pass that it had ended is expected alone.
  for (int64_t w = 0; w < 3; ++w) table.rest(w, 2);
  table.pull(1, 2, 2);
  server.push(1, 1, 2, at::full({n}, 2.0), 2, 1, 0.5);
  EXPECT_EQ(table.figures().updates, 3);
}

TEST(ParameterTable, BackupWorkersMayBeLost) {
  Table server(plan_of("SGD", Config::object({{"learning_rate", 1.0}}), {.workers = 3, .backup_workers = 1}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  auto& table = *server.table;
  server.push_block(0, 2, 1, 0, ones);
  table.lost(2, "has been silent for 10 s");
  server.push(0, 1, 0, ones);
  server.push(1, 1, 0, ones);
  EXPECT_EQ(table.figures().updates, 1);
  table.join(2);  // it begins anew
  table.pull(2);
  server.push(2, 1, 1, ones);
  server.push(1, 2, 1, ones);
  EXPECT_EQ(table.figures().updates, 2);
  table.lost(0, "has been silent for 10 s");
  EXPECT_EQ(message_of<PeerError>([&] { table.lost(1, "has been silent for 10 s"); }),
            "worker 1 has been silent for 10 s, and mode sync needs 2 of 3 workers");
}

TEST(ParameterTable, SyncNamesWhoHasLeftAndWhoIsLost) {
  const auto plan = plan_of("SGD", Config::object(), {.workers = 2}, 1, 64);
  const auto ones = at::ones({plan.elements});
  Table left(plan);
  left.table->leave(1);
  EXPECT_NE(message_of<PeerError>([&] { left.push(0, 1, 0, ones); }).find("worker 1 has left"), std::string::npos);
  Table waits(plan);
  waits.push(0, 1, 0, ones);
  EXPECT_NE(message_of<PeerError>([&] { waits.table->leave(1); }).find("worker 1 has left"), std::string::npos);
  Table lost(plan);
  EXPECT_EQ(message_of<PeerError>([&] { lost.table->lost(1, "has been silent for 10 s"); }),
            "worker 1 has been silent for 10 s, and mode sync needs all workers");
}

TEST(ParameterTable, AsyncAppliesEachPushAndCountsItsStaleness) {
  for (const auto& [name, config] : rules()) {
    const auto plan = plan_of(name, config, {.mode = ServerMode::async, .workers = 2}, 1, 64);
    Table server(plan);
    PlainTraining plain(plan);
    const auto gradients = some_gradients(plan, 3, 0);
    server.push(0, 1, 0, gradients[0]);
    server.push(0, 2, 1, gradients[1]);
    EXPECT_EQ(server.last().staleness, 0);
    server.push(1, 1, 0, gradients[2]);
    EXPECT_EQ(server.last().staleness, 2);
    EXPECT_EQ(server.last().version, 3);
    for (const auto& gradient : gradients) plain.update(gradient.clone());
    EXPECT_TRUE(server.table->parameters().equal(plain.parameters())) << name;
    EXPECT_EQ(server.table->figures().by_staleness, (std::vector<int64_t>{2, 0, 1}));
  }
}

TEST(ParameterTable, DuplicatesChangeNothing) {
  for (const auto mode : {ServerMode::sync, ServerMode::stale, ServerMode::async}) {
    Table server(plan_of("SGD", Config::object(), {.mode = mode, .workers = 1, .staleness = 1}, 1, 64));
    const auto ones = at::ones({server.plan.elements});
    server.table->pull(0);
    server.push(0, 1, 0, ones);
    const auto after = server.table->parameters().clone();
    server.push_block(0, 0, 1, 0, ones);
    EXPECT_EQ(server.last().outcome, Outcome::duplicate);
    EXPECT_TRUE(server.last().parameters.equal(after.narrow(0, 0, server.plan.block_elements(0))));
    // One that is sent again before its update is not counted twice.
    server.push_block(0, 0, 2, 1, ones);
    for (int64_t b = 0; b < server.plan.blocks(); ++b) {
      if (b > 0 || server.plan.mode != ServerMode::sync) server.push_block(b, 0, 2, 1, ones);
    }
    EXPECT_TRUE(at::allclose(server.table->parameters(), after * 2));
    EXPECT_EQ(server.table->figures().duplicates, 1);
    EXPECT_EQ(server.table->figures().updates, 2);
  }
}

TEST(ParameterTable, StalenessReachesItsBoundAndNeverPassesIt) {
  const auto plan = plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 4, .staleness = 2}, 1, 64);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Table server(plan);
    std::mt19937 random(seed);
    std::vector<uint64_t> ids(4);
    std::vector<bool> rests(4);
    for (int64_t w = 0; w < 4; ++w) server.table->pull(w);
    std::vector<int64_t> version(4);
    int64_t pushes = 0;
    for (int turn = 0; turn < 400; ++turn) {
      // The first worker is five times as fast.
      const auto pick = random() % 8;
      const auto w = pick < 4 ? 0 : pick % 4;
      if (rests[w]) {
        server.table->pull(static_cast<int64_t>(w));
        version[w] = server.last().version;
        rests[w] = false;
      } else if (random() % 16 == 0) {
        server.table->rest(static_cast<int64_t>(w));
        rests[w] = true;
      } else {
        const auto before = server.answers.size();
        server.push(static_cast<int64_t>(w), ++ids[w], version[w], at::ones({plan.elements}));
        ++pushes;
        // Answered at once, in any case.
        ASSERT_EQ(server.answers.size(), before + static_cast<std::size_t>(plan.blocks()));
        version[w] = server.last().version;
      }
    }
    EXPECT_EQ(server.table->figures().max_staleness, 2);
    EXPECT_EQ(server.table->figures().by_staleness.size(), 3);
    for (int64_t w = 0; w < 4; ++w) server.table->leave(w);
    EXPECT_EQ(server.table->figures().gradients(), pushes);  // nothing is thrown away
    EXPECT_EQ(server.table->figures().max_staleness, 2);
  }
}

TEST(ParameterTable, WithABoundOfZeroWorkersWaitForOneAnother) {
  Table server(plan_of("SGD", Config::object({{"learning_rate", 0.5}}),
                       {.mode = ServerMode::stale, .workers = 3, .staleness = 0}, 1, 64));
  const auto n = server.plan.elements;
  for (int64_t w = 0; w < 3; ++w) server.table->pull(w);
  const auto answered = server.answers.size();
  server.push(0, 1, 0, at::full({n}, 3.0), 2);
  server.push(0, 1, 0, at::full({n}, 3.0), 2);  // sent again by a new connection
  server.push(1, 1, 0, at::full({n}, 6.0), 4);
  EXPECT_EQ(server.answers.size(), answered);
  server.push(2, 1, 0, at::full({n}, -1.0), 6);
  EXPECT_EQ(server.answers.size(), answered + 3 * static_cast<std::size_t>(server.plan.blocks()));
  EXPECT_EQ(server.last().outcome, Outcome::applied);
  EXPECT_EQ(server.last().version, 1);
  // -0.5 * (2 * 3 + 4 * 6 - 6 * 1) / 12
  EXPECT_TRUE(at::allclose(server.table->parameters(), at::full({n}, -1.0)));
  EXPECT_EQ(server.table->figures().updates, 1);
  EXPECT_EQ(server.table->figures().held, 2);
  EXPECT_EQ(server.table->figures().max_staleness, 0);
}

TEST(ParameterTable, ALostWorkerNoLongerHoldsTheOthersBack) {
  Table server(plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 2, .staleness = 1}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  server.table->pull(0);
  server.table->pull(1);
  server.push(0, 1, 0, ones);
  server.push(0, 2, 1, ones);
  EXPECT_EQ(server.last().outcome, Outcome::held);
  server.table->lost(1, "has been silent for 10 s");
  EXPECT_EQ(server.table->figures().updates, 2);
  EXPECT_NE(message_of<DataError>([&] { server.push(1, 1, 0, ones); }).find("worker 1 must join first"),
            std::string::npos);
  server.table->join(1);
  server.table->pull(1);
  server.push(0, 3, 1, ones);
  server.push(1, 1, 2, ones);
  EXPECT_EQ(server.last().outcome, Outcome::applied);
}

TEST(ParameterTable, RefusesPushesThatCannotBe) {
  Table server(plan_of("SGD", Config::object(), {.mode = ServerMode::stale, .workers = 2, .staleness = 1}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  EXPECT_THROW(server.push(0, 1, 0, ones), DataError);  // was given no parameters
  server.table->pull(0);
  EXPECT_THROW(server.push(0, 1, 7, ones), DataError);
  EXPECT_THROW(server.table->push({.worker = 0, .id = 1, .block = 99, .gradient = ones}), DataError);
  EXPECT_THROW(server.table->push({.worker = 0, .id = 1, .block = 0, .gradient = ones}), DataError);
  EXPECT_THROW(server.table->push({.worker = 5, .id = 1, .block = 0, .gradient = ones}), DataError);
}

TEST(ParameterTable, RatesAreThePushsOrTheSchedules) {
  Table server(plan_of("SGD", Config::object({{"learning_rate", 0.5}}), {.workers = 1}, 1, 64));
  const auto n = server.plan.elements;
  server.push(0, 1, 0, at::ones({n}), 1, 0, 0.25);
  EXPECT_TRUE(server.table->parameters().equal(at::full({n}, -0.25)));
  server.push(0, 2, 1, at::ones({n}));
  EXPECT_TRUE(server.table->parameters().equal(at::full({n}, -0.75)));
}

TEST(ParameterTable, StateGoesOnInAnotherTable) {
  const auto plan = plan_of("Adam", Config::object(), {.mode = ServerMode::async, .workers = 1}, 1, 64);
  Table one(plan), two(plan);
  const auto gradients = some_gradients(plan, 2, 0);
  one.push(0, 1, 0, gradients[0]);
  for (int64_t b = 0; b < plan.blocks(); ++b)
    two.table->begin(b, one.table->parameters().narrow(0, plan.block_begin(b), plan.block_elements(b)));
  two.table->set_state(one.table->state());
  one.push(0, 2, 1, gradients[1]);
  two.push(0, 1, 0, gradients[1]);
  EXPECT_TRUE(two.table->parameters().equal(one.table->parameters()));
  EXPECT_THROW(two.table->set_state({.iterations = 1}), DataError);
}

TEST(ParameterTable, AnswersUseTheirMemoryAgain) {
  Table server(plan_of("SGD", Config::object(), {.mode = ServerMode::async, .workers = 1}, 1, 64));
  const auto ones = at::ones({server.plan.elements});
  for (uint64_t id = 1; id <= 10; ++id) {
    server.answers.clear();
    server.push(0, id, static_cast<int64_t>(id) - 1, ones);
  }
  EXPECT_LE(server.table->buffers(), 2 * server.plan.blocks());
}

}  // namespace
}  // namespace tandem::servers
