#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct BatchNormalizationOptions {
  int64_t axis = -1;
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Handle<Initializer> beta_initializer = "zeros";
  Handle<Initializer> gamma_initializer = "ones";
  Handle<Initializer> moving_mean_initializer = "zeros";
  Handle<Initializer> moving_variance_initializer = "ones";
  Handle<Regularizer> beta_regularizer = {};
  Handle<Regularizer> gamma_regularizer = {};
  Handle<Constraint> beta_constraint = {};
  Handle<Constraint> gamma_constraint = {};
  bool synchronized = false;  // statistics of the whole batch of all replicas
  std::string name = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta for each index of `axis` (Ioffe and Szegedy 2015); the shape
/// stays. As keras.layers.BatchNormalization: in training mean and (biased) variance are the batch's, and the moving
/// ones become moving * momentum + batch * (1 - momentum); in inference, and while the layer is frozen, the moving ones
/// are used. Weights: gamma, beta, moving_mean, moving_variance, all (size of the axis,); the last two are not trained.
///
/// The batch is the replica's own rows, or with `synchronized` the rows of all replicas together: mean and variance are
/// then those of one device with the whole batch however its rows are divided, and so are the gradients. It costs two
/// exchanges of (size of the axis) numbers a layer in the forward pass and two in the backward pass, in training only.
///
/// Throws InvalidArgument when the axis is out of range, is the batch, or has an unknown size, when epsilon is not
/// positive or momentum not in [0, 1], and when an input's axis differs from the one it was built for.
class BatchNormalization : public LayerHandle {
 public:
  explicit BatchNormalization(BatchNormalizationOptions options = {});
  static BatchNormalization from_config(const Config& config);
};

}  // namespace tandem::layers
