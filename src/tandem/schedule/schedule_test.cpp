// The lists of all schedules, on a virtual clock, against the formulas of their papers.
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/schedule/catalog.h"
#include "tandem/schedule/virtual_clock.h"
#include "tandem/testing/message_of.h"

namespace tandem::schedule {
namespace {

using testing::message_of;

std::vector<Instructions> of_all(const std::string& name, const Division& division) {
  std::vector<Instructions> stages;
  for (int64_t s = 0; s < division.stages; ++s) stages.push_back(schedule_by_name(name)(s, division));
  return stages;
}

std::string shown(const Instructions& list) {
  std::string text;
  for (const auto& line : list) text += to_string(line) + "; ";
  return text;
}

// p stages, m micro batches, v chunks: each forward f / v and backward b / v. A stage is busy m (f + b) and waits
// (p - 1) (f + b) / v.
TEST(Schedule, BubbleIsTheFormulas) {
  for (int64_t p = 2; p <= 8; ++p) {
    for (const int64_t m : {p, 2 * p, 5 * p, 3 * p + 1}) {
      for (const char* name : {"gpipe", "1f1b"}) {
        SCOPED_TRACE(c10::str(name, ", ", p, " stages, ", m, " micro batches"));
        const Division division{p, m, 1};
        const auto found = simulate(of_all(name, division), division, {.forward = 1, .backward = 2});
        EXPECT_DOUBLE_EQ(found.seconds, 3.0 * static_cast<double>(m + p - 1));
        EXPECT_DOUBLE_EQ(found.bubble(), static_cast<double>(p - 1) / static_cast<double>(m + p - 1));
      }
      if (m % p != 0) continue;
      for (const int64_t v : {2, 3, 4}) {
        SCOPED_TRACE(c10::str("interleaved, ", p, " stages, ", m, " micro batches, ", v, " chunks"));
        const Division division{p, m, v};
        const double f = 1.0 / static_cast<double>(v), b = 2.0 / static_cast<double>(v);
        const auto found = simulate(of_all("interleaved", division), division, {.forward = f, .backward = b});
        EXPECT_NEAR(found.bubble(), static_cast<double>(p - 1) / static_cast<double>(m * v + p - 1), 1e-9);
      }
    }
  }
}

TEST(Schedule, KeepsNoMoreActivationsThanItsBound) {
  for (int64_t p = 1; p <= 8; ++p) {
    const int64_t m = 3 * p;
    const Division division{p, m, 1};
    const auto all = simulate(of_all("gpipe", division), division, {});
    const auto few = simulate(of_all("1f1b", division), division, {});
    for (int64_t s = 0; s < p; ++s) {
      EXPECT_EQ(all.most_alive[static_cast<std::size_t>(s)], m);
      EXPECT_EQ(few.most_alive[static_cast<std::size_t>(s)], std::min(p - s, m));
    }
  }
}

TEST(Schedule, MakesEachPassOnceAndUpdatesLast) {
  for (const auto& name : schedule_names()) {
    for (const Division& division : {Division{1, 1, 1}, Division{1, 3, 1}, Division{4, 8, 1}, Division{4, 4, 3}}) {
      if (name == "1f1b" && division.chunks > 1) continue;
      for (const auto& list : of_all(name, division)) {
        std::map<std::pair<int64_t, int64_t>, int> forwards, backwards;
        int64_t exchanges = 0;
        for (const auto& line : list) {
          const std::pair key{line.micro_batch, line.chunk};
          if (line.action == Action::forward) ++forwards[key];
          if (line.action == Action::backward) {
            EXPECT_EQ(forwards[key], 1) << shown(list);
            ++backwards[key];
          }
          if (line.action != Action::exchange) continue;
          ++exchanges;
          for (int64_t m = 0; m < division.micro_batches; ++m)
            EXPECT_EQ((backwards[{m, line.chunk}]), 1) << shown(list);
        }
        EXPECT_EQ(static_cast<int64_t>(backwards.size()), division.micro_batches * division.chunks);
        EXPECT_EQ(exchanges, division.chunks);
        EXPECT_EQ(list.back().action, Action::update);
      }
    }
  }
}

TEST(Schedule, ListsOfTwoStages) {
  EXPECT_EQ(shown(schedule_by_name("1f1b")(0, {2, 2, 1})),
            "forward 0; send activation 0; forward 1; send activation 1; receive gradient 0; backward 0; receive "
            "gradient 1; backward 1; exchange; update; ");
  EXPECT_EQ(
      shown(schedule_by_name("1f1b")(1, {2, 2, 1})),
      "receive activation 0; forward 0; backward 0; send gradient 0; receive activation 1; forward 1; backward 1; "
      "send gradient 1; exchange; update; ");
}

TEST(Schedule, ATransferMakesTheStepLonger) {
  const Division division{2, 4, 1};
  const auto stages = of_all("gpipe", division);
  // There and back once on the way of the first and the last micro batch.
  EXPECT_DOUBLE_EQ(simulate(stages, division, {.forward = 1, .backward = 2, .transfer = 0.5}).seconds,
                   simulate(stages, division, {.forward = 1, .backward = 2}).seconds + 1);
}

TEST(Schedule, RefusesWhatCannotWork) {
  EXPECT_EQ(message_of([] { schedule_by_name("gpip"); }), "schedule 'gpip' is not known; did you mean 'gpipe'?");
  EXPECT_EQ(message_of([] {
              schedule_by_name("gpipe")(0, {2, 0, 1});
            }),
            "gpipe: micro batches must be at least 1, got 0");
  for (const auto& [micro_batches, chunks] : {std::pair{1'000'000'000, 1}, {400, 400}}) {
    EXPECT_EQ(message_of([&] {
                schedule_by_name("interleaved")(0, {1, micro_batches, chunks});
              }),
              "interleaved: micro batches x chunks must be at most 100000, got " + std::to_string(micro_batches) +
                  " x " + std::to_string(chunks));
  }
  EXPECT_EQ(message_of([] {
              schedule_by_name("1f1b")(0, {2, 4, 2});
            }),
            "1f1b: chunks must be 1, got 2; interleaved takes several");
  EXPECT_EQ(message_of([] {
              schedule_by_name("interleaved")(0, {4, 6, 2});
            }),
            "interleaved: micro batches must be a multiple of the stages, 4, got 6");
  // Two stages that both wait first.
  const Instructions waiting{{Action::receive_gradient, 0, 0}};
  EXPECT_EQ(message_of<InternalError>([&] {
              simulate({waiting, waiting}, {2, 1, 1}, {});
            }),
            "schedule: stage 0 waits for ever at 'receive gradient 0'");
}

}  // namespace
}  // namespace tandem::schedule
