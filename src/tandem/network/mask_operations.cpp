#include "tandem/network/mask_operations.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tandem {
namespace {

using Names = std::set<std::string>;

bool is_member(const Config& object, const char* key, const char* value) {
  return object.is_object() && object.get(key, {}) == Config(value);
}

bool is_operation(const Config& entry) {
  // Old formats have no modules: there, classes that are no layers' of which Keras makes masks.
  static const Names of_masks{"Any", "ExpandDims", "LogicalAnd", "LogicalOr", "NotEqual", "OnesLike", "ZerosLike"};
  if (!entry.is_object()) return false;
  const Config module = entry.get("module", {}), class_name = entry.get("class_name", {});
  if (module.is_null()) return class_name.is_string() && of_masks.contains(class_name.as_string());
  return module.is_string() && module.as_string().starts_with("keras.src.ops.");
}

std::string name_of(const Config& entry) {
  const Config name = entry.is_object() ? entry.get("name", {}) : Config();
  return name.is_string() ? name.as_string() : "";
}

bool is_tensor(const Config& value) { return is_member(value, "class_name", "__keras_tensor__"); }

Config history_of(const Config& tensor) {
  const Config config = tensor.get("config", {});
  return config.is_object() ? config.get("keras_history", {}) : Config();
}

std::string maker_of(const Config& tensor) {
  const Config history = history_of(tensor);
  return history.is_list() && !history.as_list().empty() && history.as_list()[0].is_string()
             ? history.as_list()[0].as_string()
             : "";
}

bool is_mask_argument(const std::string& key) { return key == "mask" || key.ends_with("_mask"); }

// Calls `visit` with each tensor within the arguments of a call, and whether it is there as a mask.
void for_each_tensor(const Config& value, bool as_mask, const std::function<void(const Config&, bool)>& visit) {
  if (is_tensor(value)) return visit(value, as_mask);
  if (value.is_list()) {
    for (const auto& item : value.as_list()) for_each_tensor(item, as_mask, visit);
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.as_object()) for_each_tensor(item, as_mask || is_mask_argument(key), visit);
  }
}

class MaskOperations {
 public:
  explicit MaskOperations(const Config::List& entries) : entries_(entries) {
    for (const auto& entry : entries_) note_source(entry);
    find_known();
  }

  bool any() const { return !known_.empty(); }

  // Those that nothing needs but masks. `outputs`: the model's own.
  Names needless(const Config& outputs) const {
    Names needed;
    const auto need = [&](const std::string& name) {
      if (known_.contains(name)) needed.insert(name);
    };
    for (const auto& one : outputs.is_list() ? outputs.as_list() : Config::List{}) {
      if (one.is_string()) need(one.as_string());
      if (one.is_list() && !one.as_list().empty() && one.as_list()[0].is_string()) need(one.as_list()[0].as_string());
    }
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (known_.contains(name_of(*entry)) && !needed.contains(name_of(*entry))) continue;
      for_each_tensor(calls_of(*entry), false, [&](const Config& tensor, bool as_mask) {
        if (!as_mask) need(maker_of(tensor));
      });
    }
    Names left;
    std::set_difference(known_.begin(), known_.end(), needed.begin(), needed.end(), std::inserter(left, left.end()));
    return left;
  }

  // A call's arguments with null in place of masks that are known.
  Config without_masks(const Config& value, bool as_mask = false) const {
    if (is_tensor(value)) return as_mask && known_.contains(maker_of(value)) ? Config() : value;
    if (value.is_list()) {
      Config::List items;
      for (const auto& item : value.as_list()) items.push_back(without_masks(item, as_mask));
      return items;
    }
    if (!value.is_object()) return value;
    Config members = Config::object();
    for (const auto& [key, item] : value.as_object())
      members.set(key, without_masks(item, as_mask || is_mask_argument(key)));
    return members;
  }

  static Config calls_of(const Config& entry) {
    return entry.is_object() ? entry.get("inbound_nodes", Config::List{}) : Config();
  }

 private:
  // What a layer that makes masks compares its input with.
  void note_source(const Config& entry) {
    const Config config = entry.is_object() ? entry.get("config", {}) : Config();
    if (!config.is_object()) return;
    double value = 0;
    if (is_member(entry, "class_name", "Masking")) {
      const Config given = config.get("mask_value", 0.0);
      if (!given.is_number()) return;
      value = given.as_double();
    } else if (!is_member(entry, "class_name", "Embedding") || config.get("mask_zero", false) != Config(true)) {
      return;
    }
    for_each_tensor(calls_of(entry), false,
                    [&](const Config& tensor, bool) { sources_.emplace_back(history_of(tensor), value); });
  }

  bool is_source(const Config& entry, const Config& tensor) const {
    if (!is_member(entry, "class_name", "NotEqual")) return false;
    for (const auto& node : calls_of(entry).is_list() ? calls_of(entry).as_list() : Config::List{}) {
      const Config arguments = node.is_object() ? node.get("args", {}) : Config();
      if (!arguments.is_list() || arguments.as_list().size() != 2 || !arguments.as_list()[1].is_number()) return false;
      const std::pair<Config, double> compared{history_of(tensor), arguments.as_list()[1].as_double()};
      if (std::find(sources_.begin(), sources_.end(), compared) == sources_.end()) return false;
    }
    return true;
  }

  // Operations that come from such comparisons alone; an unmasked input counts as ones of its shape. Keras lists an
  // operation behind those that it needs, so that one way through is enough.
  void find_known() {
    for (const auto& entry : entries_) {
      if (!is_operation(entry)) continue;
      const bool is_filled = is_member(entry, "class_name", "OnesLike") || is_member(entry, "class_name", "ZerosLike");
      bool any = false, all = true;
      for_each_tensor(calls_of(entry), false, [&](const Config& tensor, bool) {
        any = true;
        all = all && (is_filled || known_.contains(maker_of(tensor)) || is_source(entry, tensor));
      });
      if (any && all) known_.insert(name_of(entry));
    }
  }

  const Config::List& entries_;
  std::vector<std::pair<Config, double>> sources_;  // a tensor, and what it is compared with
  Names known_;
};

}  // namespace

Config without_mask_operations(const Config& graph) {
  const Config layers = graph.is_object() ? graph.get("layers", {}) : Config();
  if (!layers.is_list() || std::none_of(layers.as_list().begin(), layers.as_list().end(), is_operation)) return graph;
  const MaskOperations operations(layers.as_list());
  if (!operations.any()) return graph;
  const Names needless = operations.needless(graph.get("output_layers", {}));
  Config::List left;
  for (const auto& entry : layers.as_list()) {
    if (is_operation(entry) && needless.contains(name_of(entry))) continue;
    left.push_back(entry);
    if (!is_operation(entry) && entry.is_object() && entry.contains("inbound_nodes"))
      left.back().set("inbound_nodes", operations.without_masks(MaskOperations::calls_of(entry)));
  }
  Config without = graph;
  without.set("layers", std::move(left));
  return without;
}

}  // namespace tandem
