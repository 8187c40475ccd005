#include "tandem/zoo/normalized.h"

#include "tandem/layers/activation.h"
#include "tandem/layers/batch_normalization.h"

namespace tandem::zoo {

KerasTensor normalized(const KerasTensor& x, const std::string& name) {
  return layers::BatchNormalization({.epsilon = 1.001e-5, .name = name})(x);
}

KerasTensor normalized_relu(const KerasTensor& x, const std::string& name) {
  return layers::Activation("relu", {.name = name + "_relu"})(normalized(x, name + "_bn"));
}

}  // namespace tandem::zoo
