#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem::zoo {

/// How a model of the zoo is usually trained: what holds where a user names nothing else.
struct Recipe {
  std::string optimizer = "sgd";       // by Keras's name
  Config settings = Config::object();  // of the optimizer under Keras's keys, but for the rate
  double learning_rate = 0.01;         // at the beginning
  std::string schedule = {};           // how the rate falls over the training, see scheduled_rate; empty: it does not
  std::string loss = "categorical_crossentropy";  // targets one-hot
  bool reconstructs = false;                      // the targets are the images as the model gets them, not labels
  bool mean_image = false;                        // subtract the training set's
  double rescale = 1;                             // values are multiplied by it
  double shift = 0;                               // random shift, a share of height and width, edges repeated
  bool flip = false;                              // random horizontal flip
  int64_t batch_size = 64;                        // rows of a step on each device
  int64_t epochs = 10;

  /// The optimizer for a training of `updates` updates, over which the schedule runs. Throws InvalidArgument naming an
  /// optimizer, setting or schedule that is not known.
  Handle<Optimizer> make_optimizer(int64_t updates) const;
};

}  // namespace tandem::zoo
