// A chain from Keras's config of a Sequential.
#include "tandem/layers/input.h"
#include "tandem/layers/shape_config.h"
#include "tandem/network/chain.h"
#include "tandem/network/read_config.h"

namespace tandem {
namespace {

// The shape that the first layer brings with it where no InputLayer is listed: written down by Keras 2, or a model's.
KerasTensor implied_input(const Config& config, const Config& first_entry, const LayerHandle& first) {
  const Config settings = first_entry.get("config", {});
  if (settings.is_object() && settings.contains("batch_input_shape")) {
    return layers::input_from_config(
        Config::object({{"batch_shape", settings.at("batch_input_shape")}, {"name", first->name() + "_input"}}));
  }
  if (config.is_object() && config.get("build_input_shape", {}).is_list())
    return layers::input_from_config(Config::object({{"batch_shape", config.at("build_input_shape")}}));
  const auto* inner = dynamic_cast<const Network*>(first.get().get());
  if (inner && inner->input_shapes().size() == 1)
    return layers::input_from_config(Config::object({{"batch_shape", shape_to_config(inner->input_shapes().front())}}));
  return {};
}

}  // namespace

std::shared_ptr<Network> read_chain(const Config& config, const ConfigPlace& place) {
  auto chain = std::make_shared<Chain>();
  if (config.is_object() && config.get("name", {}).is_string()) chain->set_name(config.at("name").as_string());
  // Keras before 2.2.3 wrote the list of layers alone.
  const Config list = place.run([&] { return config.is_list() ? config : config.at("layers"); });
  const auto& entries = place.run([&]() -> const Config::List& { return read_entries(list); });
  KerasTensor input;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto here = place_of_entry(place, i, entries[i]);
    if (here.run([&] { return entries[i].at("class_name").as_string(); }) == "InputLayer") {
      if (i > 0) here.fail("an InputLayer must come first and once");
      input = here.run([&] { return layers::input_from_config(entries[i].at("config")); });
      continue;
    }
    const auto layer = read_layer(entries[i], here);
    here.run([&] { chain->add(layer); });
    if (i == 0) input = here.run([&] { return implied_input(config, entries[i], layer); });
  }
  if (!input.empty()) place.run([&] { chain->start(input); });
  return chain;
}

}  // namespace tandem
