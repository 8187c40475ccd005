// Kind metric: results over three updates, plain and weighted, states, and after a reset.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "check_case.h"
#include "tandem/core/error.h"
#include "tandem/metrics/metric.h"

namespace tandem::conformance {
namespace {

std::shared_ptr<Metric> make(const Config& serialised) {
  return Metric::make(serialised.at("class_name").as_string(), serialised.at("config"));
}

void check_updates(Differences& differences, const std::string& what, Metric& metric, const CaseFolder& folder,
                   const Tensor& weights, const Config& want) {
  const Tensor y_true = folder.array("y_true.npy"), y_pred = folder.array("y_pred.npy");
  for (int64_t i = 0; i < y_true.size(0); ++i) {
    metric.update(y_true[i], y_pred[i], weights.defined() ? weights[i] : Tensor());
    compare(differences, c10::str(what, " after update ", i + 1), metric.results(),
            to_tensor(want.as_list()[static_cast<std::size_t>(i)]), folder.tolerance());
  }
}

/// The settings with which the generator made the metrics of metric_empty_results.
Config settings_of_empty(const std::string& metric, const std::string& name) {
  if (name == "auc_1") return Config::object({{"curve", "PR"}});
  if (metric == "MeanIoU") return Config::object({{"num_classes", 3}});
  if (metric == "SensitivityAtSpecificity") return Config::object({{"specificity", 0.5}});
  if (metric == "PrecisionAtRecall") return Config::object({{"recall", 0.5}});
  return Config::object();
}

Differences check_empty_results(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  for (const auto& row : expected.as_list()) {
    const auto name = row.at("metric").as_string();
    const auto metric = Metric::make(name, settings_of_empty(name, row.at("name").as_string()));
    // The name of an error where Keras has no result yet: here that is 0 as well.
    const double want = row.at("result").is_string() ? 0 : to_number(row.at("result"));
    compare(differences, "empty " + name, metric->result(), want, folder.tolerance());
  }
  return differences;
}

// The metrics Mean and Sum take values where others take predictions.
Differences check_mean_and_sum(const CaseFolder& folder) {
  Differences differences;
  const auto expected = folder.json("expected.json");
  const Tensor values = folder.array("values.npy"), weights = folder.array("sample_weight.npy");
  for (const char* name : {"Mean", "Sum"}) {
    for (const char* kind : {"plain", "weighted"}) {
      const auto metric = Metric::make(name, Config::object());
      const auto what = c10::str(name, " ", kind);
      const auto& want = expected.at(what).as_list();
      for (std::size_t i = 0; i < want.size(); ++i) {
        const auto row = static_cast<int64_t>(i);
        metric->update({}, values[row], kind == std::string("plain") ? Tensor() : weights[row]);
        compare(differences, c10::str(what, " after update ", i + 1), metric->result(), to_number(want[i]),
                folder.tolerance());
      }
    }
    compare(differences, c10::str(name, " empty"), Metric::make(name, Config::object())->result(),
            to_number(expected.at(c10::str(name, " empty"))), folder.tolerance());
  }
  return differences;
}

}  // namespace

Differences check_metric_case(const CaseFolder& folder) {
  if (folder.name() == "metric_empty_results") return check_empty_results(folder);
  if (folder.name() == "metric_mean_sum") return check_mean_and_sum(folder);
  Differences differences;
  const auto expected = folder.json("expected.json");
  const auto& serialised = folder.about().at("metric");
  const auto metric = make(serialised);
  check_updates(differences, "result", *metric, folder, {}, expected.at("plain"));
  if (expected.contains("states")) {
    const auto states = metric->states();
    const auto& want = expected.at("states").as_list();
    if (states.size() != want.size())
      differences.push_back(c10::str("states: must be ", want.size(), ", are ", states.size()));
    for (std::size_t i = 0; i < std::min(states.size(), want.size()); ++i) {
      compare(differences, "state " + want[i].at("name").as_string(), states[i], to_tensor(want[i].at("value")),
              folder.tolerance());
    }
  }
  metric->reset();
  metric->update(folder.array("y_true.npy")[0], folder.array("y_pred.npy")[0], {});
  compare(differences, "after reset", metric->results(), to_tensor(expected.at("after_reset")), folder.tolerance());
  if (folder.has("sample_weight.npy")) {
    check_updates(differences, "weighted result", *make(serialised), folder, folder.array("sample_weight.npy"),
                  expected.at("weighted"));
  }
  return differences;
}

}  // namespace tandem::conformance
