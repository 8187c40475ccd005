#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/distribution/strategy.h"
#include "tandem/losses/loss.h"
#include "tandem/metrics/metric.h"
#include "tandem/model/loss_weights.h"
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
  /// As the lists above, where they are made while the program runs.
  static LossArgument by_output(std::vector<Handle<Loss>> losses);
  static LossArgument by_name(std::vector<std::pair<std::string, Handle<Loss>>> losses);

  bool empty() const { return losses_.empty() && named_.empty(); }
  /// One loss an output. Throws InvalidArgument, naming the outputs, when number or names do not fit.
  std::vector<std::shared_ptr<const Loss>> resolve(const std::vector<std::string>& outputs) const;

  const std::vector<Handle<Loss>>& list() const { return losses_; }
  const std::vector<std::pair<std::string, Handle<Loss>>>& named() const { return named_; }

 private:
  std::vector<Handle<Loss>> losses_;
  std::vector<std::pair<std::string, Handle<Loss>>> named_;
};

/// The metrics of a model: a list (`{"accuracy"}`), or a map from output names to lists (`{{"kind", {"accuracy"}}}`).
/// As in Keras all of a list go to a model's only output; a model with several outputs gets one each, or a list each
/// (`MetricsArgument::by_output({{"mae", "mse"}, {}})`).
class MetricsArgument {
 public:
  using List = std::vector<Handle<Metric>>;
  using Named = std::pair<const std::string, List>;

  MetricsArgument() = default;
  MetricsArgument(std::initializer_list<Handle<Metric>> list) : list_(list) {}
  MetricsArgument(List list) : list_(std::move(list)) {}
  MetricsArgument(std::initializer_list<Named> by_name) : named_(by_name.begin(), by_name.end()) {}
  static MetricsArgument by_output(std::vector<List> metrics);
  static MetricsArgument by_name(std::vector<std::pair<std::string, List>> metrics);

  void emplace_back(Handle<Metric> metric) { list_.push_back(std::move(metric)); }
  bool empty() const { return list_.empty() && by_output_.empty() && named_.empty(); }
  /// Takes "<output>_" off the names of the metrics that are objects: Keras 2 saved metrics under the names that it had
  /// given them for display.
  void drop_output_prefixes(const std::vector<std::string>& outputs);
  /// One list an output. Throws InvalidArgument, naming `argument` and the outputs, when number or names do not fit, or
  /// a metric is not known.
  std::vector<List> resolve(const std::vector<std::string>& outputs, const std::string& argument) const;

  const List& list() const { return list_; }
  const std::vector<List>& lists() const { return by_output_; }
  const std::vector<std::pair<std::string, List>>& named() const { return named_; }

 private:
  List list_;
  std::vector<List> by_output_;
  std::vector<std::pair<std::string, List>> named_;
};

/// Arguments of compile, in Keras's order.
struct CompileOptions {
  Handle<Optimizer> optimizer = "rmsprop";
  LossArgument loss = {};
  LossWeights loss_weights = {};
  MetricsArgument metrics = {};
  MetricsArgument weighted_metrics = {};  // these take sample weights and class weights
  /// Gives mixed_float16 a LossScaleOptimizer around the optimizer, as Keras.
  bool auto_scale_loss = true;
  /// The DTypePolicy of all layers that have none of their own: "float32", "mixed_bfloat16", "mixed_float16". The
  /// layers that make the outputs then compute in float32. Empty: each as it is.
  std::string precision = {};
  distribute::Strategy strategy = {};  // empty: one device with all cores
};

}  // namespace tandem
