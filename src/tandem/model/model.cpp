#include "tandem/model/model.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/as_placed.h"
#include "tandem/model/body.h"
#include "tandem/model/use_precision.h"
#include "tandem/network/clone.h"
#include "tandem/network/scoped_devices.h"

namespace tandem {
namespace {

std::shared_ptr<Network> named(std::shared_ptr<Network> network, const std::string& name) {
  if (!name.empty()) network->set_name(name);
  return network;
}

bool has_device_scopes(const Network& network) {
  const auto scopes = scoped_devices(network);
  return std::any_of(scopes.begin(), scopes.end(), [](const auto& scope) { return scope.has_value(); });
}

}  // namespace

Model::Model(std::shared_ptr<ModelBody> body) : LayerHandle(std::move(body)) {}

Model::Model(std::shared_ptr<Network> network) : Model(std::make_shared<ModelBody>(network)) {
  body().set_name(network->name());
}

Model::Model(const KerasTensors& inputs, const KerasTensors& outputs, const std::string& name)
    : Model(named(std::make_shared<Graph>(inputs, outputs), name)) {}

ModelBody& Model::body() const { return static_cast<ModelBody&>(*get()); }
const std::shared_ptr<Network>& Model::network() const { return body().network(); }

void Model::compile(const CompileOptions& options) {
  auto* subclassed = dynamic_cast<SubclassedModel*>(network().get());
  if (subclassed && !subclassed->built() && options.loss.list().size() > 1)
    subclassed->expect_outputs(static_cast<int64_t>(options.loss.list().size()));
  const auto outputs = network()->output_names();
  network()->check_reachable();
  TrainerParts parts;
  parts.strategy = options.strategy;
  if (options.strategy.empty() && body().default_strategy().empty() && has_device_scopes(*network()))
    parts.strategy = distribute::AsPlaced();
  if (!options.precision.empty()) use_precision(*network(), options.precision);
  parts.optimizer = options.optimizer.get();
  if (options.auto_scale_loss) parts.optimizer = scaling_for(*network(), parts.optimizer);
  if (!options.loss.empty()) parts.losses = options.loss.resolve(outputs);
  parts.loss_weights = options.loss_weights.resolve(outputs);
  const auto plain = options.metrics.resolve(outputs, "metrics"),
             weighted = options.weighted_metrics.resolve(outputs, "weighted_metrics");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto& shown = parts.metrics.emplace_back();
    for (const auto& metric : plain[i]) shown.push_back({metric, false});
    for (const auto& metric : weighted[i]) shown.push_back({metric, true});
  }
  body().compile(std::move(parts), options);
}

std::vector<Tensor> Model::get_weights() const { return body().get_weights(); }
void Model::set_weights(const std::vector<Tensor>& values) { body().set_weights(values); }
void Model::save(const std::string& path) const { body().save(path); }
void Model::save_weights(const std::string& path) const { body().save_weights(path); }
saving::LoadReport Model::load_weights(const std::string& path, const saving::LoadWeightsOptions& options) {
  return body().load_weights(path, options);
}
std::vector<LayerHandle> Model::layers() const { return network()->layers(); }

LayerHandle Model::get_layer(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& layer : layers()) {
    if (layer.name() == name) return layer;
    known.push_back(layer.name());
  }
  throw_unknown_name(c10::str("model '", this->name(), "': layer"), name, known);
}

double Model::learning_rate() const { return body().learning_rate(); }
void Model::set_learning_rate(double rate) { body().set_learning_rate(rate); }
void Model::stop_training() { body().stop_training(); }
Placement Model::placement() const { return body().placement(); }
void Model::set_preprocessing(data::Preprocessing preprocessing) { body().preprocessing() = std::move(preprocessing); }

Model clone_model(const Model& model) {
  model.get_weights();  // brings the masters up to date, and names an empty model
  return Model(clone_network(*model.network()));
}

}  // namespace tandem
