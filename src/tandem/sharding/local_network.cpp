#include "tandem/sharding/local_network.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/core/kept_layer_numbers.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/network/graph_within.h"
#include "tandem/sharding/collective_layer.h"
#include "tandem/sharding/layer_uses.h"
#include "tandem/sharding/part_of_penalty.h"
#include "tandem/sharding/split_layer.h"

namespace tandem::sharding {
namespace {

// A value of the local graph, and how this rank has it.
struct Value {
  KerasTensor tensor;
  Division division = {};
};

// How a layer goes on in all its calls; the way in is decided by the first one.
struct LocalLayer {
  std::shared_ptr<Layer> layer;  // the model's own where it stays whole
  std::optional<SplitLayer> split = {};
  bool enters = false;  // its inputs, which are whole, go into divided layers
  std::size_t plan = 0;
};

// Freezes what stands for `model`. Its layers may be the model's own, so none must be thawed.
void freeze(const Layer& model, Layer& made) {
  for (const auto& layer : model.children()) {
    if (layer->trainable() && !layer->weights().empty()) {
      throw InvalidArgument(c10::str("tensor parallel: layer '", layer->name(), "' of model '", model.name(),
                                     "', which is frozen, must be frozen too"));
    }
  }
  made.set_trainable(false);
}

class Rewriting {
 public:
  Rewriting(const Graph& whole, const Place& place, LocalNetwork& made) : uses_(whole), place_(place), made_(made) {}

  std::shared_ptr<Graph> rewrite(const Graph& graph) {
    std::unordered_map<const Node*, std::vector<Value>> values;
    const auto value_of = [&](const KerasTensor& t) -> const Value& {
      return values.at(t.node().get())[static_cast<std::size_t>(t.index())];
    };
    Graph::CallOrigins origins;
    uint64_t part = 0;
    std::map<uint64_t, std::vector<std::size_t>> unmasked;
    for (const auto& step : graph.steps()) unmasked[step.part] = step.without_mask;
    for (const auto& node : graph.nodes()) {
      if (node->is_input()) {
        values[node.get()] = {{input_like(*node)}};
        continue;
      }
      std::vector<Value> inputs;
      for (const auto& input : node->inputs) inputs.push_back(value_of(input));
      const bool is_output = std::any_of(graph.outputs().begin(), graph.outputs().end(),
                                         [&](const KerasTensor& t) { return t.node() == node; });
      values[node.get()] = call(*node, inputs, is_output, {part, unmasked[part]}, origins);
      ++part;
    }
    std::vector<KerasTensor> inputs, outputs;
    for (const auto& t : graph.inputs()) inputs.push_back(value_of(t).tensor);
    for (const auto& t : graph.outputs()) outputs.push_back(as(value_of(t), {}, nullptr, origins).tensor);
    auto copy = std::make_shared<Graph>(inputs, outputs, origins);
    copy->set_structure(graph.input_structure(), graph.output_structure());
    if (!graph.trainable()) freeze(graph, *copy);
    return copy;
  }

 private:
  // The numbers of calls that the model has not lie behind all of its own.
  static constexpr uint64_t kBehind = uint64_t{1} << 32;

  static KerasTensor input_like(const Node& node) {
    auto copy = std::make_shared<Node>();
    copy->layer = node.layer;
    copy->output_shapes = node.output_shapes;
    return KerasTensor(copy, 0);
  }

  KerasTensor add(const std::shared_ptr<Layer>& layer, const KerasTensor& x, Graph::CallOrigins& origins) {
    const auto made = call_in_graph(layer, x, nullptr).front();
    origins[made.node().get()] = {kBehind + added_++};
    return made;
  }

  Value add_collective(Collective kind, const Value& x, const Division& division, Graph::CallOrigins& origins) {
    static const std::map<Collective, std::string> names{{Collective::enter, "enter"},
                                                         {Collective::sum, "sum"},
                                                         {Collective::gather, "gather"},
                                                         {Collective::slice, "slice"}};
    const auto layer = make_collective(c10::str(names.at(kind), "/", added_), kind, division, place_);
    if (plan_) plan_->collectives.push_back(names.at(kind));
    return {add(layer, x.tensor, origins), kind == Collective::slice ? division : Division{}};
  }

  // `x` as a layer wants it; `enters`: whole, to go into divided layers. What several layers want is made once.
  Value as(const Value& x, const Division& wanted, const LocalLayer* reader, Graph::CallOrigins& origins) {
    // What the model is given has no gradient to add up.
    const bool enters = reader && reader->enters && !(depth_ == 0 && x.tensor.node()->is_input());
    if (x.division == wanted && !enters) return x;
    const auto key = std::tuple(x.tensor.node().get(), x.tensor.index(), wanted.blocks, wanted.size, enters);
    if (const auto found = converted_.find(key); found != converted_.end()) return found->second;
    Value made = x;
    if (!x.division.whole() && x.division != wanted)
      made = add_collective(Collective::gather, made, x.division, origins);
    if (enters) made = add_collective(Collective::enter, made, {}, origins);
    if (!wanted.whole() && made.division.whole()) made = add_collective(Collective::slice, made, wanted, origins);
    converted_[key] = made;
    return made;
  }

