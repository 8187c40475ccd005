#include "tandem/layers/stacked_rnn_cells.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>

#include "tandem/core/error.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/recurrent_cell.h"

namespace tandem::layers {
namespace {

using Cells = std::vector<std::shared_ptr<RecurrentCell>>;

class StackedRNNCellsLayer : public RecurrentCell {
 public:
  explicit StackedRNNCellsLayer(Cells cells) : cells_(std::move(cells)) {}

  std::string class_name() const override { return "StackedRNNCells"; }
  std::vector<std::shared_ptr<Layer>> children() const override { return {cells_.begin(), cells_.end()}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    auto named = Layer::named_children();  // "layers/lstm_cell", "layers/lstm_cell_1"
    for (auto& [path, cell] : named) path = c10::str("cells", path.substr(path.find('/')));
    return named;
  }

  Config get_config() const override {
    Config::List cells;
    for (const auto& cell : cells_) cells.push_back(layer_to_config(*cell));
    return Config::object({{"cells", std::move(cells)}});
  }

  void build(const Shape& input) override {
    Shape below = input;
    for (const auto& cell : cells_) {
      cell->ensure_built({below});
      below = cell->step_output_shape().with_batch(input[0]);
    }
  }

  Shapes state_shapes() const override {
    Shapes all;
    for (const auto& cell : cells_) {
      const Shapes own = cell->state_shapes();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  Shape step_output_shape() const override { return cells_.back()->step_output_shape(); }

  Tensors step(const Tensor& x, const Tensors& states, const CallContext& context) override {
    Tensor output = x;
    std::vector<Tensor> fresh;
    each_cell(states, [&](RecurrentCell& cell, uint64_t i, const Tensors& own) {
      const Tensors made = cell.step(output, own, context.part(i));
      output = made[0];
      fresh.insert(fresh.end(), made.begin() + 1, made.end());
    });
    fresh.insert(fresh.begin(), output);
    return fresh;
  }

  // A cell after the other, each with the whole sequence: the outputs are those of a step after the other.
  SequenceResult run(const Sequence& sequence, const CallContext& context) override {
    Sequence below = sequence;
    below.all_outputs = true;
    std::vector<Tensor> states;
    SequenceResult result;
    each_cell(sequence.states, [&](RecurrentCell& cell, uint64_t i, const Tensors& own) {
      const bool top = i + 1 == cells_.size();
      below.states = own;
      below.all_outputs = !top || sequence.all_outputs;
      below.zero_output_for_mask = top && sequence.zero_output_for_mask;
      result = cell.run(below, context.part(i));
      below.x = result.outputs;
      states.insert(states.end(), result.states.begin(), result.states.end());
    });
    result.states = states;
    return result;
  }

 private:
  template <class Work>
  void each_cell(const Tensors& states, const Work& work) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      std::vector<Tensor> own;
      for (std::size_t n = cells_[i]->state_shapes().size(); n > 0; --n)
        own.push_back(states[static_cast<int64_t>(next++)]);
      work(*cells_[i], i, own);
    }
  }

  Cells cells_;
};

Cells as_cells(const std::vector<std::shared_ptr<Layer>>& layers) {
  if (layers.empty()) throw InvalidArgument("StackedRNNCells: must get at least one cell, got none");
  Cells cells;
  for (const auto& layer : layers) {
    auto cell = std::dynamic_pointer_cast<RecurrentCell>(layer);
    if (!cell || std::find(cells.begin(), cells.end(), cell) != cells.end()) {
      throw InvalidArgument(c10::str("StackedRNNCells: must get cells, each once, got layer '", layer->name(), "' (",
                                     layer->class_name(), ")", cell ? " twice" : ""));
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

// The first one has the cells themselves, its clones have copies.
std::shared_ptr<Layer> make_stack(const Cells& cells, const std::string& name) {
  MakingScope scope;
  auto stack = std::make_shared<StackedRNNCellsLayer>(cells);
  scope.finish(*stack);
  if (!name.empty()) stack->set_name(name);
  stack->set_recipe([cells, name] {
    std::vector<std::shared_ptr<Layer>> copies;
    for (const auto& cell : cells) copies.push_back(cell->fresh_copy());
    return make_stack(as_cells(copies), name);
  });
  return stack;
}

std::vector<std::shared_ptr<Layer>> layers_of(const std::vector<LayerHandle>& handles) {
  std::vector<std::shared_ptr<Layer>> layers;
  for (const auto& handle : handles) layers.push_back(handle.get());
  return layers;
}

}  // namespace

StackedRNNCells::StackedRNNCells(const std::vector<LayerHandle>& cells, StackedRNNCellsOptions options)
    : LayerHandle(make_stack(as_cells(layers_of(cells)), options.name)) {}

StackedRNNCells StackedRNNCells::from_config(const Config& config) {
  std::vector<LayerHandle> cells;
  for (const auto& entry : config.at("cells").as_list()) cells.push_back(layer_from_entry(entry));
  return StackedRNNCells(cells);
}

}  // namespace tandem::layers
