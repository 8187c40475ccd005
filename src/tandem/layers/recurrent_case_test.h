#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/layers/layer_handle.h"

/// What the tests of recurrent layers share.
namespace tandem::testing {

/// Normal numbers by formula of the key.
inline Tensor normal_numbers(const Shape& shape, uint64_t key) { return RandomStream(key).normal(shape); }

/// Builds the layer and gives every weight, biases too, numbers of their own.
inline void draw_weights(const LayerHandle& layer, const Shapes& inputs, uint64_t key = 50) {
  layer->ensure_built(inputs);
  for (const auto& w : layer.weights()) {
    // Products of about 1, so that long sequences do not multiply rounding.
    const auto rows = static_cast<double>(w.shape().rank() > 1 ? w.shape().count() / w.shape().back() : 4);
    w.assign(normal_numbers(w.shape(), key++) / std::sqrt(rows));
  }
}

/// All that comes out of a training call: outputs, and the gradients of sum(output * numbers) over all outputs.
struct CallResult {
  std::vector<Tensor> outputs, inputs, weights;  // the last two: gradients
};

/// `inputs[i]` gets `masks[i]`, where there is one.
CallResult call_and_go_back(const LayerHandle& layer, const std::vector<Tensor>& inputs, const CallContext& context,
                            const Tensor& mask = {});

void expect_equal(const CallResult& got, const CallResult& want, double tolerance);

}  // namespace tandem::testing
