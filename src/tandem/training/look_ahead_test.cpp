#include "tandem/training/look_ahead.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/data/batch_generator.h"
#include "tandem/data/map_rows.h"

namespace tandem {
namespace {

// Is told batches and does nothing with them.
struct ListensOnly final : distribute::Execution {
  explicit ListensOnly(bool ahead) : ahead(ahead) {}
  bool looks_ahead() const override { return ahead; }
  void expect(const data::Batch& batch) override { expected.push_back(batch.x[0][0].item<double>()); }

  distribute::StepResult train_step(const data::Batch&, const distribute::TrainStep&,
                                    const distribute::Observer&) override {
    return {};
  }
  void finish_update(double) override {}
  distribute::StepResult test_step(const data::Batch&, const distribute::Observer&) override { return {}; }
  Tensors predict_step(const data::Batch& batch) override { return batch.x; }
  void load() override {}
  void store() override {}
  int64_t steps() const override { return 0; }
  int64_t iterations() const override { return 0; }
  StateDict optimizer_state() override { return {}; }
  void set_optimizer_state(const StateDict&) override {}
  const Devices& devices() const override { return none; }
  std::vector<int64_t> division(int64_t) const override { return {}; }
  std::vector<int64_t> rows_trained() const override { return {}; }
  int64_t bytes_sent(int64_t) const override { return 0; }
  distribute::TimeShares time_shares(int64_t) const override { return {}; }
  int64_t threads_per_device() const override { return 1; }
  void record_trace(bool) override {}
  std::vector<TraceSpan> trace() const override { return {}; }

  bool ahead;
  Devices none;
  std::vector<double> expected;
};

Dataset eight_rows() { return data::TensorDataset(at::arange(8).to(at::kFloat)).batch(2); }

// The first row of each batch that is served.
std::vector<double> served(LookAhead& batches) {
  std::vector<double> first;
  while (const auto batch = batches.next()) first.push_back(batch->x[0][0].item<double>());
  return first;
}

TEST(LookAhead, ServesTheSameBatchesAndTellsTheNext) {
  for (const bool ahead : {false, true}) {
    data::Loader loader(eight_rows(), {});
    ListensOnly execution(ahead);
    LookAhead batches(loader, execution);
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      batches.start_epoch(epoch);
      EXPECT_EQ(served(batches), (std::vector<double>{0, 2, 4, 6}));
      EXPECT_FALSE(batches.next());
      EXPECT_EQ(execution.expected, ahead ? (std::vector<double>{2, 4, 6}) : std::vector<double>());
      execution.expected.clear();
    }
  }
}

TEST(LookAhead, ANewEpochForgetsWhatWasTaken) {
  data::Loader loader(eight_rows(), {});
  ListensOnly execution(true);
  LookAhead batches(loader, execution);
  batches.start_epoch(0);
  EXPECT_EQ(batches.next()->x[0][0].item<double>(), 0);
  batches.start_epoch(1);
  EXPECT_EQ(served(batches), (std::vector<double>{0, 2, 4, 6}));
}

TEST(LookAhead, WhatWasTakenAheadGoesBackToAStream) {
  const data::BatchGenerator stream([i = 0.0]() mutable -> std::optional<data::Batch> {
    if (i == 6) return std::nullopt;
    return data::Batch{at::full({2}, i++), {}};
  });
  ListensOnly execution(true);
  for (const double first : {0.0, 2.0, 4.0}) {
    data::Loader loader(stream, {});
    LookAhead batches(loader, execution);
    batches.start_epoch(0);
    for (const double number : {first, first + 1}) EXPECT_EQ(batches.next()->x[0][0].item<double>(), number);
  }
}

TEST(LookAhead, ThrowsWhenTheBatchThatFailsIsAskedFor) {
  const auto data = eight_rows().map(data::MapRows([](data::Example row) {
    if (row.x[0].item<double>() == 3) throw DataError("no such row");
    return row;
  }));
  data::Loader loader(data, {});
  ListensOnly execution(true);
  LookAhead batches(loader, execution);
  batches.start_epoch(0);
  EXPECT_EQ(batches.next()->x[0][0].item<double>(), 0);
  EXPECT_THROW(batches.next(), DataError);
  EXPECT_EQ(execution.expected, std::vector<double>());
}

}  // namespace
}  // namespace tandem
