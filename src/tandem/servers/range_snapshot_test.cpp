#include "tandem/servers/range_snapshot.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/servers/parameter_table.h"
#include "tandem/servers/plan_test.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

constexpr std::size_t kHeadAt = 24;  // where the head begins

RangeSnapshot some_snapshot() {
  const auto plan = plan_of("Adam", Config::object(), {.mode = ServerMode::async, .workers = 2}, 2, 64);
  const int64_t n = plan.server_begin(2) - plan.server_begin(1);
  RangeSnapshot snapshot{.plan_text = plan.encode(),
                         .server = 1,
                         .version = 30,
                         .state = {.iterations = 29, .numbers = {0.5}, .slots = {at::rand({n}), at::rand({n})}},
                         .used = {7, 0},
                         .given = {29, -1},
                         .names = {"worker-0-x", ""},
                         .parameters = at::rand({n})};
  snapshot.figures.count(3);
  return snapshot;
}

TEST(RangeSnapshot, IsReadAsItWasWritten) {
  const testing::TemporaryFolder folder;
  const auto want = some_snapshot();
  write_snapshot(folder.file("s"), want);
  const auto got = read_snapshot(folder.file("s"));
  EXPECT_EQ(got.plan_text, want.plan_text);
  EXPECT_EQ(got.server, 1);
  EXPECT_EQ(got.version, 30);
  EXPECT_EQ(got.state.iterations, 29);
  EXPECT_EQ(got.state.numbers, want.state.numbers);
  EXPECT_EQ(got.used, want.used);
  EXPECT_EQ(got.given, want.given);
  EXPECT_EQ(got.names, want.names);
  EXPECT_EQ(got.figures, want.figures);
  EXPECT_TRUE(got.parameters.equal(want.parameters));
  ASSERT_EQ(got.state.slots.size(), 2);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_TRUE(got.state.slots[s].equal(want.state.slots[s]));
}

TEST(RangeSnapshot, DamagedFilesAreNamed) {
  const testing::TemporaryFolder folder;
  const auto path = folder.file("s");
  write_snapshot(path, some_snapshot());
  const auto bytes = testing::file_bytes(path);
  const auto refused = [&](const std::string& damaged) {
    folder.write("s", damaged);
    return message_of<DataError>([&] { read_snapshot(path); });
  };
  EXPECT_EQ(message_of<DataError>([&] { read_snapshot(folder.file("none")); }),
            folder.file("none") + ": cannot be read");
  EXPECT_EQ(refused("x"), path + ": must be a saved range of a parameter server, is too short for one");
  EXPECT_EQ(refused(std::string(100, 'x')), path + ": must be a saved range of a parameter server, is another file");
  // Each length, and a byte changed at each place: of the head all, of the values some.
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_EQ(refused(bytes.substr(0, length)).find(path), 0);
  EXPECT_EQ(refused(bytes + "more").find(path), 0);
  for (std::size_t at = 0; at < bytes.size(); at += at < bytes.size() / 2 ? 1 : 7) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_EQ(refused(damaged).find(path), 0) << at;
  }
  auto long_head = bytes;
  for (std::size_t i = kHeadAt - 8; i < kHeadAt; ++i) long_head[i] = '\x7f';
  EXPECT_EQ(refused(long_head), path + ": is damaged: its head is longer than the file");
}

// Training goes on from a snapshot with the bits that it would have had.
TEST(RangeSnapshot, ATableGoesOnFromIt) {
  for (const auto mode : {ServerMode::sync, ServerMode::async}) {
    for (const auto& [name, config] : rules()) {
      const auto plan = plan_of(name, config, {.mode = mode, .workers = 1}, 1, 64);
      const auto ignore = [](int64_t, const BlockAnswer&) {};
      const auto push = [&](ParameterTable& table, uint64_t id, int64_t version) {
        const auto gradient = some_gradients(plan, 1, version)[0];
        for (int64_t b = 0; b < plan.blocks(); ++b)
          table.push({.id = id,
                      .block = b,
                      .version = version,
                      .gradient = gradient.narrow(0, plan.block_begin(b), plan.block_elements(b)).clone()});
      };
      auto first = ParameterTable::make(plan, 0, ignore);
      first->join(0);
      for (int64_t v = 0; v < 2; ++v) push(*first, static_cast<uint64_t>(v) + 1, v);
      EXPECT_EQ(first->version(), 2);
      const auto older = first->snapshot();
      push(*first, 3, 2);
      const auto snapshot = first->snapshot(older);
      EXPECT_EQ(snapshot.parameters.const_data_ptr(), older.parameters.const_data_ptr());
      auto second = ParameterTable::make(plan, 0, ignore);
      second->restore(snapshot);
      EXPECT_EQ(second->version(), 3);
      second->rejoin(0);
      push(*second, 3, 2);  // is in already
      EXPECT_EQ(second->figures().duplicates, plan.blocks());
      push(*first, 4, 3);
      push(*second, 4, 3);
      EXPECT_TRUE(second->parameters().equal(first->parameters())) << name;
      EXPECT_FALSE(second->parameters().equal(snapshot.parameters)) << name;
      EXPECT_EQ(second->state().iterations, first->state().iterations);
    }
  }
}

