#include "tandem/zoo/image_net.h"

#include "tandem/layers/dense.h"
#include "tandem/layers/global_average_pooling2d.h"

namespace tandem::zoo {

Recipe image_net_recipe() {
  return {.settings = Config::object({{"momentum", 0.9}}),
          .learning_rate = 0.1,
          .schedule = "cosine",
          .rescale = 1.0 / 255,
          .shift = 0.125,
          .flip = true,
          .batch_size = 64,
          .epochs = 90};
}

KerasTensor classified(const KerasTensor& features, const ImageNetOptions& options, const std::string& pool_name) {
  const auto means = layers::GlobalAveragePooling2D({.name = pool_name})(features);
  return layers::Dense(options.classes, {.activation = options.classifier_activation, .name = "predictions"})(means);
}

}  // namespace tandem::zoo
