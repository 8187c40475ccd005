#include "tandem/servers/snapshot_files.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::servers {
namespace {

using testing::message_of;

ServerPlan saved_plan(int64_t servers) { return plan_of("SGD", Config::object(), {.workers = 1}, servers, 64); }

RangeSnapshot saved_at(const ServerPlan& plan, int64_t server, int64_t version) {
  const int64_t n = plan.server_begin(server + 1) - plan.server_begin(server);
  return {.plan_text = plan.encode(),
          .server = server,
          .version = version,
          .used = {0},
          .given = {-1},
          .names = {""},
          .parameters = at::full({n}, static_cast<double>(version))};
}

TEST(SnapshotFiles, KeepsTheLastThreeOfEachServer) {
  const testing::TemporaryFolder folder;
  const auto plan = saved_plan(2);
  SnapshotFiles zero({folder.file("saved"), 10}), one({folder.file("saved"), 10});
  EXPECT_FALSE(zero.due(0));
  EXPECT_FALSE(zero.due(15));
  EXPECT_TRUE(zero.due(10));
  for (const int64_t version : {10, 20, 30, 40}) zero.save(saved_at(plan, 0, version));
  EXPECT_FALSE(zero.due(40));
  for (const int64_t version : {10, 20, 30}) one.save(saved_at(plan, 1, version));
  EXPECT_EQ(zero.versions(0, 2), (std::vector<int64_t>{20, 30, 40}));
  EXPECT_EQ(one.versions(1, 2), (std::vector<int64_t>{10, 20, 30}));
  EXPECT_TRUE(zero.read(0, 2, 30, plan.encode()).parameters.eq(30).all().item<bool>());
  EXPECT_FALSE(zero.newest_of_one_server().has_value());
  zero.forget_after(0, 2, 30);
  EXPECT_EQ(zero.versions(0, 2), (std::vector<int64_t>{20, 30}));
  EXPECT_TRUE(zero.due(40));
  one.forget_after(1, 2, -1);
  EXPECT_EQ(one.versions(1, 2), std::vector<int64_t>());
  EXPECT_EQ(zero.newest_of_one_server()->version, 30);
}

TEST(SnapshotFiles, NamesWhatDoesNotFit) {
  const testing::TemporaryFolder folder;
  const auto plan = saved_plan(2);
  SnapshotFiles files({folder.file("saved"), 10});
  files.save(saved_at(plan, 0, 10));
  EXPECT_EQ(files.versions(0, 2), std::vector<int64_t>{10});
  EXPECT_NE(message_of<DataError>([&] { files.versions(0, 3); }).find("by a job with 2 servers, this one has 3"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { files.read(0, 2, 10, "another"); }).find("with another model"),
            std::string::npos);
  EXPECT_THROW(SnapshotFiles({folder.file("saved"), 0}), InvalidArgument);
  folder.write("file", "");
  EXPECT_NE(message_of<DataError>([&] { SnapshotFiles({folder.file("file"), 10}); }).find("file"), std::string::npos);
}

TEST(SnapshotFiles, OfHostsAreNamedByTheirRounds) {
  const testing::TemporaryFolder folder;
  const auto plan = saved_plan(1);
  SnapshotFiles zero({folder.file("saved"), 10}, {0, 2, "first"}), one({folder.file("saved"), 10}, {1, 2, "second"});
  const auto at_round = [&](int64_t round) {
    auto snapshot = saved_at(plan, 0, 10 * round);
    snapshot.figures.rounds = round;
    return snapshot;
  };
  for (int64_t round = 1; round <= 4; ++round) zero.save(at_round(round));
  one.save(at_round(4));
  EXPECT_EQ(zero.versions(0, 1), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(one.versions(0, 1), std::vector<int64_t>{4});
  const auto read = zero.read(0, 1, 3, plan.encode());
  EXPECT_EQ(read.version, 30);
  EXPECT_EQ(read.host, "first");
  SnapshotFiles other({folder.file("saved"), 10}, {0, 2, "another"}), central({folder.file("saved"), 10});
  EXPECT_NE(message_of<DataError>([&] {
              other.read(0, 1, 3, plan.encode());
            }).find("host-0-of-2-round-3.snapshot: was saved by first, this is another; give another folder"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] {
              central.versions(0, 1);
            }).find("by a job with 2 servers that average, this one has 1 servers; give another folder"),
            std::string::npos);
  EXPECT_FALSE(central.newest_of_one_server().has_value());
  zero.forget_after(0, 1, -1);
  EXPECT_EQ(zero.versions(0, 1), std::vector<int64_t>());
  EXPECT_EQ(one.versions(0, 1), std::vector<int64_t>{4});
}

TEST(SavedUpdates, TheLatestThatAllHaveIsChosen) {
  const std::vector<std::string> names{"server 0", "server 1"};
  using Saved = std::vector<std::optional<std::vector<int64_t>>>;
  EXPECT_EQ(common_update(Saved{{{10, 20, 30}}, {{20}}}, names), 20);
  EXPECT_EQ(common_update(Saved{{{10, 20}}, {{10, 20}}}, names), 20);
  EXPECT_EQ(common_update(Saved{std::vector<int64_t>(), std::vector<int64_t>()}, names), 0);
  EXPECT_EQ(message_of<DataError>([&] {
              common_update(Saved{{{10, 20}}, {{30}}}, names);
            }),
            "parameter servers must go on from one update that all have saved; server 0: 10, 20; server 1: 30");
  EXPECT_EQ(message_of<DataError>([&] {
              common_update(Saved{{{10}}, std::nullopt}, names);
            }),
            "parameter servers must go on from one update that all have saved; server 0: 10; server 1: does not save, "
            "or is in the midst of training");
  EXPECT_EQ(decode_saved(encode_saved({1, 2})), (std::vector<int64_t>{1, 2}));
  EXPECT_THROW(decode_saved("x"), DataError);
}

}  // namespace
}  // namespace tandem::servers
