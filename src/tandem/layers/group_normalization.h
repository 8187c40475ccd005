#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct GroupNormalizationOptions {
  int64_t groups = 32;  // -1: one for each channel (instance normalisation)
  int64_t axis = -1;
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

/// gamma (x - mean) / sqrt(variance + epsilon) + beta with the mean and (biased) variance of each row's group of
/// neighbouring channels, which lie along `axis`, over all other axes (Wu and He 2018); the shape stays. As
/// keras.layers.GroupNormalization. Weights: gamma, beta, one number a channel. With the channels last it is one pass
/// of LibTorch's fused operator on the memory as it lies.
///
/// Throws InvalidArgument on a negative epsilon, on groups that do not divide the channels, on an axis that the input
/// has not, that is the batch or of unknown size, and when an input's channels differ from those it was built for.
class GroupNormalization : public LayerHandle {
 public:
  explicit GroupNormalization(GroupNormalizationOptions options = {});
  static GroupNormalization from_config(const Config& config);
};

}  // namespace tandem::layers
