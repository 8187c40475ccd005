#include "tandem/training/staleness_report.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

History history_of(std::vector<int64_t> staleness) {
  History::Facts facts;
  facts.staleness = std::move(staleness);
  History history;
  history.set_facts(std::move(facts));
  return history;
}

TEST(StalenessReport, CountsGradientsByTheirAge) {
  const auto history = history_of({300, 150, 0, 30, 0});
  EXPECT_EQ(history.max_staleness(), 3);
  EXPECT_DOUBLE_EQ(history.mean_staleness(), (150 + 3 * 30) / 480.0);
  EXPECT_EQ(describe_staleness(history), "staleness: 300 gradients of 0 updates, 150 of 1, 30 of 3; mean 0.5, most 3");
  EXPECT_EQ(describe_staleness(history_of({0, 1})), "staleness: 1 gradient of 1 update; mean 1, most 1");
}

TEST(StalenessReport, CountsAveragesOfHosts) {
  History::Facts facts;
  facts.server_rounds = 1;
  facts.server_bytes = 4840;
  History history;
  EXPECT_EQ(describe_averages(history), "");
  history.set_facts(facts);
  EXPECT_EQ(describe_averages(history),
            "servers averaged their parameters 1 time; those that this process trains with sent 4840 bytes to others");
}

TEST(StalenessReport, NamesTheRowsThatBackupWorkersMadeInVain) {
  const auto report_of = [](std::vector<int64_t> dropped_rows) {
    History::Facts facts;
    facts.staleness = {8};
    facts.dropped_rows = std::move(dropped_rows);
    History history;
    history.set_facts(std::move(facts));
    return std::pair(describe_staleness(history), history.dropped_rows());
  };
  const std::string counts = "staleness: 8 gradients of 0 updates; mean 0, most 0; ";
  EXPECT_EQ(report_of({12, 12}), std::pair(counts + "12 rows came too late and were dropped", int64_t{12}));
  EXPECT_EQ(report_of({0, 6}), std::pair(counts + "0 to 6 rows came too late and were dropped", int64_t{6}));
}

TEST(StalenessReport, SaysNothingWithoutServers) {
  EXPECT_EQ(describe_staleness(history_of({})), "");
  EXPECT_EQ(history_of({}).max_staleness(), 0);
  EXPECT_EQ(history_of({}).mean_staleness(), 0);
}

}  // namespace
}  // namespace tandem
