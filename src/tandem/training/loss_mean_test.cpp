#include "tandem/training/loss_mean.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LossMean, TotalIsWeighedByRowsPartsAreNot) {
  LossMean mean({"a", "b"});
  mean.add({.loss = 3, .outputs = {1, 2}, .rows = 4});
  mean.add({.loss = 9, .outputs = {3, 6}, .rows = 2});
  Logs logs;
  mean.results(logs);
  EXPECT_DOUBLE_EQ(logs["loss"], (3 * 4 + 9 * 2) / 6.0);
  EXPECT_DOUBLE_EQ(logs["a_loss"], 2);
  EXPECT_DOUBLE_EQ(logs["b_loss"], 4);
  mean.reset();
  mean.add({.loss = 7, .outputs = {5, 1}, .rows = 3});
  mean.results(logs);
  EXPECT_DOUBLE_EQ(logs["loss"], 7);
  EXPECT_DOUBLE_EQ(logs["a_loss"], 5);
}

TEST(LossMean, OneOutputHasNoPart) {
  LossMean mean({"only"});
  Logs logs;
  mean.results(logs);
  EXPECT_DOUBLE_EQ(logs["loss"], 0);
  mean.add({.loss = 2, .outputs = {2}, .rows = 5});
  mean.results(logs);
  EXPECT_EQ(logs.size(), 1U);
  EXPECT_DOUBLE_EQ(logs["loss"], 2);
}

TEST(LossMean, WhatAStepReportsIsWeighedByItsRows) {
  LossMean mean({"only"});
  mean.add({.reported = {{"d_loss", 1}, {"loss", 4}}, .rows = 3});
  mean.add({.reported = {{"d_loss", 5}}, .rows = 1});
  Logs logs;
  mean.results(logs);
  EXPECT_EQ(logs.size(), 2U) << "no total of its own: compute_loss was not called";
  EXPECT_DOUBLE_EQ(logs["d_loss"], (1 * 3 + 5) / 4.0);
  EXPECT_DOUBLE_EQ(logs["loss"], 4);
}

TEST(LossMean, PartsOfSeveralProcessesAddUpToTheWhole) {
  const std::vector<distribute::StepResult> steps{{.loss = 3, .outputs = {2, 1}, .reported = {{"d", 1}}, .rows = 4},
                                                  {.loss = 5, .outputs = {1, 4}, .rows = 2},
                                                  {.loss = 7, .outputs = {6, 1}, .reported = {{"d", 9}}, .rows = 3}};
  LossMean whole({"a", "b"}), sum({"a", "b"});
  for (const auto& step : steps) {
    LossMean part({"a", "b"});
    part.add(step);
    whole.add(step);
    distribute::PeerMessage message;
    part.put(message);
    message.put(42.0);
    sum.add(message);
    EXPECT_EQ(message.number(), 42) << "what follows is left";
  }
  Logs want, got;
  whole.results(want);
  sum.results(got);
  for (const auto& [name, value] : want) EXPECT_DOUBLE_EQ(got[name], value) << name;
  EXPECT_EQ(got.size(), want.size());
}

}  // namespace
}  // namespace tandem