  std::vector<Value> call(const Node& node, const std::vector<Value>& inputs, bool is_output,
                          const Graph::CallOrigin& origin, Graph::CallOrigins& origins) {
    auto& local = local_layer(node, inputs, is_output);
    plan_ = &made_.plan[local.plan];
    std::vector<KerasTensor> given;
    for (const auto& input : inputs)
      given.push_back(as(input, local.split ? local.split->takes : Division{}, &local, origins).tensor);
    const auto outputs = call_in_graph(local.layer, given, node.arguments);
    origins[outputs.front().node().get()] = origin;
    std::vector<Value> values;
    for (const auto& output : outputs) values.push_back({output});
    if (local.split) {
      const auto& split = *local.split;
      Value& value = values.front();
      value.division = split.gives;
      if (split.before_sum) value.tensor = add(split.before_sum, value.tensor, origins);
      if (split.adds_up) value = add_collective(Collective::sum, value, {}, origins);
      if (split.after && !value.division.whole())
        value = add_collective(Collective::gather, value, split.gives, origins);
      if (split.after) value.tensor = add(split.after, value.tensor, origins);
      note_weights(*node.layer, split);
    }
    plan_ = nullptr;
    return values;
  }

  LocalLayer& local_layer(const Node& node, const std::vector<Value>& inputs, bool is_output) {
    const auto found = layers_.find(node.layer.get());
    if (found != layers_.end()) return found->second;
    LocalLayer local{.layer = node.layer, .plan = made_.plan.size()};
    LayerPlan plan{.name = node.layer->name(), .class_name = node.layer->class_name()};
    plan.weights = node.layer->count_params();
    made_.plan.push_back(plan);
    if (const auto* within = graph_within(*node.layer)) {
      local.layer = rewrite_within(*node.layer, *within);
      made_.plan[local.plan].how = "layer by layer";
    } else {
      SplitCall call{
          .layer = node.layer, .outputs = node.output_shapes.size(), .is_output = is_output, .place = place_};
      for (const auto& input : node.inputs) call.shapes.push_back(input.shape());
      for (const auto& input : inputs) call.inputs.push_back(input.division);
      const auto why = place_.ranks > 1 ? uses_.why_whole(*node.layer) : "there is one device";
      auto chosen = why.empty() ? split_layer(call) : SplitOrReason(why);
      if (auto* split = std::get_if<SplitLayer>(&chosen)) {
        local.layer = split->layer;
        local.enters = split->takes.whole();
        made_.plan[local.plan].how = split->how;
        local.split = std::move(*split);
      } else {
        made_.plan[local.plan].why = std::get<std::string>(chosen);
      }
    }
    return layers_.emplace(node.layer.get(), std::move(local)).first->second;
  }

  std::shared_ptr<Layer> rewrite_within(const Layer& layer, const Graph& within) {
    ++depth_;
    const auto made = rewrite(within);
    --depth_;
    made->set_name(layer.name());
    if (!layer.trainable()) freeze(layer, *made);
    return made;
  }

  // Once the layer is built: which axis of each weight is divided is seen from the shapes.
  void note_weights(const Layer& whole, const SplitLayer& split) {
    if (split.layer.get() == &whole || !noted_.insert(&whole).second) return;
    std::vector<Weight> own = split.layer->weights();
    if (split.after) {
      const auto more = split.after->weights();
      own.insert(own.end(), more.begin(), more.end());
    }
    const auto all = whole.weights();
    if (own.size() != all.size())
      throw InternalError(c10::str("tensor parallel: layer '", whole.name(), "' must have as many weights in parts"));
    for (std::size_t i = 0; i < all.size(); ++i) {
      LocalWeight weight{.whole = all[i], .own = own[i]};
      for (int64_t axis = 0; axis < all[i].shape().rank(); ++axis) {
        if (all[i].shape()[axis] != own[i].shape()[axis]) {
          weight.axis = axis;
          weight.division = division_of(split, all[i].shape()[axis], own[i].shape()[axis]);
        }
      }
      auto& variable = own[i].variable();
      variable.constraint = all[i].variable().constraint;
      variable.regularizer = all[i].variable().regularizer;
      if (variable.regularizer && !weight.division.whole())
        variable.regularizer = part_of_penalty(variable.regularizer);
      made_.weights.push_back(weight);
    }
  }

  Division division_of(const SplitLayer& split, int64_t length, int64_t own) const {
    for (const auto& division : {split.of_weights, split.takes, split.gives}) {
      if (!division.whole() && division.length() == length && division.own_length(place_) == own) return division;
    }
    return {1, length};
  }

  const LayerUses uses_;
  Place place_;
  LocalNetwork& made_;
  std::unordered_map<const Layer*, LocalLayer> layers_;
  std::set<const Layer*> noted_;
  std::map<std::tuple<const Node*, int64_t, int64_t, int64_t, bool>, Value> converted_;
  LayerPlan* plan_ = nullptr;  // of the layer that is called
  uint64_t added_ = 0;
  int64_t depth_ = 0;  // of models within models
};

}  // namespace

const LocalWeight* LocalNetwork::find(const Weight& whole) const {
  for (const auto& weight : weights) {
    if (weight.whole == whole) return &weight;
  }
  return nullptr;
}

bool LocalNetwork::splits() const {
  return std::any_of(weights.begin(), weights.end(), [](const LocalWeight& w) { return !w.division.whole(); });
}

LocalNetwork make_local_network(const Network& network, const Place& place) {
  const Graph* graph = graph_within(network);
  if (!graph) {
    throw InvalidArgument(c10::str("tensor parallel: model '", network.name(),
                                   "' must be functional or Sequential and know its inputs, so that it can be split"));
  }
  const KeptLayerNumbers kept;
  LocalNetwork made;
  made.graph = Rewriting(*graph, place, made).rewrite(*graph);
  made.graph->set_name(network.name());
  if (!network.trainable()) freeze(network, *made.graph);
  return made;
}

}  // namespace tandem::sharding
