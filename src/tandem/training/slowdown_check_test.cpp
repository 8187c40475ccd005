#include "tandem/training/slowdown_check.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using distribute::TimeShares;

const Devices kTwo{"cpu:0", "cpu:1"};

TEST(SlowdownCheck, WaitingForOneAnotherIsTheExchanges) {
  // Whoever was run last kept the other waiting, each in turn.
  const auto step_time =
      divide_time({{{0.1, 0.02, 0.01}, {0.1, 0.02, 0.03}}, {{0.1, 0.02, 0.03}, {0.1, 0.02, 0.01}}}, 0.30, 0.01);
  EXPECT_NEAR(step_time.exchange, 0.045, 1e-12);  // 0.15 s a step without input and computing
  EXPECT_NEAR(step_time.slower, 0, 1e-12);
  EXPECT_NEAR(step_time.input, 0.005, 1e-12);
}

TEST(SlowdownCheck, WaitingForASlowerDeviceIsItsOwnPart) {
  // cpu:1 takes 0.2 s longer each time; cpu:0 waits for that, and 0.02 s besides.
  const std::vector<TimeShares> step{{0.1, 0.01, 0.22}, {0.3, 0.01, 0}};
  const auto step_time = divide_time({step, step, step}, 3 * 0.33, 0);
  EXPECT_NEAR(step_time.slower, 0.1, 1e-12);  // 0.2 s on one of two devices
  EXPECT_NEAR(step_time.exchange, 0.03, 1e-12);
  // A device that was slow once (the system took its core away) is no slower device.
  const std::vector<TimeShares> even{{0.1, 0.01, 0}, {0.1, 0.01, 0}};
  EXPECT_NEAR(divide_time({even, step, even}, 0.55, 0).slower, 0, 1e-12);
}

TEST(SlowdownCheck, NamesTheLargestPart) {
  EXPECT_EQ(slowdown_warning(kTwo, {.computing = 0.0004, .exchange = 0.0007, .slower = 0.0001}, 0.00035),
            "a step takes 1.2 ms on 2 devices and 0.35 ms on cpu:0 alone; beside 0.4 ms of computing on each device "
            "most of it is gradient exchange (0.7 ms): larger batches or fewer devices help");
  const auto names = [](const StepTime& step, const char* part) {
    return slowdown_warning(kTwo, step, 1).find(part) != std::string::npos;
  };
  EXPECT_TRUE(names({.computing = 1, .exchange = 1, .slower = 2}, " is waiting for slower devices (2000 ms)"));
  EXPECT_TRUE(names({.computing = 1, .slower = 1, .input = 2}, " is input (2000 ms)"));
}

// Two devices with times that the test sets.
class TimedExecution : public distribute::Execution {
 public:
  void step(double compute, double exchange) {
    shares.compute += compute;
    shares.exchange += exchange;
  }
  std::optional<double> alone;
  int64_t measured = 0;
  TimeShares shares;

  const Devices& devices() const override { return kTwo; }
  TimeShares time_shares(int64_t) const override { return shares; }
  std::optional<double> seconds_on_one_device(const data::Batch&) override {
    ++measured;
    return alone;
  }

  distribute::StepResult train_step(const data::Batch&, const distribute::TrainStep&,
                                    const distribute::Observer&) override {
    return {};
  }
  void finish_update(double) override {}
  distribute::StepResult test_step(const data::Batch&, const distribute::Observer&) override { return {}; }
  Tensors predict_step(const data::Batch&) override { return {}; }
  void load() override {}
  void store() override {}
  int64_t steps() const override { return 0; }
  int64_t iterations() const override { return 0; }
  StateDict optimizer_state() override { return {}; }
  void set_optimizer_state(const StateDict&) override {}
  std::vector<int64_t> division(int64_t) const override { return {}; }
  std::vector<int64_t> rows_trained() const override { return {}; }
  int64_t bytes_sent(int64_t) const override { return 0; }
  int64_t threads_per_device() const override { return 1; }
  void record_trace(bool) override {}
  std::vector<TraceSpan> trace() const override { return {}; }
};

// `steps` steps of 32 rows and 0.5 s after two slow ones.
SlowdownCheck after_steps(TimedExecution& execution, int steps) {
  SlowdownCheck check(execution, 32);
  for (int i = 0; i < 2 + steps; ++i) {
    EXPECT_FALSE(check.knows_enough(5)) << i;
    execution.step(0.3, 0.1);
    check.add(32, i < 2 ? 9 : 0.5, 0.05);
  }
  return check;
}

TEST(SlowdownCheck, MeasuresEightSteps) {
  TimedExecution execution;
  auto check = after_steps(execution, 8);
  EXPECT_TRUE(check.knows_enough(5));
  check.add(7, 0.1, 0);
  EXPECT_FALSE(check.knows_enough(0)) << "a short batch cannot be compared";
  execution.alone = 0.6;
  EXPECT_EQ(check.warning({}), "");
  EXPECT_EQ(execution.measured, 1);
  execution.alone = 0.4;
  EXPECT_EQ(
      check.warning({}),
      "a step takes 500 ms on 2 devices and 400 ms on cpu:0 alone; beside 300 ms of computing on each device most "
      "of it is gradient exchange (150 ms): larger batches or fewer devices help");
  execution.alone.reset();
  EXPECT_EQ(check.warning({}), "") << "it cannot be told";
}

TEST(SlowdownCheck, AShortEpochGivesWhatItHas) {
  TimedExecution execution;
  EXPECT_FALSE(after_steps(execution, 2).knows_enough(0));
  EXPECT_TRUE(after_steps(execution, 3).knows_enough(1));
  EXPECT_FALSE(after_steps(execution, 3).knows_enough(2));
}

}  // namespace
}  // namespace tandem
