// Users' own data: rows made by a class or a function, and values in memory that are not copied.
#include "tandem/data/row_source.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/dataset.h"
#include "tandem/data/from_span.h"
#include "tandem/data/loader.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/split.h"

namespace tandem::data {
namespace {

// Row i: x = (i, 10 i), y = i mod 3, weight i. Counts how often each row is read.
class NumberedRows : public RowSource {
 public:
  explicit NumberedRows(int64_t rows) : reads_(static_cast<std::size_t>(rows)) {}

  int64_t size() const override { return static_cast<int64_t>(reads_.size()); }
  Example row(int64_t i) const override {
    ++reads_[static_cast<std::size_t>(i)];
    const auto value = static_cast<float>(i);
    return {
        .x = at::tensor({value, 10 * value}), .y = at::scalar_tensor(i % 3, at::kLong), .weight = at::scalar_tensor(i)};
  }
  std::vector<int> reads() const { return {reads_.begin(), reads_.end()}; }

 private:
  mutable std::vector<std::atomic<int>> reads_;
};

LoaderOptions by_sevens(int64_t workers) {
  LoaderOptions options;
  options.batch_size = 7;
  options.workers = workers;
  return options;
}

TEST(RowSource, EachRowOnceAnEpochInTheSameOrderForAnyNumberOfWorkers) {
  Tensor first;
  for (const int64_t workers : {0, 1, 4, 7}) {
    const auto source = std::make_shared<NumberedRows>(100);
    Loader loader(Dataset(source).shuffle(5), by_sevens(workers));
    loader.start_epoch(0);
    std::vector<Tensor> x;
    while (auto batch = loader.next()) {
      EXPECT_EQ(batch->x[0].sizes(), at::IntArrayRef({batch->rows(), 2}));
      EXPECT_EQ(batch->y[0].sizes(), at::IntArrayRef({batch->rows()}));
      EXPECT_EQ(batch->weights[0].scalar_type(), at::kFloat);
      EXPECT_TRUE(at::equal(batch->weights[0], batch->x[0].select(1, 0)));
      x.push_back(batch->x[0]);
    }
    EXPECT_EQ(source->reads(), std::vector<int>(100, 1)) << workers;
    if (!first.defined()) first = at::cat(x);
    EXPECT_TRUE(at::equal(at::cat(x), first)) << workers;
  }
}

TEST(RowSource, AFunctionIsEnough) {
  const auto rows = Dataset::from(10, [](int64_t i) {
    return Example{.x = {at::full({2}, i), at::scalar_tensor(-i)}, .y = at::scalar_tensor(i % 2, at::kLong)};
  });
  EXPECT_EQ(rows.size(), 10);
  EXPECT_TRUE(at::equal(rows.y(), at::arange(10).remainder(2)));
  EXPECT_EQ(rows.get(4).x[1].item<int64_t>(), -4);
  const auto [a, b] = split(rows, {0.5, 0.5}, {.seed = 2, .stratify = true});
  EXPECT_EQ(a.y().sum().item<int64_t>() + b.y().sum().item<int64_t>(), 5);
  EXPECT_EQ(message_of<InvalidArgument>([] { Dataset::from(-1, [](int64_t) { return Example{}; }); }),
            "data set: the number of rows must not be negative, got -1");
  EXPECT_EQ(message_of<InvalidArgument>([] { Dataset::from(1, nullptr); }),
            "data set: the function that makes rows must not be empty");
}

TEST(RowSource, WhatARowThrowsArrivesWithItsNumber) {
  const auto rows = Dataset::from(20, [](int64_t i) {
    if (i == 16) throw std::runtime_error("the recorder was off");
    if (i == 3) throw InvalidArgument("three is not wanted");
    return Example{.x = at::full({i == 9 ? 3 : 2}, i), .y = {}};
  });
  for (const int64_t workers : {0, 1, 4}) {
    Loader loader(rows, by_sevens(workers));
    loader.start_epoch(1);
    EXPECT_EQ(message_of<InvalidArgument>([&] { loader.next(); }), "batch 0 of epoch 1, row 3: three is not wanted");
    EXPECT_EQ(
        message_of<DataError>([&] { loader.next(); }),
        "batch 1 of epoch 1: data set: x must have one shape in all rows, got (2,) in the first and (3,) in row 2 "
        "of the batch");
    EXPECT_EQ(message_of<DataError>([&] { loader.next(); }), "batch 2 of epoch 1, row 16: the recorder was off");
  }
  const auto uneven = Dataset::from(4, [](int64_t i) {
    return i == 2 ? Example{.x = at::ones({2})} : Example{.x = at::ones({2}), .y = at::ones({1})};
  });
  Loader loader(uneven, by_sevens(0));
  loader.start_epoch(0);
  EXPECT_EQ(message_of<DataError>([&] { loader.next(); }),
            "batch 0 of epoch 0: data set: the function must return as many y for every row");
}

TEST(FromSpan, ValuesAreNotCopied) {
  std::vector<float> pixels(12);
  std::iota(pixels.begin(), pixels.end(), 0.0F);
  const std::array<int64_t, 3> labels{4, 5, 6};
  const TensorDataset rows(from_span(pixels, {2, 2}), from_span(labels));
  EXPECT_EQ(rows.x().sizes(), at::IntArrayRef({3, 2, 2}));
  EXPECT_EQ(rows.x().const_data_ptr<float>(), pixels.data());
  EXPECT_EQ(rows.y().const_data_ptr<int64_t>(), labels.data());
  pixels[11] = 99;
  EXPECT_EQ(rows.get(2).x[0][0][1][1].item<float>(), 99);
  const Tensor part = from_span(std::span(pixels).subspan(4, 4), {4});
  EXPECT_EQ(part.sizes(), at::IntArrayRef({1, 4}));
  EXPECT_EQ(part.const_data_ptr<float>(), pixels.data() + 4);
}

TEST(FromSpan, TypesStayAsTheyAre) {
  const std::array<uint8_t, 1> byte{7};
  EXPECT_EQ(from_span(byte).scalar_type(), at::kByte);
  const std::vector<int32_t> ids{1, 2};
  EXPECT_EQ(from_span(ids).scalar_type(), at::kInt);
  EXPECT_EQ(from_span(std::span<const int16_t>()).sizes(), at::IntArrayRef({0}));
  EXPECT_EQ(from_vector(std::vector<double>{1, 2}, {2}).scalar_type(), at::kDouble);
}

// What must not compile: temporaries that would be gone, values that are no plain numbers.
template <class T>
concept CanView = requires(T&& values) {
  from_span(std::forward<T>(values));
};
static_assert(CanView<std::vector<float>&> && CanView<const std::vector<float>&> && CanView<std::span<const float>>);
static_assert(!CanView<std::vector<float>> && !CanView<std::vector<bool>&> && !CanView<std::vector<std::string>&>);

TEST(FromSpan, AVectorIsMovedIn) {
  std::vector<int64_t> values{1, 2, 3, 4};
  const auto* place = values.data();
  Tensor x = from_vector(std::move(values), {2});
  EXPECT_EQ(x.const_data_ptr<int64_t>(), place);
  const Dataset rows = TensorDataset(x);
  x.reset();
  EXPECT_TRUE(at::equal(rows.x(), at::tensor({1, 2, 3, 4}, at::kLong).view({2, 2})));
}

TEST(FromSpan, RefusesBrokenRows) {
  const std::vector<float> values(7);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              from_span(values, {2, 2});
            }),
            "from_span: the values must fill whole rows of shape (2, 2), got 7 values for rows of 4");
  EXPECT_THROW(from_span(values, {0}), InvalidArgument);
  EXPECT_THROW(from_span(values, {Shape::kUnknown}), InvalidArgument);
}

}  // namespace
}  // namespace tandem::data