// Pushes of workers that have not noticed anything: they are taken once, and bound as before.
TEST(RangeSnapshot, WorkersThatWaitGoOnWithinTheBoundOfStaleness) {
  const auto plan = plan_of("SGD", Config::object({{"learning_rate", 1.0}}),
                            {.mode = ServerMode::stale, .workers = 3, .staleness = 1}, 1, 1 << 20);
  BlockAnswer last;
  const auto keep = [&](int64_t, const BlockAnswer& answer) { last = answer; };
  const auto push = [&](ParameterTable& table, int64_t worker, uint64_t id, int64_t version) {
    table.push({.worker = worker, .id = id, .version = version, .gradient = at::ones({plan.elements})});
  };
  RangeSnapshot snapshot;
  {
    const auto table = ParameterTable::make(plan, 0, keep);
    for (int64_t w = 0; w < 3; ++w) table->join(w);
    for (int64_t w = 0; w < 2; ++w) table->pull(w, 1);
    push(*table, 0, 1, 0);
    snapshot = table->snapshot();
    EXPECT_EQ(snapshot.given, (std::vector<int64_t>{1, 0, -1}));
    // What happens after it is lost, but workers 1 and 2 have not heard of it.
    table->pull(2, 1);
    EXPECT_EQ(last.version, 1);
    push(*table, 1, 1, 0);
  }
  const auto table = ParameterTable::make(plan, 0, keep);
  table->restore(snapshot);
  for (int64_t w = 0; w < 3; ++w) table->rejoin(w, snapshot.given[static_cast<std::size_t>(w)]);
  push(*table, 0, 1, 0);
  EXPECT_EQ(last.outcome, Outcome::duplicate);
  push(*table, 0, 2, 1);
  EXPECT_EQ(last.outcome, Outcome::held);  // worker 1 computes a gradient of version 0
  push(*table, 1, 1, 0);
  EXPECT_EQ(last.outcome, Outcome::applied);
  EXPECT_EQ(last.staleness, 1);
  push(*table, 2, 1, 1);
  EXPECT_EQ(last.outcome, Outcome::held);  // and worker 0 one of version 1
  push(*table, 0, 3, 1);
  EXPECT_EQ(last.outcome, Outcome::applied);
  EXPECT_EQ(table->version(), 3);
  EXPECT_EQ(table->figures().by_staleness, (std::vector<int64_t>{2, 3}));
}

TEST(RangeSnapshot, WhatIsMadeOfALostUpdateIsRefused) {
  for (const auto mode : {ServerMode::async, ServerMode::stale}) {
    const auto plan = plan_of("SGD", Config::object(), {.mode = mode, .workers = 2, .staleness = 9}, 1, 1 << 20);
    const auto table = ParameterTable::make(plan, 0, [](int64_t, const BlockAnswer&) {});
    const auto push = [&](int64_t worker, uint64_t id, int64_t version) {
      table->push({.worker = worker, .id = id, .version = version, .gradient = at::ones({plan.elements})});
    };
    for (int64_t w = 0; w < 2; ++w) table->join(w);
    for (int64_t w = 0; w < 2; ++w) table->pull(w, 1);
    push(0, 1, 0);
    const auto again = ParameterTable::make(plan, 0, [](int64_t, const BlockAnswer&) {});
    again->restore(table->snapshot());
    for (int64_t w = 0; w < 2; ++w) again->rejoin(w, table->snapshot().given[static_cast<std::size_t>(w)]);
    const auto push_again = [&](int64_t worker, uint64_t id, int64_t version) {
      again->push({.worker = worker, .id = id, .version = version, .gradient = at::ones({plan.elements})});
    };
    push_again(0, 2, 1);
    push_again(0, 3, 2);
    // There is a version 2 again, which is not the one that it had been given.
    EXPECT_NE(
        message_of<DataError>([&] { push_again(1, 2, 2); }).find("got version 2, of an update that was not saved"),
        std::string::npos);
  }
}

TEST(RangeSnapshot, BlocksThatAreAheadHaveNoVersion) {
  const auto plan = plan_of("SGD", Config::object(), {.workers = 1}, 1, 64);
  ASSERT_GT(plan.blocks(), 1);
  auto table = ParameterTable::make(plan, 0, [](int64_t, const BlockAnswer&) {});
  table->join(0);
  table->push({.id = 1, .block = 0, .gradient = at::ones({plan.block_elements(0)})});
  EXPECT_FALSE(table->version().has_value());
  for (int64_t b = 1; b < plan.blocks(); ++b)
    table->push({.id = 1, .block = b, .gradient = at::ones({plan.block_elements(b)})});
  EXPECT_EQ(table->version(), 1);
}

}  // namespace
}  // namespace tandem::servers
