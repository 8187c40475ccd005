#include "tandem/model/body.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/clone.h"

namespace tandem {

ModelBody::ModelBody(std::shared_ptr<Network> network) : network_(std::move(network)) {
  set_recipe([network = network_] { return std::make_shared<ModelBody>(clone_network(*network)); });
  if (network_->built()) ensure_built(network_->input_shapes());
}

void ModelBody::compile(TrainerParts parts, const CompileOptions& options) {
  if (trainer_ && trainer_->busy()) {
    throw InvalidArgument(c10::str("compile: model '", name(), "' is in use by fit, evaluate or predict"));
  }
  parts.network = network_;
  if (parts.strategy.empty()) parts.strategy = default_strategy_;
  trainer_ = std::make_unique<Trainer>(std::move(parts));
  compile_options_ = options;
  compile_options_->optimizer = trainer_->parts().optimizer;  // with the rate that it will have later
  compiled_ = true;
}

Trainer& ModelBody::trainer() {
  const std::lock_guard lock(making_);
  if (!trainer_) {
    TrainerParts parts;
    parts.network = network_;
    parts.strategy = default_strategy_;
    trainer_ = std::make_unique<Trainer>(std::move(parts));
  }
  return *trainer_;
}

Dataset ModelBody::prepared(const Dataset& data) const {
  return preprocessing_ ? data.map(preprocessing_->transform()) : data;
}

std::vector<Tensor> ModelBody::get_weights() {
  if (trainer_) trainer_->store();
  return network_->get_weights();
}

void ModelBody::set_weights(const std::vector<Tensor>& values) {
  network_->set_weights(values);
  if (trainer_) trainer_->load();
}

StateDict ModelBody::optimizer_state() { return trainer().execution().optimizer_state(); }
void ModelBody::set_optimizer_state(const StateDict& state) { trainer().set_optimizer_state(state); }

double ModelBody::learning_rate() {
  const auto& optimizer = trainer().parts().optimizer;
  if (!optimizer)
    throw InvalidArgument(c10::str("model '", name(), "': must be compiled before its learning rate is asked for"));
  return optimizer->learning_rate(optimizer->rate().is_schedule() ? trainer().execution().iterations() : 0);
}

void ModelBody::set_learning_rate(double rate) {
  const auto& optimizer = trainer().parts().optimizer;
  if (!optimizer)
    throw InvalidArgument(c10::str("model '", name(), "': must be compiled before its learning rate is set"));
  optimizer->set_learning_rate(rate);
}

std::string ModelBody::monitor_direction(const std::string& name) {
  if (name == "loss") return "min";
  const auto outputs = network_->output_names();
  const auto& metrics = trainer().parts().metrics;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (const auto& shown : metrics[i]) {
      // "accuracy" is made for the first rows seen, but every kind of it is better upwards: any shapes will do.
      const auto& given = shown.metric.object();
      const auto metric = given ? given : Metric::make_for(shown.metric.name(), {1, 1}, {1, 1});
      if (metric->name() != name && outputs[i] + "_" + metric->name() != name) continue;
      if (metric->direction() == Metric::Direction::kUp) return "max";
      if (metric->direction() == Metric::Direction::kDown) return "min";
    }
  }
  return "";
}

}  // namespace tandem
