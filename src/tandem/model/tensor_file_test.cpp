// Files of a model whose layers are divided are the plain model's, and open on any number of devices.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/distribution/single_device.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/body.h"
#include "tandem/model/load_model.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using distribute::TensorParallel;
using layers::Dense;
using layers::Input;
using parity::normal;

distribute::Strategy parts_of(int64_t n) {
  if (n == 1) return distribute::SingleDevice("cpu:0");
  return TensorParallel({.devices = Devices::parse("cpu*" + std::to_string(n)), .threads_per_device = 1});
}

// U59: ten units on four devices; the file holds whole tensors.
TEST(TensorFiles, OpenOnAnyNumberOfDevices) {
  const testing::TemporaryFolder folder;
  const Tensor x = normal({12, 6}, 1), y = normal({12, 3}, 2);
  const FitOptions once{.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false};
  Sequential model({Input({6}), Dense(10, {.activation = "tanh"}), Dense(3)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse", .strategy = parts_of(4)});
  model.fit(x, y, once);
  model.save(folder.file("divided.keras"));
  model.save_weights(folder.file("divided.weights.h5"));
  const auto saved = model.get_weights();
  const Tensor predictions = model.predict(x);
  model.fit(x, y, once);
  const auto want = model.get_weights();
  for (const int64_t n : {1, 2, 3, 4}) {
    SCOPED_TRACE(std::to_string(n) + " devices");
    Model loaded = load_model(folder.file("divided.keras"), {.strategy = parts_of(n)});
    loaded.evaluate(x, y, {.verbose = 0});  // binds the strategy
    const auto values = loaded.get_weights();
    for (std::size_t i = 0; i < saved.size(); ++i) EXPECT_TRUE(at::equal(values[i], saved[i])) << i;
    loaded.fit(x, y, once);  // with the optimizer's state
    const auto got = loaded.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(testing::difference(got[i], want[i], 1e-5), "") << i;
    Sequential other({Input({6}), Dense(10, {.activation = "tanh"}), Dense(3)});
    other.compile({.loss = "mse", .strategy = parts_of(n)});
    other.load_weights(folder.file("divided.weights.h5"));
    EXPECT_EQ(testing::difference(other.predict(x), predictions, 1e-5), "");
  }
}

}  // namespace
}  // namespace tandem
