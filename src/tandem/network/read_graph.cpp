// A graph from Keras's config of a functional model.
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "tandem/core/log.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_calls.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/layers/layer_with_arguments.h"
#include "tandem/network/graph.h"
#include "tandem/network/mask_operations.h"
#include "tandem/network/read_arguments.h"
#include "tandem/network/read_config.h"
#include "tandem/network/tensor_structure.h"

namespace tandem {
namespace {

constexpr std::size_t kMostCalls = 10000;
constexpr int kDeepestArguments = 20;

/// Output `output` of call `call` of a layer, by their numbers.
struct CallOutput {
  std::size_t layer;
  int64_t call;
  int64_t output;
};

struct LayerCall {
  std::size_t layer;
  std::vector<CallOutput> reads;
  std::shared_ptr<CallArguments> arguments = {};  // for layers that take any
  bool old = false;                               // written as Keras 2 did: [["name", call, output, {}], ...]
};

/// Reads one functional config: makes the layers, then calls them in an order in which their inputs are there.
class GraphReader {
 public:
  GraphReader(const Config& config, const ConfigPlace& place) : config_(config), place_(place) {}

  std::shared_ptr<Network> read() {
    const auto& entries = place_.run([&]() -> const Config::List& { return read_entries(config_.at("layers")); });
    for (std::size_t i = 0; i < entries.size(); ++i) add_layer(entries[i], i);
    for (std::size_t i = 0; i < entries.size(); ++i) add_calls(entries[i], i);
    const Config inputs = place_.run([&] { return config_.at("input_layers"); });
    const Config outputs = place_.run([&] { return config_.at("output_layers"); });
    auto input_refs = references(inputs), output_refs = references(outputs);
    count_from_zero(output_refs);
    place_.run([&] {
      check_references(output_refs);
      check_references(input_refs);
    });
    call_all();
    const auto tensors = [&](const std::vector<CallOutput>& refs) {
      std::vector<KerasTensor> found;
      for (const auto& ref : refs) found.push_back(tensor(ref, place_));
      return found;
    };
    const auto from = tensors(input_refs), to = tensors(output_refs);
    return place_.run([&] {
      auto graph = std::make_shared<Graph>(from, to);
      graph->set_structure(inputs, outputs);
      return graph;
    });
  }

 private:
  void add_layer(const Config& entry, std::size_t i) {
    places_.push_back(place_of_entry(place_, i, entry));
    const auto& here = places_.back();
    const bool is_input = here.run([&] { return entry.at("class_name").as_string(); }) == "InputLayer";
    if (is_input) {
      const auto input = here.run([&] { return layers::input_from_config(entry.at("config")); });
      layers_.emplace_back(input.node()->layer);
      made_.push_back({{input}});
    } else {
      layers_.push_back(read_layer(entry, here));
      made_.emplace_back();
    }
    here.run([&] {
      const Config name = entry.get("name", {});
      if (!name.is_null()) layers_.back()->set_name(name.as_string());
    });
    if (!by_name_.emplace(layers_.back().name(), i).second)
      here.fail("the name is used by more than one layer; names must be unique");
  }

  void add_calls(const Config& entry, std::size_t i) {
    const auto& here = places_[i];
    const Config inbound = here.run([&] { return entry.get("inbound_nodes", Config::List{}); });
    const auto& nodes = here.run([&]() -> const Config::List& { return inbound.as_list(); });
    if (!made_[i].empty()) {
      if (!nodes.empty()) here.fail("an InputLayer must not have inbound_nodes");
      counts_.push_back(1);
      return;
    }
    if (nodes.empty()) here.fail("the layer is never called: inbound_nodes must not be empty");
    for (const auto& node : nodes) {
      LayerCall call{i, {}};
      here.run([&] {
        if (node.is_list()) {
          call.old = true;
          read_old_call(node, call);
        } else {
          read_call(node, call);
        }
        if (call.reads.empty()) throw DataError("a call must have at least one input, has none");
      });
      calls_.push_back(std::move(call));
    }
    if (calls_.size() > kMostCalls) place_.fail(c10::str("must have at most ", kMostCalls, " calls of layers"));
    counts_.push_back(static_cast<int64_t>(nodes.size()));
  }

  bool takes_arguments(std::size_t layer) const {
    return dynamic_cast<const LayerWithArguments*>(layers_[layer].get().get()) != nullptr;
  }

  AddInput adding_to(LayerCall& call) const {
    return [this, &call](const Config& config) {
      call.reads.push_back(reference(config));
      return static_cast<int64_t>(call.reads.size()) - 1;
    };
  }

