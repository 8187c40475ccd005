// Sample weights by output keep to their rows through sources, transforms and batches.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"
#include "tandem/data/map_rows.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/per_device.h"

namespace tandem::data {
namespace {

const Tensor& row_numbers() {
  static const Tensor numbers = at::arange(6, at::kFloat);
  return numbers;
}

// Two targets; the first weighs by row and step, the third not at all.
Dataset weighted_rows() {
  const Tensor rows = row_numbers();
  return TensorDataset(rows, {rows, rows, rows}, {at::stack({rows, rows + 10}, 1), rows.to(at::kLong) * 2, Tensor()});
}

void expect_weights_of_rows(const Dataset& data, int64_t rows) {
  Loader loader(data, {.batch_size = 4, .random = RandomStream(3)});
  loader.start_epoch(0);
  int64_t seen = 0;
  while (const auto batch = loader.next()) {
    const Tensor numbers = batch->x[0];
    ASSERT_EQ(batch->weights.size(), 3);
    EXPECT_TRUE(batch->weighted());
    EXPECT_TRUE(at::equal(batch->weights_of(0), at::stack({numbers, numbers + 10}, 1)));
    EXPECT_TRUE(at::equal(batch->weights_of(1), numbers * 2));
    EXPECT_FALSE(batch->weights_of(2).defined());
    seen += batch->rows();
  }
  EXPECT_EQ(seen, rows);
}

TEST(OutputWeights, KeepToTheirRows) {
  expect_weights_of_rows(weighted_rows(), 6);
  expect_weights_of_rows(weighted_rows().shuffle(), 6);
  expect_weights_of_rows(weighted_rows().map(MapRows([](Example row) { return row; })), 6);
  expect_weights_of_rows(PerDevice({weighted_rows(), weighted_rows()}), 12);
}

TEST(OutputWeights, OneServesAllOutputs) {
  const Tensor rows = row_numbers();
  const Batch batch = TensorDataset(rows, {rows, rows}, rows + 1).get(2);
  EXPECT_EQ(batch.weights.size(), 1);
  for (const int64_t output : {0, 1}) EXPECT_EQ(batch.weights_of(output).item<float>(), 3);
  EXPECT_FALSE(TensorDataset(rows, rows, {Tensor()}).get(0).weighted());
  EXPECT_FALSE(TensorDataset(rows, rows).get(0).weights_of(0).defined());
}

TEST(OutputWeights, RowsOfAFunctionMayBringThem) {
  const auto row = [](int64_t i) {
    const Tensor number = at::scalar_tensor(i, at::kFloat);
    return Example{
        .x = number, .y = {number, number, number}, .weights = {at::stack({number, number + 10}), number * 2, {}}};
  };
  expect_weights_of_rows(Dataset::from(6, row), 6);
}

TEST(OutputWeights, RowsOfAFunctionMustAllHaveThem) {
  const auto served = [](const std::function<Example(int64_t)>& row) {
    return message_of<DataError>([&] {
      Loader loader(Dataset::from(2, row), {.batch_size = 2, .workers = 0});
      loader.start_epoch(0);
      loader.next();
    });
  };
  const Tensor one = at::ones({});
  for (const int64_t without : {0, 1}) {
    EXPECT_NE(served([&](int64_t i) {
                return Example{.x = one, .y = {one, one}, .weights = {i == without ? Tensor() : one, one}};
              }).find("weights must have one shape in all rows"),
              std::string::npos);
    EXPECT_NE(served([&](int64_t i) {
                return Example{.x = one, .y = one, .weight = i == without ? Tensor() : one};
              }).find("the weight must have one shape in all rows"),
              std::string::npos);
  }
  EXPECT_NE(served([&](int64_t) {
              return Example{.x = one, .y = {one, one, one}, .weights = {one, one}};
            }).find("must give weights as one tensor, or one for each of 3 targets, got 2"),
            std::string::npos);
}

TEST(OutputWeights, MustFitTheTargets) {
  const Tensor rows = row_numbers();
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              TensorDataset(rows, {rows, rows}, {rows, rows, rows});
            }),
            "data set: weights must be one tensor, or one for each of 2 targets, got 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              TensorDataset(rows, {rows, rows}, {rows, rows.slice(0, 1)});
            }),
            "data set: all tensors must have the rows of x[0], 6; weights[1] has 5");
  EXPECT_EQ(message_of<DataError>([&] {
              PerDevice({TensorDataset(rows, rows, rows), TensorDataset(rows, rows)}).source()->all();
            }),
            "PerDevice: all data sets must have sample weights, or none");
  EXPECT_EQ(message_of<DataError>([&] {
              PerDevice({TensorDataset(rows, {rows, rows}, {rows, rows}), TensorDataset(rows, {rows, rows}, rows)})
                  .source()
                  ->all();
            }),
            "PerDevice: all data sets must have sample weights for the same outputs");
}

}  // namespace
}  // namespace tandem::data
