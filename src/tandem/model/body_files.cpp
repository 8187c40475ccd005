// A model's files, written and read.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/register_layer.h"
#include "tandem/layers/shape_config.h"
#include "tandem/model/body.h"
#include "tandem/model/compile_config.h"
#include "tandem/model/legacy_model.h"
#include "tandem/model/optimizer_file.h"
#include "tandem/saving/keras3_weights.h"
#include "tandem/saving/keras_archive.h"
#include "tandem/saving/safetensors_file.h"
#include "tandem/saving/state_group.h"
#include "tandem/saving/weights_file.h"

namespace tandem {
namespace {

// Whether a whole model of this name is one of .h5; throws where it is none at all.
bool is_legacy_name(const std::string& path) {
  if (path.ends_with(".keras")) return false;
  const bool weights = path.ends_with(".weights.h5");
  if (!weights && (path.ends_with(".h5") || path.ends_with(".hdf5"))) return true;
  throw InvalidArgument(c10::str("save: the file name must end in .keras, or in .h5 for the format of Keras 2, got '",
                                 path, "'", weights ? "; save_weights writes weights alone" : ""));
}

// Throws where load_model would not know a layer's class.
void check_known_classes(const Layer& layer, const std::vector<std::string>& own, bool legacy) {
  const std::string name = layer.class_name();
  if (name == "Functional" || name == "Sequential") {
    for (const auto& child : layer.children()) check_known_classes(*child, own, legacy);
    return;
  }
  if (name == "InputLayer" || !registered_layer_name(layer).empty()) return;
  if (dynamic_cast<const OperationLayer*>(&layer)) {
    if (!legacy) return;
    throw InvalidArgument(c10::str("save: '", layer.name(), "' (", name,
                                   ") is an operation, which the format of Keras 2 does not know; save a .keras file"));
  }
  if (std::find(own.begin(), own.end(), name) != own.end()) return;
  throw InvalidArgument(c10::str("save: '", layer.name(), "' (", name,
                                 ") has no config that files could hold; name its class by register_layer, or save its "
                                 "weights by save_weights"));
}

// Throws where load_model could not compile it as it is.
void check_compile_config(const Network& network, const Config& entry) {
  const Config settings = entry.get("compile_config", {});
  if (!settings.is_object() || settings.as_object().empty()) return;
  try {
    compile_options_from_config(settings, network.output_names());
  } catch (const Error& error) {
    throw InvalidArgument(c10::str("save: model '", network.name(),
                                   "': its compile settings have no config that files could hold: ", error.what(),
                                   "; save_weights saves its weights"));
  }
}

// For classes of the program's own Keras writes the shape only where it built them itself; load_model needs it.
void add_build_config(Config& entry, const Network& network) {
  if (entry.contains("build_config") || network.input_shapes().empty()) return;
  Config::List shapes;
  for (const auto& shape : network.input_shapes()) shapes.push_back(shape_to_config(shape));
  entry.set("build_config",
            Config::object({{"input_shape", shapes.size() == 1 ? shapes.front() : Config(std::move(shapes))}}));
}

std::string preprocessing_image(const data::Preprocessing& preprocessing) {
  auto file = saving::H5File::create_image("preprocessing");
  saving::write_state(preprocessing.state(), file.root());
  return file.take_image();
}

}  // namespace

void ModelBody::save(const std::string& path) {
  const bool legacy = is_legacy_name(path);
  if (!network_->built()) {
    throw InvalidArgument(c10::str("save: model '", network_->name(),
                                   "' must be built first: give it an input shape, or call it on a batch"));
  }
  check_known_classes(*network_, layer_class_names(), legacy);
  Config config = whole_config();
  check_compile_config(*network_, config);
  add_build_config(config, *network_);
  if (trainer_) trainer_->store();
  if (!leads()) return give_state();
  legacy ? save_legacy(path, config) : save_archive(path, std::move(config));
}

void ModelBody::save_archive(const std::string& path, Config config) {
  saving::KerasArchive archive{.config = std::move(config), .metadata = {}, .weights = {}, .preprocessing = {}};
  auto file = saving::H5File::create_image(path);
  saving::write_keras3_weights(*network_, file.root());
  if (compiled_) write_optimizer_to(file.root());
  archive.weights = file.take_image();
  if (preprocessing_ && !preprocessing_->empty()) archive.preprocessing = preprocessing_image(*preprocessing_);
  saving::write_keras_archive(archive, path);
}

void ModelBody::save_legacy(const std::string& path, const Config& config) {
  std::optional<CompiledState> compiled;
  if (compiled_) compiled.emplace(CompiledState{*compile_options_, *trainer_->parts().optimizer, state_to_save()});
  write_file_atomically(path, [&](const std::string& temporary) {
    auto file = saving::H5File::create(temporary, path);
    write_legacy_model(*network_, config, compiled ? &*compiled : nullptr, file.root());
    if (preprocessing_ && !preprocessing_->empty())
      saving::write_state(preprocessing_->state(), file.root().create_group(kLegacyPreprocessing));
    file.close();
  });
}

// Another process writes.
void ModelBody::give_state() {
  if (compiled_ && trainer_->has_state() && trainer_->execution().state_is_spread()) optimizer_state();
}

std::optional<StateDict> ModelBody::state_to_save() {
  if (!trainer_->has_state()) return {};
  return optimizer_state();
}

void ModelBody::write_optimizer_to(const saving::H5Group& root) {
  write_optimizer(*trainer_->parts().optimizer, network_->trainable_weights(), state_to_save(), root);
}

void ModelBody::save_weights(const std::string& path) {
  if (trainer_) trainer_->store();
  if (!leads()) return give_state();
  saving::save_weights(*network_, path, [this](const saving::H5Group& root) {
    if (compiled_) write_optimizer_to(root);
  });
}

void ModelBody::restore_optimizer(const saving::H5Group& root) {
  if (const auto progress = read_optimizer(*trainer().parts().optimizer, network_->trainable_weights(), root))
    go_on_from(*progress);
}

void ModelBody::restore_legacy_optimizer(const saving::H5Group& group) {
  if (const auto progress = read_legacy_optimizer(*trainer().parts().optimizer, network_->trainable_weights(), group))
    go_on_from(*progress);
}

void ModelBody::go_on_from(const OptimizerProgress& progress) {
  if (!progress.state && trainer_->has_state()) {  // as Keras, which compares the numbers of variables
    log_warning(c10::str("model '", name(), "': the file's optimizer made no update yet; this one's state stays"));
    return;
  }
  Optimizer& optimizer = *trainer_->parts().optimizer;
  // Files hold the rate as float32; where it is the same, training goes on with all its digits.
  if (progress.rate && static_cast<float>(*progress.rate) != static_cast<float>(optimizer.learning_rate(0)))
    optimizer.set_learning_rate(*progress.rate);
  if (progress.state) set_optimizer_state(*progress.state);
}

void ModelBody::restore(const std::string& path) {
  std::optional<OptimizerProgress> progress;
  if (compiled_) {
    const auto file = saving::open_weights(path);
    progress = read_optimizer(*trainer_->parts().optimizer, network_->trainable_weights(), file.root());
  }
  saving::load_weights(*network_, path, {});
  trainer().load();
  if (progress) go_on_from(*progress);
}

saving::LoadReport ModelBody::load_weights(const std::string& path, const saving::LoadWeightsOptions& options) {
  if (trainer_) trainer_->store();  // a file may hold some of the weights only
  std::optional<OptimizerProgress> progress;
  if (compiled_ && trainer_->has_state() && !saving::is_safetensors(path)) {
    const auto file = saving::open_weights(path);
    progress = read_optimizer(*trainer_->parts().optimizer, network_->trainable_weights(), file.root());
  }
  auto report = saving::load_weights(*network_, path, options);
  if (trainer_) trainer_->load();
  if (progress) go_on_from(*progress);
  return report;
}

}  // namespace tandem
