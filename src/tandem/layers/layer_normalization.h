#pragma once
#include <string>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct LayerNormalizationOptions {
  Axes axis = -1;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Handle<Initializer> beta_initializer = "zeros";
  Handle<Initializer> gamma_initializer = "ones";
  Handle<Regularizer> beta_regularizer = {};
  Handle<Regularizer> gamma_regularizer = {};
  Handle<Constraint> beta_constraint = {};
  Handle<Constraint> gamma_constraint = {};
  std::string name = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta with each row's own mean and (biased) variance over `axis`, one
/// or several (Ba, Kiros and Hinton 2016); the shape stays. As keras.layers.LayerNormalization. Weights: gamma, beta,
/// both with the sizes of the axes. Over the last axes it is one pass of LibTorch's fused operator.
///
/// Throws InvalidArgument on a negative epsilon, on an axis that the input has not, that is the batch or of unknown
/// size, and when an input's axes differ from those it was built for.
class LayerNormalization : public LayerHandle {
 public:
  explicit LayerNormalization(LayerNormalizationOptions options = {});
  static LayerNormalization from_config(const Config& config);
};

}  // namespace tandem::layers