  // {"args": [tensor or list of tensors], "kwargs": {...}}
  void read_call(const Config& node, LayerCall& call) {
    if (takes_arguments(call.layer)) {
      call.arguments = std::make_shared<CallArguments>(read_arguments(node, adding_to(call)));
      return;
    }
    auto& reads = call.reads;
    const auto& arguments = node.at("args").as_list();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0 && !arguments[i].is_null())
        throw DataError("a call with several arguments is not supported, only with one tensor or list of tensors");
      read_tensors(arguments[i], reads, 0);
    }
    const Config keywords = node.get("kwargs", Config::object());
    const std::string later = keras_later_inputs(layers_[call.layer]->class_name());
    if (!later.empty() && !is_nothing(keywords.get(later, {}))) read_tensors(keywords.at(later), reads, 0);
    check_keywords(keywords, call.layer);
  }

  void read_tensors(const Config& argument, std::vector<CallOutput>& reads, int depth) {
    if (depth == kDeepestArguments) throw DataError("the arguments of a call must not nest that deep");
    if (argument.is_list()) {
      for (const auto& item : argument.as_list()) read_tensors(item, reads, depth + 1);
    } else if (argument.is_object() && argument.contains("class_name")) {
      if (argument.at("class_name").as_string() != "__keras_tensor__")
        throw DataError("a call's argument must be a tensor, is a " + argument.at("class_name").as_string());
      reads.push_back(reference(argument.at("config").at("keras_history")));
    } else if (argument.is_object()) {  // tensors by name, which Keras sorts
      std::vector<std::string> keys;
      for (const auto& [key, value] : argument.as_object()) keys.push_back(key);
      std::sort(keys.begin(), keys.end());
      for (const auto& key : keys) read_tensors(argument.at(key), reads, depth + 1);
    } else {
      throw DataError("a call's argument must be a tensor, is " + argument.shown());
    }
  }

  // [["name", call, output, {keyword arguments}], ...], or one such reference alone
  void read_old_call(const Config& node, LayerCall& call) {
    const auto& items = node.as_list();
    auto& reads = call.reads;
    const bool alone = !items.empty() && items.front().is_string();
    if (takes_arguments(call.layer)) {
      call.arguments =
          std::make_shared<CallArguments>(read_old_arguments(alone ? Config::List{node} : items, adding_to(call)));
      return;
    }
    for (const auto& item : alone ? Config::List{node} : items) {
      const auto& parts = item.as_list();
      if (parts.size() == 4) check_keywords(parts.back(), call.layer);
      reads.push_back(reference(parts.size() == 4 ? Config(Config::List(parts.begin(), parts.end() - 1)) : item));
    }
  }

  static bool is_nothing(const Config& value) {
    if (!value.is_list()) return value.is_null();
    return std::all_of(value.as_list().begin(), value.as_list().end(), [](const Config& v) { return v.is_null(); });
  }

  void check_keywords(const Config& keywords, std::size_t layer) {
    for (const auto& [key, value] : keywords.as_object()) {
      if (is_nothing(value) || key == keras_later_inputs(layers_[layer]->class_name())) continue;
      if (key != "training") {
        throw DataError(c10::str("call argument '", key, "' is not supported and must be null, got ", value.shown()));
      }
      const bool usual = keras_call_arguments(layers_[layer]->class_name(), 1).get("training", false).as_bool();
      if (!value.as_bool() || usual || warned_) continue;
      log_warning(c10::str("model config: layer '", layers_[layer].name(),
                           "' is called with training=True; fit, evaluate and predict say for themselves whether they "
                           "train, as in Keras"));
      warned_ = true;
    }
  }

  CallOutput reference(const Config& config) const {
    const auto& parts = config.as_list();
    if (parts.size() != 3) throw DataError("a reference must be [layer, call, output], got " + config.shown());
    const auto found = by_name_.find(parts[0].as_string());
    if (found == by_name_.end())
      throw DataError(c10::str("a reference must name a layer of the model, got '", parts[0].as_string(), "'"));
    return {found->second, parts[1].as_int(), parts[2].as_int()};
  }

  std::vector<CallOutput> references(const Config& structure) const {
    return place_.run([&] {
      std::vector<CallOutput> refs;
      for (const auto& leaf : structure_leaves(structure)) refs.push_back(reference(leaf));
      return refs;
    });
  }

  static int64_t one_less(int64_t call) { return std::max<int64_t>(call, 0) - 1; }

