#pragma once
#include <string>
#include <vector>

#include "tandem/core/shape.h"
#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"
#include "tandem/data/batch.h"
#include "tandem/data/dataset.h"
#include "tandem/data/image_normalization.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// What brings images to a model's input, kept with the model: (1) another size by bilinear resize and one channel
/// repeated to several, (2) normalisation as Keras's ImageDataGenerator does it, (3) a mean image subtracted, (4)
/// values multiplied by a factor and an offset added, in this order. A value; starts out doing nothing.
class Preprocessing {
 public:
  Preprocessing() = default;
  /// Brings images of `image` to `input`, both (height, width, channels) or (height, width) without the batch axis;
  /// unknown sizes of `input` stay as they are. Shapes that match need nothing. Throws InvalidArgument when it cannot
  /// be done.
  static Preprocessing adapt(const Shape& image, const Shape& input);
  /// Subtracts the mean image of `dataset` (see mean_image), whose images are also brought to `input` where that is
  /// given. Map no random transform onto `dataset` before: the mean would be of the changed images.
  static Preprocessing fit_mean(const Dataset& dataset, const Shape& input = {});
  /// Normalises as `options` say (see ImageNormalization), fitted to `dataset`, whose images are brought to `input`
  /// first where that is given: what ImageDataGenerator.fit and standardize do. Map no random transform onto `dataset`
  /// before.
  static Preprocessing fit(const Dataset& dataset, const ImageNormalizationOptions& options, const Shape& input = {});
  /// The same followed by x * factor + offset.
  Preprocessing rescale(double factor, double offset = 0) const;

  bool empty() const {
    return input_.empty() && normalization_.empty() && !mean_.defined() && factor_ == 1 && offset_ == 0;
  }
  /// float32, of the input's shape; undefined without one.
  const Tensor& mean() const { return mean_; }

  /// (rows, height, width, channels) of float32, contiguous; uint8 and float images may have any size. `x` is not
  /// changed. An empty preprocessing returns x itself. Throws InvalidArgument when the images do not fit.
  Tensor apply(const Tensor& x) const;
  /// Applies it to the first input, in place where that saves a copy.
  Batch apply(Batch batch) const;
  /// For Dataset::map: worker threads then do the work.
  TransformHandle transform() const;

  /// Everything, for a file; empty for an empty preprocessing.
  StateDict state() const;
  static Preprocessing from_state(const StateDict& state);
  /// A line for the log on each step, as "images 8x8x1 resized to 32x32x3 (bilinear, channels repeated)".
  std::vector<std::string> describe() const;

 private:
  Tensor resize(const Tensor& x) const;
  Tensor run(const Tensor& x, bool owned) const;

  Shape image_;  // images as they came when this was made, for describe
  Shape input_;  // what they become; empty: as they are
  ImageNormalization normalization_;
  Tensor mean_;
  double factor_ = 1, offset_ = 0;
};

}  // namespace tandem::data
