#include "tandem/model/compile_config.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

constexpr int kDeepestMetrics = 20;

/// A name, which compile looks up, or the object that a config describes.
template <class T>
Handle<T> handle_from(const Config& value) {
  if (value.is_string()) return value.as_string();
  return T::make(value.at("class_name").as_string(), value.get("config", Config::object()));
}

bool is_single(const Config& value) { return value.is_string() || (value.is_object() && value.contains("class_name")); }

Handle<Loss> output_loss(const Config& value, const std::string& output) {
  if (value.is_null()) {
    throw InvalidArgument(
        c10::str("compile: output '", output, "' has no loss (null); a model must have one for each of its outputs"));
  }
  return handle_from<Loss>(value);
}

void check_count(const char* what, std::size_t got, const std::vector<std::string>& outputs) {
  if (got != outputs.size()) {
    throw DataError(c10::str("compile: ", what, " must be a list of ", outputs.size(), ", one an output, got ", got));
  }
}

LossArgument loss_from(const Config& value, const std::vector<std::string>& outputs) {
  if (value.is_null()) return {};
  if (is_single(value)) return handle_from<Loss>(value);
  if (value.is_list()) {
    const auto& items = value.as_list();
    check_count("loss", items.size(), outputs);
    std::vector<Handle<Loss>> losses;
    for (std::size_t i = 0; i < items.size(); ++i) losses.push_back(output_loss(items[i], outputs[i]));
    return LossArgument::by_output(std::move(losses));
  }
  std::vector<std::pair<std::string, Handle<Loss>>> losses;
  for (const auto& [output, loss] : value.as_object()) losses.emplace_back(output, output_loss(loss, output));
  return LossArgument::by_name(std::move(losses));
}

LossWeights loss_weights_from(const Config& value) {
  if (value.is_null()) return {};
  if (value.is_number()) return {value.as_double()};
  if (value.is_list()) {
    std::vector<double> weights;
    for (const auto& item : value.as_list()) weights.push_back(item.as_double());
    return weights;
  }
  std::map<std::string, double> weights;
  for (const auto& [output, weight] : value.as_object()) weights[output] = weight.as_double();
  return weights;
}

// All metrics of one output, however they are nested.
void add_metrics(const Config& value, MetricsArgument::List& metrics, int depth = 0) {
  if (depth == kDeepestMetrics) throw DataError("compile: metrics must not nest that deep");
  if (value.is_null()) return;
  if (!value.is_list()) {
    metrics.push_back(handle_from<Metric>(value));
    return;
  }
  for (const auto& item : value.as_list()) add_metrics(item, metrics, depth + 1);
}

MetricsArgument::List metrics_of_output(const Config& value) {
  MetricsArgument::List metrics;
  add_metrics(value, metrics);
  return metrics;
}

MetricsArgument metrics_from(const Config& value, const std::vector<std::string>& outputs, const char* what) {
  if (value.is_null()) return {};
  if (value.is_object() && !is_single(value)) {
    std::vector<std::pair<std::string, MetricsArgument::List>> metrics;
    for (const auto& [output, list] : value.as_object()) metrics.emplace_back(output, metrics_of_output(list));
    return MetricsArgument::by_name(std::move(metrics));
  }
  if (outputs.size() == 1) return metrics_of_output(value);
  const auto& items = value.as_list();
  if (items.empty()) return {};
  check_count(what, items.size(), outputs);
  if (std::all_of(items.begin(), items.end(), is_single)) {
    MetricsArgument::List one_each;
    for (const auto& item : items) one_each.push_back(handle_from<Metric>(item));
    return one_each;
  }
  std::vector<MetricsArgument::List> metrics;
  for (const auto& item : items) metrics.push_back(metrics_of_output(item));
  return MetricsArgument::by_output(std::move(metrics));
}

template <class T>
Config object_config(const T& object, const char* module) {
  return Config::object({{"module", module},
                         {"class_name", object.class_name()},
                         {"config", object.get_config()},
                         {"registered_name", {}}});
}

Config to_config(const Handle<Loss>& loss) {
  return loss.object() ? object_config(*loss.object(), "keras.losses") : Config(loss.name());
}

Config to_config(const Handle<Metric>& metric) {
  if (!metric.object()) return metric.name();
  Config entry = object_config(*metric.object(), "keras.metrics");
  Config config = entry.at("config");
  if (!metric.object()->name().empty()) config.set("name", metric.object()->name());
  entry.set("config", config);
  return entry;
}

template <class T>
Config to_config(const std::vector<T>& items) {
  Config::List list;
  for (const auto& item : items) list.push_back(to_config(item));
  return list;
}

template <class T>
Config to_config(const std::vector<std::pair<std::string, T>>& named) {
  Config object = Config::object();
  for (const auto& [name, item] : named) object.set(name, to_config(item));
  return object;
}

Config to_config(const MetricsArgument& metrics) {
  if (metrics.empty()) return {};
  if (!metrics.named().empty()) return to_config(metrics.named());
  return metrics.lists().empty() ? to_config(metrics.list()) : to_config(metrics.lists());
}

Config to_config(const LossArgument& loss) {
  if (loss.empty()) return {};
  if (!loss.named().empty()) return to_config(loss.named());
  return loss.list().size() == 1 ? to_config(loss.list().front()) : to_config(loss.list());
}

Config to_config(const LossWeights& weights) {
  if (weights.empty()) return {};
  if (weights.by_name().empty()) return Config::List(weights.by_output().begin(), weights.by_output().end());
  Config object = Config::object();
  for (const auto& [name, weight] : weights.by_name()) object.set(name, weight);
  return object;
}

}  // namespace

Config compile_options_to_config(const CompileOptions& options) {
  return Config::object({{"optimizer", object_config(*options.optimizer.get(), "keras.optimizers")},
                         {"loss", to_config(options.loss)},
                         {"loss_weights", to_config(options.loss_weights)},
                         {"metrics", to_config(options.metrics)},
                         {"weighted_metrics", to_config(options.weighted_metrics)},
                         {"run_eagerly", false},
                         {"steps_per_execution", 1},
                         {"jit_compile", false}});
}

CompileOptions compile_options_from_config(const Config& compile_config, const std::vector<std::string>& outputs) {
  CompileOptions options;
  const auto member = [&](const char* key) { return compile_config.get(key, {}); };
  if (const Config optimizer = member("optimizer"); !optimizer.is_null())
    options.optimizer = handle_from<Optimizer>(optimizer);
  options.loss = loss_from(member("loss"), outputs);
  options.loss_weights = loss_weights_from(member("loss_weights"));
  options.metrics = metrics_from(member("metrics"), outputs, "metrics");
  options.weighted_metrics = metrics_from(member("weighted_metrics"), outputs, "weighted_metrics");
  return options;
}

}  // namespace tandem
