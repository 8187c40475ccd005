#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/distribution/strategy.h"
#include "tandem/losses/loss.h"
#include "tandem/metrics/metric.h"
#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// The loss of a model: one for all outputs (`"mse"`, an object), a list by output, or a map by output name.
class LossArgument {
 public:
  using Named = std::pair<const std::string, Handle<Loss>>;

  LossArgument() = default;
  LossArgument(const char* name) : losses_{Handle<Loss>(name)} {}
  LossArgument(const std::string& name) : losses_{Handle<Loss>(name)} {}
  LossArgument(const Handle<Loss>& loss) : losses_{loss} {}
  template <std::derived_from<Loss> L>
  LossArgument(std::shared_ptr<L> loss) : losses_{Handle<Loss>(std::move(loss))} {}
  LossArgument(std::initializer_list<Handle<Loss>> by_output) : losses_(by_output) {}
  LossArgument(std::initializer_list<Named> by_name) : named_(by_name.begin(), by_name.end()) {}

  bool empty() const { return losses_.empty() && named_.empty(); }
  /// One loss an output. Throws InvalidArgument, naming the outputs, when number or names do not fit.
  std::vector<std::shared_ptr<const Loss>> resolve(const std::vector<std::string>& outputs) const;

 private:
  std::vector<Handle<Loss>> losses_;
  std::vector<std::pair<std::string, Handle<Loss>>> named_;
};

/// The metrics of a model: a list (`{"accuracy"}`), or a map from output names to lists (`{{"kind", {"accuracy"}}}`).
/// As in Keras all of a list go to a model's only output; a model with several outputs gets one each.
class MetricsArgument {
 public:
  using List = std::vector<Handle<Metric>>;
  using Named = std::pair<const std::string, List>;

  MetricsArgument() = default;
  MetricsArgument(std::initializer_list<Handle<Metric>> list) : list_(list) {}
  MetricsArgument(List list) : list_(std::move(list)) {}
  MetricsArgument(std::initializer_list<Named> by_name) : named_(by_name.begin(), by_name.end()) {}

  void emplace_back(Handle<Metric> metric) { list_.push_back(std::move(metric)); }
  bool empty() const { return list_.empty() && named_.empty(); }
  /// One list an output. Throws InvalidArgument, naming `argument` and the outputs, when number or names do not fit, or
  /// a metric is not known.
  std::vector<List> resolve(const std::vector<std::string>& outputs, const std::string& argument) const;

 private:
  List list_;
  std::vector<std::pair<std::string, List>> named_;
};

/// Arguments of compile, in Keras's order.
struct CompileOptions {
  Handle<Optimizer> optimizer = "rmsprop";
  LossArgument loss = {};
  std::vector<double> loss_weights = {};  // by output; empty: 1 each
  MetricsArgument metrics = {};
  MetricsArgument weighted_metrics = {};  // these take sample weights and class weights
  distribute::Strategy strategy = {};     // empty: one device with all cores
};

}  // namespace tandem
