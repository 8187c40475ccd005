#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/recurrent_cell.h"

namespace tandem {

/// What a recurrent layer does with its cell, as the arguments of keras.layers.RNN.
struct RecurrentSettings {
  bool return_sequences = false;  // the output of every step, not of the last one
  bool return_state = false;      // the states after the last step as further outputs
  bool go_backwards = false;      // from the last step to the first; sequences come out in that order
  bool stateful = false;
  bool unroll = false;  // Keras's; changes nothing here
  bool zero_output_for_mask = false;
  Handle<Regularizer> activity_regularizer = {};
};

/// RNN, and under their own names SimpleRNN, GRU, LSTM and ConvLSTM: a cell over the steps of (batch, steps, ...).
class RecurrentLayer : public Layer {
 public:
  RecurrentLayer(std::string class_name, std::shared_ptr<RecurrentCell> cell, RecurrentSettings settings);

  std::string class_name() const override { return class_name_; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  Config get_config() const override;
  std::vector<std::shared_ptr<Layer>> children() const override { return {cell_}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"cell", cell_}};
  }
  bool supports_masking() const override { return true; }
  Tensors compute_mask(const Tensors& inputs, const Tensors& masks) override;
  void build_many(const Shapes& inputs) override;
  Shapes output_shapes(const Shapes& inputs) override;
  Tensors call_many(const Tensors& inputs, const CallContext& context) override;

  const RecurrentSettings& settings() const { return settings_; }
  const RecurrentCell& cell() const { return *cell_; }
  /// Rows of a batch, where the layer keeps states for that many; 0 for others.
  int64_t fixed_batch() const { return settings_.stateful && built() ? build_shapes().front()[0] : 0; }
  /// Lets a stateful layer begin with zeros again, on every replica.
  void reset_states() { ++generation_; }

  /// For a wrapper, on a layer that has not been built.
  void set_go_backwards(bool on) { settings_.go_backwards = on; }
  void set_zero_output_for_mask(bool on) { settings_.zero_output_for_mask = on; }

 private:
  void check_inputs(const Shapes& inputs) const;
  Tensors first_states(const Tensors& inputs, const CallContext& context) const;
  Tensor in_order(const Tensor& steps) const;

  std::string class_name_;
  std::shared_ptr<RecurrentCell> cell_;
  RecurrentSettings settings_;
  std::atomic<uint64_t> generation_ = 0;  // of the states that are kept
};

/// The layer with `make_cell`'s cell, one of its own for each clone.
std::shared_ptr<RecurrentLayer> make_recurrent_layer(const std::string& name, const std::string& class_name,
                                                     const std::function<std::shared_ptr<RecurrentCell>()>& make_cell,
                                                     const RecurrentSettings& settings);

/// What an Options aggregate of a recurrent layer holds under Keras's names.
template <class Options>
RecurrentSettings recurrent_settings(const Options& options) {
  RecurrentSettings settings{.return_sequences = options.return_sequences,
                             .return_state = options.return_state,
                             .go_backwards = options.go_backwards,
                             .stateful = options.stateful,
                             .unroll = options.unroll,
                             .zero_output_for_mask = options.zero_output_for_mask};
  if constexpr (requires { options.activity_regularizer; })
    settings.activity_regularizer = options.activity_regularizer;
  return settings;
}

/// The same from a config. Throws InvalidArgument on what is not supported.
template <class Options>
void read_recurrent_options(const Config& config, Options& options) {
  const auto flag = [&](const char* key) { return config.get(key, false).as_bool(); };
  options.return_sequences = flag("return_sequences");
  options.return_state = flag("return_state");
  options.go_backwards = flag("go_backwards");
  options.stateful = flag("stateful");
  options.unroll = flag("unroll");
  options.zero_output_for_mask = flag("zero_output_for_mask");
}

namespace layers {

/// Lets the stateful layers in `layer`, a model too, begin with states of zeros again, as reset_states of Keras's
/// layers.
void reset_states(const LayerHandle& layer);

}  // namespace layers
}  // namespace tandem
