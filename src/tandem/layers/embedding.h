#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct EmbeddingOptions {
  Handle<Initializer> embeddings_initializer = "uniform";
  Handle<Regularizer> embeddings_regularizer = {};
  Handle<Constraint> embeddings_constraint = {};
  bool mask_zero = false;  // id 0 is padding: the output has a mask that is false there
  std::string name = {};
};

/// A vector of output_dim numbers for each id in [0, input_dim): (batch, ...) to (batch, ..., output_dim). Ids are
/// whole numbers of any type, or float32, whose fraction is dropped as Keras does. Weight: embeddings (input_dim,
/// output_dim). As keras.layers.Embedding.
///
/// Throws InvalidArgument on dimensions that are not positive and, naming the row of the batch and the
/// id, on an id out of range (Keras takes negative ones to count from the end).
class Embedding : public LayerHandle {
 public:
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  static Embedding from_config(const Config& config);
};

}  // namespace tandem::layers
