#include "tandem/training/time_report.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

History::Facts ten_seconds() {
  History::Facts facts;
  facts.devices = {"cpu:0", "cpu:1"};
  facts.compute_seconds = {9.1, 8.0};
  facts.exchange_seconds = {0.3, 0.3};
  facts.waiting_seconds = {0.2, 1.3};
  facts.input_seconds = 0.4;
  facts.seconds = 10;
  return facts;
}

TEST(TimeReport, SharesOfEachDevice) {
  auto facts = ten_seconds();
  EXPECT_EQ(describe_time(facts),
            "time: cpu:0 91 % computing, 3 % exchange, 2 % waiting, 4 % input; "
            "cpu:1 80 % computing, 3 % exchange, 13 % waiting, 4 % input");
  facts.seconds = 20;
  EXPECT_NE(describe_time(facts).find("cpu:1 40 % computing, 2 % exchange, 7 % waiting, 2 % input, 49 % other"),
            std::string::npos)
      << describe_time(facts);
  EXPECT_EQ(describe_time({}), "");
  // Out of step a device computes while the batches of others are made.
  facts = ten_seconds();
  facts.input_seconds = 3;
  EXPECT_EQ(describe_time(facts),
            "time: cpu:0 91 % computing, 3 % exchange, 2 % waiting, 4 % input; "
            "cpu:1 80 % computing, 3 % exchange, 13 % waiting, 4 % input");
}

TEST(TimeReport, InputBound) {  // U31
  auto facts = ten_seconds();
  EXPECT_EQ(input_advice(facts), "");
  facts.input_seconds = 3;
  EXPECT_EQ(input_advice(facts), "") << "30 percent are not above 30 percent";
  facts.input_seconds = 6.2;
  EXPECT_EQ(input_advice(facts),
            "training is input-bound: it waited for data during 62 % of its time (6.2 s of 10.0 s); give the data set "
            "more workers or a longer prefetch, Dataset::prefetch(batches, workers), or make its rows cheaper");
  facts.input_seconds = 0.4;
  facts.seconds = 0.5;
  EXPECT_EQ(input_advice(facts), "") << "not worth a word";
}

}  // namespace
}  // namespace tandem
