#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/data/range.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Arguments of Keras's ImageDataGenerator, in its order. Those that normalise are in ImageNormalizationOptions.
struct ImageAugmentationOptions {
  double rotation_range = 0;                   // degrees
  double width_shift_range = 0;                // below 1: of the width, from 1 on: pixels
  double height_shift_range = 0;               // the same of the height
  std::optional<Range> brightness_range = {};  // {0.8, 1.2}
  double shear_range = 0;                      // degrees
  ZoomRange zoom_range = {};                   // 0.2 or {0.8, 1.2}
  double channel_shift_range = 0;              // of the values
  std::string fill_mode = "nearest";           // nearest, constant, reflect, wrap
  double cval = 0;                             // the value of fill_mode "constant"
  bool horizontal_flip = false;
  bool vertical_flip = false;
  double rescale = 1;  // the last step: values times this; 1: none
};

/// Random changes of images as Keras's ImageDataGenerator makes them, to float32: rotation, shift, shear, zoom and
/// flips with one resampling, then channel shift, brightness and rescale. All that is drawn is drawn evenly from plus
/// and minus the range. Keras's peculiarities are kept: what comes from width_shift_range moves lines and what comes
/// from height_shift_range columns (Keras swaps the axes), and images that are not square turn and zoom about a point
/// beside their middle. RandomShift, RandomRotation, RandomZoom and RandomShear do neither. Throws InvalidArgument on a
/// range that is negative or no number, and on an unknown fill mode.
class ImageAugmentation : public TransformHandle {
 public:
  explicit ImageAugmentation(const ImageAugmentationOptions& options);
};

}  // namespace tandem::data
