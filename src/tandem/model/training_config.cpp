// Compile settings as whole models in .h5 files hold them.
#include "tandem/core/error.h"
#include "tandem/model/compile_config.h"

namespace tandem {
namespace {

// An object of Keras 2: its class may carry a package, and "fn" repeats the function that the class stands for.
Config modern_object(const Config& value) {
  if (value.is_list()) {
    Config::List items;
    for (const auto& item : value.as_list()) items.push_back(modern_object(item));
    return items;
  }
  if (!value.is_object()) return value;
  Config object = Config::object();
  for (const auto& [key, member] : value.as_object()) object.set(key, modern_object(member));
  if (!object.contains("class_name")) return object;
  const std::string& name = object.at("class_name").as_string();
  const Config config = object.get("config", {});
  if (!config.is_object() || !config.contains("fn") || name.ends_with("Wrapper")) return object;
  Config plain = Config::object();
  for (const auto& [key, member] : config.as_object()) {
    if (key != "fn") plain.set(key, member);
  }
  object.set("config", plain);
  return object;
}

// A loss or metric as Keras's reader of such files wants it: an object has a class and its settings, no module.
Config plain_object(const Config& value) {
  return Config::object({{"class_name", value.at("class_name")}, {"config", value.at("config")}});
}

// Every string and object in `value`, which may be a list or be ordered by output.
template <class Change>
Config each_of(const Config& value, const Change& change) {
  if (value.is_null()) return value;
  if (value.is_list()) {
    Config::List list;
    for (const auto& item : value.as_list()) list.push_back(each_of(item, change));
    return list;
  }
  if (value.is_string() || value.contains("class_name")) return change(value);
  Config by_output = Config::object();
  for (const auto& [output, item] : value.as_object()) by_output.set(output, each_of(item, change));
  return by_output;
}

// Keras 3 cannot read the short names of losses here ("mse") that it writes itself: they become objects.
Config loss_object(const Config& loss) {
  if (!loss.is_string()) return plain_object(loss);
  const auto made = Loss::make(loss.as_string());
  return Config::object({{"class_name", made->class_name()}, {"config", made->get_config()}});
}

}  // namespace

Config compile_options_to_training_config(const CompileOptions& options) {
  const Config whole = compile_options_to_config(options);
  const auto metric = [](const Config& value) { return value.is_string() ? value : plain_object(value); };
  Config training = Config::object();
  for (const auto& [key, value] : whole.as_object()) {
    if (key == "optimizer") continue;
    const bool metrics = key == "metrics" || key == "weighted_metrics";
    training.set(key, key == "loss" ? each_of(value, loss_object) : metrics ? each_of(value, metric) : value);
  }
  training.set("optimizer_config", plain_object(whole.at("optimizer")));
  return training;
}

CompileOptions compile_options_from_training_config(const Config& training_config,
                                                    const std::vector<std::string>& outputs) {
  Config modern = modern_object(training_config);
  Config optimizer = modern.get("optimizer_config", {});
  if (!optimizer.is_null()) {
    const std::string name = optimizer.at("class_name").as_string();  // Keras 2 wrote "Custom>Adam" for its own
    if (name.starts_with("Custom>")) optimizer.set("class_name", name.substr(name.find('>') + 1));
    modern.set("optimizer", optimizer);
  }
  auto options = compile_options_from_config(modern, outputs);
  options.metrics.drop_output_prefixes(outputs);
  options.weighted_metrics.drop_output_prefixes(outputs);
  return options;
}

}  // namespace tandem
