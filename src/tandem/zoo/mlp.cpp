#include "tandem/zoo/mlp.h"

#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/zoo/check_images.h"

namespace tandem::zoo {

Model mlp(const MlpOptions& options) {
  check_images("mlp", options.input_shape, 1, options.classes);
  return Sequential(
      {layers::Input(options.input_shape), layers::Flatten(), layers::Dense(256, {.activation = "relu"}),
       layers::Dense(128, {.activation = "relu"}), layers::Dense(options.classes, {.activation = "softmax"})},
      "mlp");
}

Recipe mlp_recipe() {
  return {.settings = Config::object({{"momentum", 0.9}}), .learning_rate = 0.01, .rescale = 1.0 / 255, .epochs = 20};
}

}  // namespace tandem::zoo
