// Figures that layers and models add while they are called. Numbers of Keras 3.15 on TensorFlow, of a layer with
//   self.m = keras.metrics.Mean(name="size"); call(v): self.m.update_state(ops.sum(v * v, axis=-1)); return v
// in Sequential([Input((2,)), Dense(2, kernel_initializer="ones"), Size(), Dense(1, kernel_initializer="ones")]),
// SGD(0.1), mse, metrics=["mae"]; x = np.arange(12).reshape(6, 2) / 10, y = np.arange(6).reshape(6, 1) / 4;
// fit(x, y, batch_size=4, epochs=2, shuffle=False, validation_data=(x, y)), then evaluate(x, y, batch_size=4)
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/as_placed.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/layers/operators.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using testing::message_of;

struct Size : Layer {
  Tensor call(const Tensor& v, const CallContext& context) override {
    context.add_metric((v * v).sum(-1), "size");
    return v;
  }
};

// A scalar, which is a mean over the rows of the call.
struct MeanSize : Layer {
  Tensor call(const Tensor& v, const CallContext& context) override {
    context.add_metric((v * v).sum(-1).mean(), "size");
    return v;
  }
};

Tensor sizes_x() { return at::arange(12, at::kFloat).reshape({6, 2}) / 10; }
Tensor sizes_y() { return at::arange(6, at::kFloat).reshape({6, 1}) / 4; }

void expect_keras_sizes(Model model, const distribute::Strategy& strategy) {
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .metrics = {"mae"}, .strategy = strategy});
  const Tensor x = sizes_x(), y = sizes_y();
  const auto history =
      model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .validation_data = {x, y}, .shuffle = false});
  const auto expect = [&](const char* name, double first, double second) {
    EXPECT_NEAR(history[name][0], first, 3e-6 * first) << name;
    EXPECT_NEAR(history[name][1], second, 3e-6 * second) << name;
  };
  expect("size", 2.4524552822113037, 1.0134464502334595);
  expect("val_size", 0.864612877368927, 1.2430416345596313);
  expect("loss", 1.352517008781433, 0.3376237452030182);
  expect("mae", 1.044385313987732, 0.5573354959487915);
  const auto logs = model.evaluate(x, y, {.batch_size = 4, .verbose = 0});
  EXPECT_NEAR(logs["size"], 1.2430416345596313, 3e-6);
  EXPECT_EQ(logs.size(), 3U);
  EXPECT_NO_THROW(model.predict(x)) << "which shows nothing";
}

template <class L>
Model sized() {
  return Sequential({Input({2}), Dense(2, {.kernel_initializer = "ones"}), make_layer<L>(),
                     Dense(1, {.kernel_initializer = "ones"})});
}

TEST(AddMetric, IsTheMeanOverTheRowsOfAllReplicas) {
  for (const int64_t devices : {1, 2, 3, 4}) {  // 4 + 2 rows: replicas with unequal rows, and with none
    expect_keras_sizes(sized<Size>(), on_devices(devices));
    expect_keras_sizes(sized<MeanSize>(), on_devices(devices));
  }
}

TEST(AddMetric, WhereLayersArePlaced) {
  const auto placed = [](const char* device) {
    const auto x = Input({2});
    KerasTensor v = Dense(2, {.kernel_initializer = "ones"})(x);
    {
      const DeviceScope scope(device);
      v = make_layer<Size>()(v);
    }
    return Model(x, Dense(1, {.kernel_initializer = "ones"})(v));
  };
  expect_keras_sizes(placed("cpu:1"), distribute::AsPlaced(1));
  for (const int64_t devices : {2, 3}) expect_keras_sizes(placed("cpu:0"), on_devices(devices));  // on the host
}

// A model of one's own that shows what it computes.
struct Sized : SubclassedModel {
  Dense first = track("first", Dense(2, {.kernel_initializer = "ones"}));
  Dense second = track("second", Dense(1, {.kernel_initializer = "ones"}));
  Tensor call(const Tensor& x, const CallContext& context) override {
    const Tensor v = first(x, context);
    context.add_metric((v * v).sum(-1), "size");
    return second(v, context);
  }
};

TEST(AddMetric, BySubclassedModels) {
  for (const int64_t devices : {1, 2, 4}) expect_keras_sizes(Model(std::make_shared<Sized>()), on_devices(devices));
}

TEST(AddMetric, ALayerThatIsCalledTwiceShowsTheMean) {
  const auto size = make_layer<Size>();
  const auto x = Input({2});
  Model model(x, size(size(x) * 2.0));
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  const Tensor rows = sizes_x();
  const double want = 2.5 * (rows * rows).sum(1).mean().item<double>();  // of v^2 and (2 v)^2
  EXPECT_NEAR(model.evaluate(rows, rows, {.batch_size = 4, .verbose = 0})["size"], want, 1e-6);
}

TEST(AddMetric, EveryElementCountsAndWholeNumbersToo) {
  struct Positive : Layer {
    Tensor call(const Tensor& v, const CallContext& context) override {
      context.add_metric(v > 0, "positive");
      return v;
    }
  };
  Sequential model({Input({2}), make_layer<Positive>()});
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  const Tensor x = at::tensor({1.0F, -1.0F, 2.0F, 3.0F, -1.0F, -2.0F}).reshape({3, 2});
  EXPECT_DOUBLE_EQ(model.evaluate(x, x, {.verbose = 0})["positive"], 0.5);
  EXPECT_DOUBLE_EQ(model.test_on_batch(x, x)["positive"], 0.5);
}

TEST(AddMetric, ChangesNothingInTraining) {
  struct Silent : Layer {
    Tensor call(const Tensor& v, const CallContext&) override { return v; }
  };
  const auto trained = [](bool shown) {
    set_random_seed(3);
    const LayerHandle middle = shown ? LayerHandle(make_layer<Size>()) : LayerHandle(make_layer<Silent>());
    Sequential model({Input({2}), Dense(4), Dropout(0.2), middle, Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
    model.fit(sizes_x(), sizes_y(), {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false});
    return model.get_weights();
  };
  const auto with = trained(true), without = trained(false);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_TRUE(at::equal(with[i], without[i])) << i;
}

TEST(AddMetric, RefusesNamesAndValuesThatCannotBe) {
  const auto message = [](const std::string& name, const Tensor& value) {
    AddedMetrics added;
    return message_of([&] { added.add(value, name); });
  };
  EXPECT_EQ(message("loss", at::ones({2})), "add_metric: must get a name other than that of the loss, got 'loss'");
  EXPECT_EQ(message("", at::ones({2})), "add_metric: must get a name other than that of the loss, got ''");
  EXPECT_EQ(message("size", Tensor()), "add_metric: 'size' must get real numbers, got no tensor");
  EXPECT_EQ(message("size", at::ones({0, 2})), "add_metric: 'size' must get real numbers, got Float of shape (0, 2)");
}

}  // namespace
}  // namespace tandem
