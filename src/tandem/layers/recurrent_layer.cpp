#include "tandem/layers/recurrent_layer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/kept_states.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/making_scope.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/serialization.h"

namespace tandem {
namespace {

// (batch, steps, ...) without the steps.
Shape step_shape(const Shape& input) {
  std::vector<int64_t> sizes = input.sizes();
  sizes.erase(sizes.begin() + 1);
  return Shape::of(sizes);
}

Shapes shapes_of(const Tensors& tensors) {
  Shapes shapes;
  for (const auto& t : tensors) shapes.push_back(Shape::of(t.sizes().vec()));
  return shapes;
}

void reset_all(Layer& layer) {
  if (auto* recurrent = dynamic_cast<RecurrentLayer*>(&layer)) recurrent->reset_states();
  for (const auto& child : layer.children()) reset_all(*child);
}

}  // namespace

RecurrentLayer::RecurrentLayer(std::string class_name, std::shared_ptr<RecurrentCell> cell, RecurrentSettings settings)
    : class_name_(std::move(class_name)), cell_(std::move(cell)), settings_(std::move(settings)) {
  settings_.activity_regularizer = resolved(settings_.activity_regularizer);
}

Config RecurrentLayer::get_config() const {
  Config config = Config::object({{"return_sequences", settings_.return_sequences},
                                  {"return_state", settings_.return_state},
                                  {"go_backwards", settings_.go_backwards},
                                  {"stateful", settings_.stateful},
                                  {"unroll", settings_.unroll},
                                  {"zero_output_for_mask", settings_.zero_output_for_mask}});
  if (class_name_ == "RNN") {
    config.set("cell", layer_to_config(*cell_));
    // Keras writes this one only where there is one.
    if (!settings_.activity_regularizer.empty())
      config.set("activity_regularizer", to_config(settings_.activity_regularizer));
    return config;
  }
  const Config of_cell = cell_->get_config();
  for (const auto& [key, value] : of_cell.as_object()) {
    if (key != "seed" || class_name_ != "SimpleRNN") config.set(key, value);  // Keras writes it for the others alone
  }
  config.set("activity_regularizer", to_config(settings_.activity_regularizer));
  return config;
}

Tensors RecurrentLayer::compute_mask(const Tensors&, const Tensors& masks) {
  Tensors made(settings_.return_sequences ? masks.front() : Tensor());
  if (settings_.return_state) {
    for (std::size_t i = 0; i < cell_->state_shapes().size(); ++i) made.push_back({});
  }
  return made;
}

void RecurrentLayer::build_many(const Shapes& inputs) {
  const Shape& input = inputs.front();
  if (input.rank() < 3) throw_shape_error(*this, "input must be (batch, steps, features)", input);
  if (settings_.stateful && input[0] == Shape::kUnknown) {
    throw_shape_error(*this, "a stateful layer must know the batch's size, as from Input({...}, {.batch_size = 4})",
                      input);
  }
  cell_->ensure_built({step_shape(input)});
  if (inputs.size() != 1 && inputs.size() != cell_->state_shapes().size() + 1) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_, "): must get a sequence, or a sequence and ",
                                   cell_->state_shapes().size(), " initial states, got ", inputs.size(), " inputs"));
  }
}

void RecurrentLayer::check_inputs(const Shapes& inputs) const {
  const Shape& input = inputs.front();
  Shape known = build_shapes().front();
  known[0] = known[1] = Shape::kUnknown;
  if (!known.matches(input)) throw_shape_error(*this, c10::str("input must be ", known), input);
  const Shapes states = cell_->state_shapes();
  if (inputs.size() == 1) return;
  if (inputs.size() != states.size() + 1) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_, "): must get ", states.size(),
                                   " initial states, got ", inputs.size() - 1));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].with_batch(input[0]).matches(inputs[i + 1])) {
      throw_shape_error(*this, c10::str("initial state ", i, " must be ", states[i].with_batch(input[0])),
                        inputs[i + 1]);
    }
  }
}

Shapes RecurrentLayer::output_shapes(const Shapes& inputs) {
  check_inputs(inputs);
  const Shape& input = inputs.front();
  Shape output = cell_->step_output_shape();
  if (settings_.return_sequences) output = output.with_batch(input[1]);
  Shapes shapes{output.with_batch(input[0])};
  if (settings_.return_state) {
    for (const auto& state : cell_->state_shapes()) shapes.push_back(state.with_batch(input[0]));
  }
  return shapes;
}

Tensor RecurrentLayer::in_order(const Tensor& steps) const {
  const Tensor by_step = steps.transpose(0, 1);
  return settings_.go_backwards ? by_step.flip(0) : by_step;
}

Tensors RecurrentLayer::first_states(const Tensors& inputs, const CallContext& context) const {
  if (inputs.size() > 1) return Tensors(std::vector<Tensor>(inputs.begin() + 1, inputs.end()));
  const Tensor& x = inputs.front();
  Tensors states;
  if (settings_.stateful && context.states) states = context.states->find(*this, generation_);
  if (states.empty()) {
    for (const auto& shape : cell_->state_shapes())
      states.push_back(at::zeros(shape.with_batch(x.size(0)).sizes(), x.options().requires_grad(false)));
  }
  if (states.front().size(0) != x.size(0)) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_, "): is stateful and keeps states of ",
                                   states.front().size(0), " rows, so that each batch must have that many, got ",
                                   x.size(0), "; reset_states lets it begin anew"));
  }
  return states;
}

Tensors RecurrentLayer::call_many(const Tensors& inputs, const CallContext& context) {
  check_inputs(shapes_of(inputs));
  const Tensor& x = inputs.front();
  if (x.size(1) == 0) throw_shape_error(*this, "input must have at least one step", Shape::of(x.sizes().vec()));
  const Tensor mask = mask_of(x);
  if (mask.defined() && mask.dim() < 2)
    throw_shape_error(*this, "the input's mask must be (batch, steps)", Shape::of(mask.sizes().vec()));
  const auto result = cell_->run({.x = in_order(x),
                                  .states = first_states(inputs, context),
                                  .mask = mask.defined() ? in_order(mask) : Tensor(),
                                  .all_outputs = settings_.return_sequences,
                                  .zero_output_for_mask = settings_.zero_output_for_mask},
                                 context);
  if (settings_.stateful && context.states) {
    Tensors kept;
    for (const auto& state : result.states) kept.push_back(state.detach());
    context.states->keep(*this, generation_, kept);
  }
  Tensors outputs(settings_.return_sequences ? result.outputs.transpose(0, 1) : result.outputs);
  if (settings_.return_state) {
    for (const auto& state : result.states) outputs.push_back(state);
  }
  for (const auto& output : outputs) add_activity_loss(settings_.activity_regularizer, output, context);
  return outputs;
}

std::shared_ptr<RecurrentLayer> make_recurrent_layer(const std::string& name, const std::string& class_name,
                                                     const std::function<std::shared_ptr<RecurrentCell>()>& make_cell,
                                                     const RecurrentSettings& settings) {
  const auto make = [=] {
    MakingScope scope;
    auto layer = std::make_shared<RecurrentLayer>(class_name, make_cell(), settings);
    scope.finish(*layer);
    if (!name.empty()) layer->set_name(name);
    return layer;
  };
  auto layer = make();
  layer->set_recipe(make);
  return layer;
}

namespace layers {

void reset_states(const LayerHandle& layer) { reset_all(*layer); }

}  // namespace layers
}  // namespace tandem
