#pragma once
#include <cstdint>
#include <string>

namespace tandem::zoo {

/// How a model of the zoo is usually trained: what holds where a user names nothing else.
struct Recipe {
  double learning_rate = 0.01;
  double momentum = 0;
  std::string schedule = {};                      // "polynomial": from learning_rate to 0 over the training
  std::string loss = "categorical_crossentropy";  // targets one-hot
  bool mean_image = false;                        // subtract the training set's
  double shift = 0;                               // random shift, a share of height and width, edges repeated
  bool flip = false;                              // random horizontal flip
  int64_t epochs = 10;
};

}  // namespace tandem::zoo
