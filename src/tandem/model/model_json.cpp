// A model's architecture and compile settings as JSON.
#include "tandem/core/error.h"
#include "tandem/layers/layer_config.h"
#include "tandem/model/body.h"
#include "tandem/model/compile_config.h"
#include "tandem/model/model.h"
#include "tandem/network/network_config.h"

namespace tandem {

Config ModelBody::whole_config() const {
  Config entry = layer_to_config(*network_);
  if (compile_options_) entry.set("compile_config", compile_options_to_config(*compile_options_));
  return entry;
}

std::string Model::to_json() const { return body().whole_config().to_json(); }

Model model_from_json(const std::string& text) {
  const Config entry = Config::from_json(text);
  Model model(network_from_model_config(entry));
  const Config compile = entry.get("compile_config", {});
  if (compile.is_object() && !compile.as_object().empty())
    model.compile(compile_options_from_config(compile, model.network()->output_names()));
  return model;
}

}  // namespace tandem
