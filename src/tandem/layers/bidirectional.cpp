#include "tandem/layers/bidirectional.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/catalog.h"
#include "tandem/core/error.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/recurrent_layer.h"

namespace tandem::layers {
namespace {

std::shared_ptr<RecurrentLayer> recurrent_copy(const std::shared_ptr<Layer>& layer) {
  auto copy = std::dynamic_pointer_cast<RecurrentLayer>(layer->fresh_copy());
  if (!copy) {
    throw InvalidArgument(c10::str("Bidirectional: must get a recurrent layer, got layer '", layer->name(), "' (",
                                   layer->class_name(), ")"));
  }
  return copy;
}

void add_prefix(Layer& layer, const std::string& prefix) {
  if (!layer.name().starts_with(prefix)) layer.set_name(prefix + layer.name());
}

class BidirectionalLayer : public Layer {
 public:
  BidirectionalLayer(const std::shared_ptr<Layer>& layer, const std::shared_ptr<Layer>& backward,
                     std::string merge_mode)
      : forward_(recurrent_copy(layer)),
        backward_(recurrent_copy(backward ? backward : layer)),
        merge_mode_(std::move(merge_mode)) {
    const std::vector<std::string> modes{"ave", "concat", "mul", "none", "sum"};
    if (std::find(modes.begin(), modes.end(), merge_mode_) == modes.end())
      throw_unknown_name("merge_mode", merge_mode_, modes);
    add_prefix(*forward_, "forward_");
    if (!backward) {
      backward_->set_go_backwards(true);
      add_prefix(*backward_, "backward_");
    }
    check_settings();
    for (const auto& part : {forward_, backward_}) part->set_zero_output_for_mask(settings().return_sequences);
  }

  std::string class_name() const override { return "Bidirectional"; }
  Lowering lowering() const override { return Lowering::kNone; }
  std::vector<std::shared_ptr<Layer>> children() const override { return {forward_, backward_}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"forward_layer", forward_}, {"backward_layer", backward_}};
  }
  Config get_config() const override {
    return Config::object({{"merge_mode", both() ? Config() : Config(merge_mode_)},
                           {"layer", layer_to_config(*forward_)},
                           {"backward_layer", layer_to_config(*backward_)}});
  }
  bool supports_masking() const override { return true; }

  Tensors compute_mask(const Tensors&, const Tensors& masks) override {
    const Tensor mask = settings().return_sequences ? masks.front() : Tensor();
    return both() ? Tensors{mask, mask} : Tensors(mask);
  }

  void build_many(const Shapes& inputs) override {
    const auto [forward, backward] = divided(inputs);
    forward_->ensure_built(forward);
    backward_->ensure_built(backward);
  }

  Shapes output_shapes(const Shapes& inputs) override {
    const auto [forward, backward] = divided(inputs);
    const Shapes a = forward_->output_shapes(forward), b = backward_->output_shapes(backward);
    Shapes all{a.front()};
    if (both()) {
      all.push_back(b.front());
    } else if (merge_mode_ == "concat") {
      all.front()[-1] += b.front().back();
    } else if (a.front() != b.front()) {
      throw_shape_error(*this,
                        c10::str("with merge_mode '", merge_mode_, "' both layers must give one shape, ", a.front()),
                        b.front());
    }
    all.insert(all.end(), a.begin() + 1, a.end());
    all.insert(all.end(), b.begin() + 1, b.end());
    return all;
  }

  Tensors call_many(const Tensors& inputs, const CallContext& context) override {
    const auto [forward, backward] = divided(inputs.vector());
    const Tensors a = run_call(*forward_, nullptr, forward, context.part(0));
    const Tensors b = run_call(*backward_, nullptr, backward, context.part(1));
    const Tensor turned = settings().return_sequences ? b.front().flip(1) : b.front();
    std::vector<Tensor> outputs;
    if (both()) {
      outputs = {a.front(), turned};
    } else {
      outputs = {merged(a.front(), turned)};
    }
    outputs.insert(outputs.end(), a.begin() + 1, a.end());
    outputs.insert(outputs.end(), b.begin() + 1, b.end());
    return outputs;
  }

 private:
  const RecurrentSettings& settings() const { return forward_->settings(); }
  bool both() const { return merge_mode_ == "none"; }

  void check_settings() const {
    const auto &a = forward_->settings(), &b = backward_->settings();
    if (a.go_backwards == b.go_backwards) {
      throw InvalidArgument(c10::str("Bidirectional: layer and backward_layer must differ in go_backwards, both have ",
                                     a.go_backwards ? "true" : "false"));
    }
    const auto must_be_alike = [](const char* what, bool forward, bool backward) {
      if (forward != backward)
        throw InvalidArgument(c10::str("Bidirectional: layer and backward_layer must have the same ", what));
    };
    must_be_alike("stateful", a.stateful, b.stateful);
    must_be_alike("return_sequences", a.return_sequences, b.return_sequences);
    must_be_alike("return_state", a.return_state, b.return_state);
  }

  /// The sequence and each layer's half of the states.
  template <class T>
  std::pair<std::vector<T>, std::vector<T>> divided(const std::vector<T>& inputs) const {
    if (inputs.size() % 2 != 1) {
      throw InvalidArgument(c10::str("layer '", name(),
                                     "' (Bidirectional): must get a sequence and the initial states "
                                     "of both layers, got ",
                                     inputs.size(), " inputs"));
    }
    const auto half = inputs.begin() + 1 + static_cast<std::ptrdiff_t>(inputs.size() / 2);
    std::vector<T> forward(inputs.begin(), half), backward{inputs.front()};
    backward.insert(backward.end(), half, inputs.end());
    return {std::move(forward), std::move(backward)};
  }

  Tensor merged(const Tensor& a, const Tensor& b) const {
    if (merge_mode_ == "concat") return at::cat({a, b}, -1);
    if (merge_mode_ == "sum") return a + b;
    return merge_mode_ == "mul" ? a * b : (a + b) / 2;
  }

  std::shared_ptr<RecurrentLayer> forward_, backward_;
  std::string merge_mode_;
};

}  // namespace

Bidirectional::Bidirectional(const LayerHandle& layer, BidirectionalOptions options)
    : LayerHandle(make_remembered<BidirectionalLayer>(
          options.name, layer.get(), options.backward_layer.empty() ? nullptr : options.backward_layer.get(),
          options.merge_mode)) {}

Bidirectional Bidirectional::from_config(const Config& config) {
  const Config mode = config.get("merge_mode", "concat"), backward = config.get("backward_layer", {});
  return Bidirectional(layer_from_entry(config.at("layer")),
                       {.merge_mode = mode.is_null() ? "none" : mode.as_string(),
                        .backward_layer = backward.is_null() ? LayerHandle() : layer_from_entry(backward)});
}

}  // namespace tandem::layers
