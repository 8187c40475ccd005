#include "tandem/data/concatenate.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/rescale.h"
#include "tandem/data/split.h"

namespace tandem::data {
namespace {

Dataset rows_from(int64_t first, int64_t count) {
  const Tensor x = at::arange(first, first + count, at::kFloat).view({count, 1});
  return TensorDataset(x, -x);
}

TEST(Concatenate, RowsInTheOrderAsked) {
  const auto whole = concatenate(std::vector<Dataset>{rows_from(0, 3), rows_from(10, 5).take(2), rows_from(20, 1)});
  EXPECT_EQ(whole.size(), 6);
  EXPECT_TRUE(at::equal(whole.x(), at::tensor({0.F, 1.F, 2.F, 10.F, 11.F, 20.F}).view({6, 1})));
  EXPECT_TRUE(at::equal(whole.y(), -whole.x()));
  const std::vector<int64_t> rows{5, 0, 4, 1, 5, 3};
  const auto batch = whole.source()->get(rows);
  EXPECT_TRUE(at::equal(batch.x[0], at::tensor({20.F, 0.F, 11.F, 1.F, 20.F, 10.F}).view({6, 1})));
  EXPECT_TRUE(at::equal(batch.y[0], -batch.x[0]));
}

TEST(Concatenate, WeightsGoAlong) {
  const auto weighted = [](float weight) { return TensorDataset(at::zeros({2, 1}), {}, at::full({2}, weight)); };
  const auto whole = concatenate(std::vector<Dataset>{weighted(1), weighted(3)});
  const std::vector<int64_t> rows{3, 0};
  EXPECT_TRUE(at::equal(whole.source()->get(rows).weights[0], at::tensor({3.F, 1.F})));
}

TEST(Concatenate, KnowsTheFilesOfItsRows) {
  const auto inner = concatenate(std::vector<Dataset>{rows_from(0, 1), rows_from(1, 2)});
  const auto whole = concatenate(std::vector<Dataset>{rows_from(0, 2), inner, rows_from(3, 1)});
  EXPECT_EQ(files_of(*whole.source()), (std::vector<int64_t>{0, 0, 1, 2, 2, 3}));
  const auto [first, second] = split(whole, {0.5, 0.5}, {.shuffle = false});
  EXPECT_EQ(files_of(*second.source()), (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(files_of(*rows_from(0, 2).source()), (std::vector<int64_t>{0, 0}));
}

TEST(Concatenate, RefusesWhatCannotBe) {
  const auto message = [](std::vector<Dataset> parts) {
    return message_of<InvalidArgument>([&] { concatenate(parts); });
  };
  EXPECT_EQ(message({}), "concatenate: must get data sets, got none");
  EXPECT_EQ(message({rows_from(0, 2), rows_from(0, 2).shuffle()}),
            "concatenate: data set 1 must not be shuffled; shuffle the whole");
  EXPECT_EQ(message({rows_from(0, 2).map(Rescale(2))}),
            "concatenate: data set 0 must have no map and no batch of its own; put them on the whole");
  EXPECT_EQ(message({Dataset()}), "concatenate: data set 0 is empty");
  const auto wider =
      concatenate(std::vector<Dataset>{rows_from(0, 2), TensorDataset(at::zeros({2, 3}), at::zeros({2}))});
  const std::vector<int64_t> rows{0, 3};
  EXPECT_EQ(
      message_of<DataError>([&] { wider.source()->get(rows); }),
      "concatenate: all data sets must have inputs of one type and shape, got Float rows of (1,) and Float rows of "
      "(3,)");
  const std::vector<LabelledDataset> labelled{{rows_from(0, 2), {"a", "b"}}, {rows_from(0, 2), {"a", "c"}}};
  EXPECT_EQ(message_of<InvalidArgument>([&] { concatenate(labelled); }),
            "concatenate: all data sets must have the same classes, but data set 1 has {a, c}, data set 0 {a, b}");
  const std::vector<LabelledDataset> alike{labelled[0], labelled[0]};
  EXPECT_EQ(concatenate(alike).class_names(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace tandem::data
