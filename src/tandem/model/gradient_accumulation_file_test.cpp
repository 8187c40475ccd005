// What an optimizer that collects the gradients of several batches keeps in files.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/load_model.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

TEST(GradientAccumulationFile, KeepsAnOpenGroup) {
  const testing::TemporaryFolder folder;
  const Tensor x = RandomStream(51).normal({64, 5}), y = RandomStream(52).normal({64, 2});
  const FitOptions options{.batch_size = 16, .epochs = 1, .verbose = 0, .shuffle = false};
  const Handle<Optimizer> plain = optimizers::SGD({.learning_rate = 0.1, .gradient_accumulation_steps = 3});
  const Handle<Optimizer> scaled =
      optimizers::LossScaleOptimizer(optimizers::Adam({.learning_rate = 0.01, .gradient_accumulation_steps = 3}));
  for (const char* name : {"m.keras", "m.h5"}) {
    for (const auto& optimizer : {plain, scaled}) {
      set_random_seed(53);
      Sequential model({layers::Input({5}), layers::Dense(6, {.activation = "tanh"}), layers::Dense(2)});
      model.compile({.optimizer = optimizer, .loss = "mse"});
      model.fit(x, y, options);  // four batches: one lies in the accumulator
      model.save(folder.file(name));
      Model loaded = load_model(folder.file(name));
      for (auto* trained : {static_cast<Model*>(&model), &loaded}) trained->fit(x, y, options);
      const auto got = loaded.get_weights(), want = model.get_weights();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i])) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace tandem
