// The accuracy of a model does not depend on the number of devices: MiniGoogLeNet on one and on four.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/config.h"
#include "tandem/core/random.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/zoo/minigooglenet.h"

namespace tandem {
namespace {

// The zoo's network without dropout; `synchronized`: with batch statistics of all rows.
Model without_dropout(bool synchronized) {
  Config entry = Config::from_json(zoo::minigooglenet({.input_shape = {32, 32, 1}}).to_json());
  Config config = entry.at("config");
  Config::List layers = config.at("layers").as_list();
  for (auto& layer : layers) {
    Config settings = layer.at("config");
    if (layer.at("class_name").as_string() == "BatchNormalization") settings.set("synchronized", synchronized);
    if (layer.at("class_name").as_string() == "Dropout") settings.set("rate", 0.0);
    layer.set("config", settings);
  }
  config.set("layers", layers);
  entry.set("config", config);
  return model_from_json(entry.to_json());
}

std::vector<Tensor> weights_after_twenty_steps(const std::string& devices, bool synchronized) {
  const Tensor x = RandomStream(1).uniform({160, 32, 32, 1});
  const Tensor y = at::one_hot(at::arange(160).remainder(10), 10).to(at::kFloat);
  set_random_seed(8);
  Model model = multi_gpu_model(without_dropout(synchronized), Devices::parse(devices));
  // The rate is small since the network multiplies rounding: at 5e-3, images that differ by 1e-7 give weights that
  // differ by 0.1 after these steps, on one device, too.
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 1e-4}), .loss = "categorical_crossentropy"});
  model.fit(x, y, {.batch_size = 8, .verbose = 0});
  return model.get_weights();
}

double largest_difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).abs().max().item<double>());
  return largest;
}

TEST(DeviceParity, MiniGoogLeNetOfTwentySteps) {  // U18
  const auto one = weights_after_twenty_steps("cpu:0", true);
  EXPECT_LT(largest_difference(weights_after_twenty_steps("cpu*4", true), one), 1e-4);
  EXPECT_GT(largest_difference(weights_after_twenty_steps("cpu*4", false), one), 1e-3)
      << "each replica's own statistics are others: the test can tell";
}

}  // namespace
}  // namespace tandem
