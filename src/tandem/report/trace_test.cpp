#include "tandem/report/trace.h"

#include <gtest/gtest.h>

#include "tandem/core/config.h"

namespace tandem::report {
namespace {

TEST(Trace, IsWhatChromeReads) {
  const auto json =
      Config::from_json(trace_json({{"cpu:0", "a \"b\"", false, 10.0, 10.5}, {"cpu:1", "c", true, 9.75, 10}}));
  const auto& events = json.at("traceEvents").as_list();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("ph").as_string(), "M");
  EXPECT_EQ(events[0].at("args").at("name").as_string(), "cpu:0");
  EXPECT_EQ(events[1].at("args").at("name").as_string(), "cpu:1");
  EXPECT_EQ(events[2].at("ph").as_string(), "X");
  EXPECT_EQ(events[2].at("name").as_string(), "a \"b\"");
  EXPECT_EQ(events[2].at("tid").as_int(), 0);
  EXPECT_EQ(events[2].at("ts").as_double(), 250000);  // microseconds since the earliest
  EXPECT_EQ(events[2].at("dur").as_double(), 500000);
  EXPECT_EQ(events[2].at("args").at("direction").as_string(), "forward");
  EXPECT_EQ(events[3].at("tid").as_int(), 1);
  EXPECT_EQ(events[3].at("ts").as_double(), 0);
  EXPECT_EQ(events[3].at("cat").as_string(), "backward");
}

TEST(Trace, OfNothingIsStillATrace) {
  EXPECT_TRUE(Config::from_json(trace_json({})).at("traceEvents").as_list().empty());
}

}  // namespace
}  // namespace tandem::report
