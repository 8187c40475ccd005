#pragma once
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

/// Each layer on the device that its DeviceScope names, as in Keras (`with tf.device(...)`); layers without one on
/// cpu:0, where a model without scopes runs. There is one copy of the weights. Values go from device to device along
/// the edges of the graph, gradients back; parts that do not need one another run at the same time. The numbers are
/// those of one device, batch normalisation and dropout included.
///
/// On GPUs the copy of the weights lies on the first device; the others get, after each update, those that their layers
/// compute with. Edges are copies that GPUs wait for by events.
///
/// What compile takes where it is given no strategy and the model has device scopes. Binding throws InvalidArgument
/// when a device is not there or is a part of a GPU among others, or a layer that holds a model with other scopes is
/// not one that a graph calls.
struct AsPlaced : Strategy {
  /// `threads_per_device`: 0: TANDEM_THREADS_PER_DEVICE, else available cores / devices, or all cores for each where no
  /// two devices ever compute at the same time (a model cut in a row).
  explicit AsPlaced(int64_t threads_per_device = 0);
};

}  // namespace tandem::distribute
