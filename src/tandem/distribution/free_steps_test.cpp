#include "tandem/distribution/free_steps.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem::distribute {
namespace {

FreeStep step_of(double first) { return {.batch = {{at::full({2, 1}, first)}, {}, {}}}; }
double first_of(const FreeStep& step) { return step.batch.x[0][0].item<double>(); }

std::multiset<double> losses(FreeSteps& steps) {
  std::multiset<double> all;
  while (const auto result = steps.take()) all.insert(result->loss);
  return all;
}

TEST(FreeSteps, EachStepIsMadeOnceByWhoeverIsFree) {
  ReplicaThreads threads(3, 1);
  std::atomic<int64_t> ended{0}, by_zero{0};
  FreeSteps steps(threads, [&](int64_t replica, const FreeStep& step) {
    if (replica == 0 && by_zero++ == 0) {  // until eight others have ended
      for (auto n = ended.load(); n < 8; n = ended) ended.wait(n);
    }
    ++ended;
    ended.notify_all();
    return StepResult{.loss = first_of(step), .rows = 2};
  });
  std::multiset<double> given;
  for (int i = 0; i < 9; ++i) {
    steps.give(step_of(i));
    given.insert(i);
  }
  steps.finish();
  EXPECT_EQ(losses(steps), given);
}

TEST(FreeSteps, ThreadsAreFreeForOtherWorkInBetween) {
  ReplicaThreads threads(2, 1);
  FreeSteps steps(threads, [](int64_t, const FreeStep& step) { return StepResult{.loss = first_of(step), .rows = 2}; });
  for (int round = 0; round < 3; ++round) {
    steps.give(step_of(round));
    steps.finish();
    steps.finish();
    std::atomic<int> ran{0};
    threads.run([&](int64_t) { ++ran; });
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(losses(steps), std::multiset<double>{static_cast<double>(round)});
  }
}

TEST(FreeSteps, GiveOrFinishThrowsWhatAStepThrewAndTheNextOneIsMadeAgain) {
  ReplicaThreads threads(2, 1);
  bool fails = true;
  FreeSteps steps(threads, [&](int64_t, const FreeStep& step) {
    if (fails && first_of(step) == 1) throw DataError("row 7 is bad");
    return StepResult{.loss = first_of(step), .rows = 2};
  });
  const auto message = testing::message_of<DataError>([&] {
    for (int i = 0; i < 100; ++i) steps.give(step_of(i));
    steps.finish();
  });
  EXPECT_EQ(message, "row 7 is bad");
  fails = false;
  steps.give(step_of(5));
  steps.finish();
  EXPECT_EQ(losses(steps), std::multiset<double>{5.0});
}

TEST(FreeSteps, EndWithoutFinish) {
  ReplicaThreads threads(2, 1);
  std::atomic<int> made{0};
  {
    FreeSteps steps(threads, [&](int64_t, const FreeStep&) {
      ++made;
      return StepResult{};
    });
    for (int i = 0; i < 4; ++i) steps.give(step_of(i));
  }
  EXPECT_GE(made, 3);  // at most one waited
  threads.run([](int64_t) {});
}

}  // namespace
}  // namespace tandem::distribute
