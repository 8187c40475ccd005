#pragma once
#include "tandem/core/tensor.h"
#include "tandem/layers/convolution.h"
#include "tandem/layers/window.h"

/// Pooling of images (rows, channels, spatial axes) in channels-last memory, with one window a spatial axis; one to
/// three axes. What "same" padding adds never wins and is not counted.
namespace tandem {

Tensor max_pool(const Tensor& image, const Windows& windows, Padding padding);
Tensor average_pool(const Tensor& image, const Windows& windows, Padding padding);

}  // namespace tandem
