#include "tandem/data/split.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/digits.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/rescale.h"
#include "tandem/data/to_categorical.h"

namespace tandem::data {
namespace {

Dataset in_threes(int64_t rows) { return TensorDataset(at::arange(rows), at::arange(rows).remainder(3)); }

std::vector<int64_t> ids(const Dataset& part) {
  const Tensor x = part.x();
  return {x.const_data_ptr<int64_t>(), x.const_data_ptr<int64_t>() + x.numel()};
}

template <std::size_t N>
void expect_disjoint_and_complete(const std::array<Dataset, N>& parts, int64_t rows) {
  std::set<int64_t> seen;
  int64_t count = 0;
  for (const Dataset& part : parts) {
    for (const int64_t id : ids(part)) seen.insert(id);
    count += part.size();
  }
  EXPECT_EQ(count, rows);
  EXPECT_EQ(static_cast<int64_t>(seen.size()), rows);
}

TEST(Split, SizesAreTheFractionsByLargestRemainder) {
  const auto parts = split(in_threes(1797), {0.7, 0.15, 0.15}, {.seed = 4});  // 1257.9, 269.55, 269.55
  EXPECT_EQ(parts[0].size(), 1258);
  EXPECT_EQ(parts[1].size(), 270);
  EXPECT_EQ(parts[2].size(), 269);
  expect_disjoint_and_complete(parts, 1797);
  const auto tenths = split(in_threes(10), {0.1, 0.2, 0.7}, {.seed = 4});
  EXPECT_EQ(tenths[0].size(), 1);
  EXPECT_EQ(tenths[1].size(), 2);
  EXPECT_EQ(tenths[2].size(), 7);
  const auto [half, quarter] = split(in_threes(100), {0.5, 0.25}, {.seed = 4});
  EXPECT_EQ(half.size(), 50);
  EXPECT_EQ(quarter.size(), 25);
}

TEST(Split, TheSeedFixesTheRows) {
  const auto first = split(in_threes(50), {0.5, 0.5}, {.seed = 4}),
             again = split(in_threes(50), {0.5, 0.5}, {.seed = 4});
  const auto other = split(in_threes(50), {0.5, 0.5}, {.seed = 5});
  EXPECT_EQ(ids(first[0]), ids(again[0]));
  EXPECT_NE(ids(first[0]), ids(other[0]));
  set_random_seed(9);
  const auto rooted = split(in_threes(50), {0.5, 0.5});
  set_random_seed(9);
  EXPECT_EQ(ids(split(in_threes(50), {0.5, 0.5})[0]), ids(rooted[0]));
}

TEST(Split, WithoutShuffleThePartsKeepTheOrder) {
  const auto [a, b] = split(in_threes(10), {0.6, 0.4}, {.shuffle = false});
  EXPECT_EQ(ids(a), std::vector<int64_t>({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ids(b), std::vector<int64_t>({6, 7, 8, 9}));
  const auto [c, d] = split(in_threes(9), {2.0 / 3, 1.0 / 3}, {.shuffle = false, .stratify = true});
  EXPECT_EQ(ids(c), std::vector<int64_t>({0, 1, 2, 3, 4, 5}));  // two of each class
  EXPECT_EQ(ids(d), std::vector<int64_t>({6, 7, 8}));
}

TEST(Split, StratifiedPartsHaveTheirShareOfEveryClass) {
  const Dataset digits = datasets::digits();
  const Dataset numbered_digits = TensorDataset(at::arange(1797), digits.y());
  const auto parts = split(numbered_digits, {0.8, 0.2}, {.seed = 4, .stratify = true});
  EXPECT_EQ(parts[0].size(), 1438);  // 1437.6
  expect_disjoint_and_complete(parts, 1797);
  for (int64_t label = 0; label < 10; ++label) {
    const auto all = digits.y().eq(label).sum().item<double>();
    EXPECT_LT(std::abs(parts[0].y().eq(label).sum().item<double>() - 0.8 * all), 1) << label;
  }
  // Shuffled inside the part too, not class by class.
  const Tensor y = parts[1].y();
  EXPECT_GT(y.slice(0, 1).ne(y.slice(0, 0, -1)).sum().item<int64_t>(), 200);
}

TEST(Split, ThreeStratifiedPartsAreDisjointAndSeeded) {
  // 50, 30 and 10 rows of the classes 0, 1, 2.
  const Tensor y = at::cat({at::zeros({50}, at::kLong), at::ones({30}, at::kLong), at::full({10}, 2, at::kLong)});
  const TensorDataset data(at::arange(90), y);
  const SplitOptions options{.seed = 6, .stratify = true};
  const auto parts = split(data, {0.7, 0.2, 0.1}, options);  // train, validation, test
  expect_disjoint_and_complete(parts, 90);
  const std::array<std::array<int64_t, 3>, 3> wanted{{{35, 21, 7}, {10, 6, 2}, {5, 3, 1}}};
  for (std::size_t part = 0; part < 3; ++part) {
    for (std::size_t label = 0; label < 3; ++label) {
      EXPECT_EQ(parts[part].y().eq(static_cast<int64_t>(label)).sum().item<int64_t>(), wanted[part][label])
          << "part " << part << ", class " << label;
    }
    EXPECT_EQ(ids(parts[part]), ids(split(data, {0.7, 0.2, 0.1}, options)[part]));
  }
}

TEST(Split, StratifiesOneHotLabelsAlike) {
  const Tensor y = at::arange(60).remainder(4);
  const auto whole = split(TensorDataset(at::arange(60), y), {0.5, 0.5}, {.seed = 1, .stratify = true});
  const auto one_hot =
      split(TensorDataset(at::arange(60), to_categorical(y)), {0.5, 0.5}, {.seed = 1, .stratify = true});
  EXPECT_EQ(ids(whole[0]), ids(one_hot[0]));
  EXPECT_EQ(ids(whole[1]), ids(one_hot[1]));
}

TEST(Split, SettingsGoOnToTheParts) {
  const auto [a, b] = split(TensorDataset(at::ones({10, 1})).map(Rescale(3)).batch(4, true), {0.5, 0.5});
  EXPECT_EQ(a.get(0).x[0].item<float>(), 3);
  EXPECT_EQ(b.batch_size(), 4);
  EXPECT_EQ(b.batches(), 1);
  const auto [c, d] = split(in_threes(10).take(6), {0.5, 0.5}, {.shuffle = false});
  EXPECT_EQ(ids(d), std::vector<int64_t>({3, 4, 5}));
  EXPECT_EQ(c.size(), 3);
}

TEST(Split, RefusesWhatCannotBe) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              split(in_threes(10), {0.8, 0.3});
            }),
            "split: the fractions must sum to at most 1, got 1.1");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              split(in_threes(10), {1.0, 0.0});
            }),
            "split: fractions must be positive, got 0");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              split(in_threes(10), {0.99, 0.01});
            }),
            "split: part 1 (0.01 of 10 rows) would have no rows");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              split(in_threes(10).shuffle(), {0.5, 0.5});
            }),
            "split: the data set is shuffled already; split first, then shuffle the parts");
  const TensorDataset reals(at::ones({4, 1}), at::rand({4, 1}));
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              split(reals, {0.5, 0.5}, {.stratify = true});
            }),
            "split: stratify needs whole-number labels or one-hot rows, got y of Float (4,)");
}

}  // namespace
}  // namespace tandem::data
