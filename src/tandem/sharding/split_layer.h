#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/shape.h"
#include "tandem/layers/layer.h"
#include "tandem/sharding/division.h"

namespace tandem::sharding {

/// A call of a layer that may be split.
struct SplitCall {
  const std::shared_ptr<Layer>& layer;
  Shapes shapes;                 // of its inputs, whole
  std::vector<Division> inputs;  // how they come: each whole, or divided on its last axis
  std::size_t outputs = 1;
  bool is_output = false;  // of the model: losses want to know the logits behind it
  Place place;
};

/// What a layer becomes on one rank. Its value is divided as `gives` says, or, where it adds up, whole after the sum.
struct SplitLayer {
  std::string how;                         // for the plan: "units"
  Division takes;                          // each input: whole, or divided on its last axis
  std::shared_ptr<Layer> layer;            // its part; the layer itself where that needs no change
  Division gives = {};                     // of its output's last axis
  bool adds_up = false;                    // the outputs are addends
  std::shared_ptr<Layer> before_sum = {};  // each on its own output; null: none
  std::shared_ptr<Layer> after = {};       // on the whole output, gathered or summed; null: none
  Division of_weights = {};                // of axes that neither `takes` nor `gives` divides; whole: one block
};

/// Or the reason why it stays whole.
using SplitOrReason = std::variant<SplitLayer, std::string>;

/// How `call`'s layer is split on `call.place`. What is chosen is the same on all ranks of the group.
SplitOrReason split_layer(const SplitCall& call);

/// One kind of layer each; split_layer knows which.
SplitOrReason split_dense(const SplitCall& call);
SplitOrReason split_convolution(const SplitCall& call);
SplitOrReason split_embedding(const SplitCall& call);
SplitOrReason split_attention(const SplitCall& call);
SplitOrReason split_lstm(const SplitCall& call);
SplitOrReason split_noise(const SplitCall& call);
/// Layers that compute each channel by itself.
SplitOrReason split_channels(const SplitCall& call);

/// What the kinds share. A layer made anew from `config` in place of `layer`: with its name, policy and freeze; weights
/// begin with zeros and have neither regularizers nor constraints yet, which come with their values.
std::shared_ptr<Layer> layer_in_place_of(const Layer& layer, Config config);
/// True for the functions that give each element by itself.
bool is_elementwise(const std::string& activation);
/// Empty, or why weight `i` of `layer` must not be divided along `axis`: what its regularizer or its constraint needs.
std::string why_not_divided(const Layer& layer, std::size_t i, int64_t axis);
/// Of layers whose output is whole: x + bias (features,), then an activation. Either may be missing.
std::shared_ptr<Layer> make_tail(const Layer& layer, bool bias, const std::string& activation);
/// x + factor * weight, whose axes are the last ones of x. Reads the weight, which must be another layer's.
std::shared_ptr<Layer> make_shift(const Layer& layer, const Weight& weight, double factor);

}  // namespace tandem::sharding
