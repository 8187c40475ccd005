// Each device with its own data.
#include "tandem/data/per_device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

// Notes which values each replica's thread saw in training.
struct Watch : Layer {
  Tensor call(const Tensor& x, const CallContext& context) override {
    if (context.training) {
      const std::lock_guard lock(mutex);
      auto& own = seen[std::this_thread::get_id()];
      for (int64_t i = 0; i < x.size(0); ++i) own.push_back(x[i][0].item<double>());
    }
    return x;
  }
  std::mutex mutex;
  std::map<std::thread::id, std::vector<double>> seen;
};

TEST(PerDevice, EachDeviceSeesItsOwnRowsOnce) {
  const auto part = [](double first, int64_t rows) {
    const Tensor x = (at::arange(rows, at::kFloat) + first).view({rows, 1});
    return Dataset(data::TensorDataset(x, x * 2));
  };
  const auto watch = make_layer<Watch>();
  Sequential model({Input({1}), watch, Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .strategy = on_devices(2)});
  const testing::CapturedLog quiet;
  const auto history =
      model.fit(PerDevice{part(0, 5).shuffle(), part(100, 9)}, {.batch_size = 4, .epochs = 2, .verbose = 0});
  EXPECT_EQ(history.rows_per_device(), (std::vector<int64_t>{10, 18}));
  ASSERT_EQ(watch->seen.size(), 2U);
  for (auto& [thread, values] : watch->seen) {
    const bool first = values.front() < 100;
    const std::size_t rows = first ? 5 : 9;
    ASSERT_EQ(values.size(), 2 * rows);
    for (int epoch : {0, 1}) {
      std::vector<double> own(values.begin() + epoch * static_cast<long>(rows),
                              values.begin() + (epoch + 1) * static_cast<long>(rows));
      std::sort(own.begin(), own.end());
      for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(own[i], (first ? 0.0 : 100.0) + static_cast<double>(i));
    }
  }
}

TEST(PerDevice, HalvesTrainAsTheWholeInTheSameOrder) {
  const Tensor x = normal({12, 3}, 1), y = normal({12, 2}, 2);
  const auto model_on = [&](int64_t devices) {
    set_random_seed(4);
    Sequential model({Input({3}), Dense(2, {.kernel_regularizer = "l2"})});
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .strategy = on_devices(devices)});
    return model;
  };
  auto two = model_on(2);
  two.fit(PerDevice{data::TensorDataset(x.slice(0, 0, 6), y.slice(0, 0, 6)),
                    data::TensorDataset(x.slice(0, 6), y.slice(0, 6))},
          {.batch_size = 4, .epochs = 2, .verbose = 0});
  const Tensor order = at::tensor({0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11});
  auto one = model_on(1);
  one.fit(x.index_select(0, order), y.index_select(0, order),
          {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false});
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(testing::difference(two.get_weights()[i], one.get_weights()[i], 1e-6), "");
}

TEST(PerDevice, OneDataSetForEachDevice) {
  const Dataset part = data::TensorDataset(at::ones({4, 1}), at::ones({4, 1}));
  Sequential model({Input({1}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  EXPECT_EQ(testing::message_of([&] {
              model.fit(PerDevice{part, part, part}, {.batch_size = 6, .verbose = 0});
            }),
            "fit: data by device must have a part for each of the 2 devices, got 3");
  // A row that was shuffled in from behind the cut would be another device's.
  EXPECT_EQ(testing::message_of([&] {
              model.fit(PerDevice{data::TensorDataset(at::ones({100, 1}), at::ones({100, 1})).shuffle().take(4), part},
                        {.batch_size = 4, .verbose = 0});
            }),
            "PerDevice: data set 0 must be cut by take before it is shuffled");
  EXPECT_EQ(testing::message_of([&] {
              model.predict(PerDevice{part, part});
            }),
            "predict: data by device has no one order of rows; predict on each part");
  EXPECT_EQ(testing::message_of([&] {
              PerDevice{part.batch(2), part};
            }),
            "PerDevice: data set 0 must have no map and no batch of its own; put them on the whole");
}

}  // namespace
}  // namespace tandem
