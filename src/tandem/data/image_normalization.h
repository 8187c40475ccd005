#pragma once
#include <string>
#include <vector>

#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"
#include "tandem/data/dataset.h"

namespace tandem::data {

/// Arguments of Keras's ImageDataGenerator that normalise. "featurewise": by a channel's mean and standard deviation
/// over the data set; "samplewise": by an image's own, over all its values. std_normalization implies center, as there.
/// Whitening (zca_whitening) is not offered.
struct ImageNormalizationOptions {
  bool featurewise_center = false;
  bool samplewise_center = false;
  bool featurewise_std_normalization = false;
  bool samplewise_std_normalization = false;
  double rescale = 1;  // values times this, before all else
};

/// Normalisation as ImageDataGenerator.standardize does it, in its order: rescale, the image's mean, its standard
/// deviation + 1e-6, the channels' means, their standard deviations + 1e-6. A value; starts out doing nothing.
class ImageNormalization {
 public:
  ImageNormalization() = default;
  /// Means and standard deviations are those of the rescaled images, an epoch as `dataset` serves it, read once where
  /// they are asked for. Throws InvalidArgument when the data set has no images (rows, height, width, channels).
  static ImageNormalization fit(const Dataset& dataset, const ImageNormalizationOptions& options);

  bool empty() const;
  /// Changes contiguous float32 images (rows, height, width, channels) in place. Throws InvalidArgument when they have
  /// other channels than those that it was fitted to.
  void apply(const Tensor& images) const;

  /// Everything, for a file.
  StateDict state() const;
  static ImageNormalization from_state(const StateDict& state);
  /// A line for the log on each step.
  std::vector<std::string> describe() const;

 private:
  void apply_channels(const Tensor& images) const;

  double rescale_ = 1;
  bool samplewise_center_ = false, samplewise_std_ = false;
  Tensor mean_, std_;  // float32 (channels,); undefined: not asked for
};

}  // namespace tandem::data