  // A model within the model counted its first call as 1: Keras 2 everywhere, where the model knew its input; Keras 3
  // among the outputs, where it is functional.
  void count_from_zero(std::vector<CallOutput>& outputs) {
    const bool old = std::any_of(calls_.begin(), calls_.end(), [](const LayerCall& call) { return call.old; });
    std::vector<bool> counted(layers_.size(), false), listed(layers_.size(), false);  // from 0: in calls, in outputs
    for (const auto& call : calls_) {
      for (const auto& read : call.reads) {
        if (read.call == 0) counted[read.layer] = true;
      }
    }
    for (const auto& ref : outputs) {
      if (ref.call == 0) listed[ref.layer] = true;
    }
    const auto is = [&](std::size_t i, const char* name) { return layers_[i]->class_name() == name; };
    const auto from_one = [&](std::size_t i) { return is(i, "Functional") || (is(i, "Sequential") && !listed[i]); };
    for (auto& call : calls_) {
      for (auto& read : call.reads) {
        if (call.old && from_one(read.layer) && !counted[read.layer]) read.call = one_less(read.call);
      }
    }
    for (auto& ref : outputs) {
      if (is(ref.layer, "Functional") || (old && from_one(ref.layer) && !counted[ref.layer]))
        ref.call = one_less(ref.call);
    }
    for (const auto& call : calls_) places_[call.layer].run([&] { check_references(call.reads); });
  }

  void check_references(const std::vector<CallOutput>& refs) const {
    for (const auto& ref : refs) {
      if (ref.call >= 0 && ref.call < counts_[ref.layer] && ref.output >= 0) continue;
      throw DataError(c10::str("a reference must be to a call of layer '", layers_[ref.layer].name(), "', which has ",
                               counts_[ref.layer], ", got call ", ref.call, ", output ", ref.output));
    }
  }

  const KerasTensor& tensor(const CallOutput& ref, const ConfigPlace& here) const {
    const auto& outputs = made_[ref.layer][static_cast<std::size_t>(ref.call)];
    if (ref.output >= static_cast<int64_t>(outputs.size())) {
      here.fail(c10::str("layer '", layers_[ref.layer].name(), "' has ", outputs.size(), " outputs, output ",
                         ref.output, " is asked for"));
    }
    return outputs[static_cast<std::size_t>(ref.output)];
  }

  void call_all() {
    // A call waits for those that make its inputs, and for the calls before it of the same layer.
    std::vector<std::size_t> first_call(layers_.size(), 0), waits(calls_.size(), 0);
    std::vector<std::vector<std::size_t>> followers(calls_.size());
    for (std::size_t c = calls_.size(); c-- > 0;) first_call[calls_[c].layer] = c;
    const auto wait_for = [&](std::size_t c, std::size_t other) {
      ++waits[c];
      followers[other].push_back(c);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      if (c > 0 && calls_[c - 1].layer == calls_[c].layer) wait_for(c, c - 1);
      for (const auto& read : calls_[c].reads) {
        if (made_[read.layer].empty()) wait_for(c, first_call[read.layer] + static_cast<std::size_t>(read.call));
      }
      if (waits[c] == 0) ready.push(c);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::size_t c = ready.top();
      ready.pop();
      const auto& call = calls_[c];
      const auto& here = places_[call.layer];
      std::vector<KerasTensor> inputs;
      for (const auto& read : call.reads) inputs.push_back(tensor(read, here));
      made_[call.layer].push_back(
          here.run([&] { return call_in_graph(layers_[call.layer].get(), inputs, call.arguments); }));
      for (const auto follower : followers[c]) {
        if (--waits[follower] == 0) ready.push(follower);
      }
    }
    if (done == calls_.size()) return;
    const auto stuck = std::find_if(waits.begin(), waits.end(), [](std::size_t n) { return n > 0; });
    places_[calls_[static_cast<std::size_t>(stuck - waits.begin())].layer].fail(
        "the layer needs its own output, or waits for layers that do: calls must not form a circle");
  }

  const Config& config_;
  const ConfigPlace& place_;
  std::vector<ConfigPlace> places_;
  std::vector<LayerHandle> layers_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<std::vector<std::vector<KerasTensor>>> made_;  // by layer, call, output
  std::vector<LayerCall> calls_;                             // by layer
  std::vector<int64_t> counts_;                              // calls of each layer
  bool warned_ = false;
};

}  // namespace

std::shared_ptr<Network> read_graph(const Config& config, const ConfigPlace& place) {
  const Config without_masks = without_mask_operations(config);
  return GraphReader(without_masks, place).read();
}

}  // namespace tandem
