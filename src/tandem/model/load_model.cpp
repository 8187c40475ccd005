#include "tandem/model/load_model.h"

#include <c10/util/StringUtil.h>

#include <filesystem>
#include <system_error>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"
#include "tandem/model/compile_config.h"
#include "tandem/model/legacy_model.h"
#include "tandem/saving/first_bytes.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/h5_text_lists.h"
#include "tandem/saving/keras3_weights.h"
#include "tandem/saving/keras_archive.h"
#include "tandem/saving/network_from_file.h"
#include "tandem/saving/state_group.h"
#include "tandem/saving/weights_file.h"

namespace tandem {
namespace {

/// What `act` returns; its errors get the file's name in front.
template <class Act>
auto in_file(const std::string& path, const std::string& what, const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    throw DataError(c10::str(path, ": ", what, error.what()));
  }
}

constexpr const char* kCompileFailed = "its compile settings cannot be kept (.compile = false leaves them out): ";

Model made_of(const std::shared_ptr<Network>& network, const LoadModelOptions& options) {
  Model model(network);
  model.body().set_default_strategy(options.strategy);
  return model;
}

Model load_archive(const std::string& path, const LoadModelOptions& options) {
  const auto archive = saving::read_keras_archive(path);
  const auto network = in_file(path + ", member config.json", "", [&] {
    return saving::network_from_file(archive.config, static_cast<int64_t>(archive.weights.size()));
  });
  if (network->built()) {
    saving::load_weights_image(*network, archive.weights, path + ", member model.weights.h5");
  } else if (saving::holds_keras3_weights(saving::H5File::open_image(archive.weights, path).root())) {
    throw DataError(
        c10::str(path, ", member config.json: has weights, but no input shape for which its model could be built"));
  }
  Model model = made_of(network, options);
  if (!archive.preprocessing.empty()) {
    in_file(path, "its preprocessing: ", [&] {
      const auto file = saving::H5File::open_image(archive.preprocessing, "tandem_preprocessing.h5");
      model.set_preprocessing(data::Preprocessing::from_state(saving::read_state(file.root())));
    });
  }
  const Config compile = archive.config.get("compile_config", {});
  if (!options.compile || !compile.is_object() || compile.as_object().empty()) return model;
  in_file(path, kCompileFailed, [&] { model.compile(compile_options_from_config(compile, network->output_names())); });
  if (network->built()) {
    in_file(path, "its optimizer's state: ", [&] {
      model.body().restore_optimizer(saving::H5File::open_image(archive.weights, "model.weights.h5").root());
    });
  }
  return model;
}

Config json_attribute(const saving::H5Group& root, const std::string& name, const std::string& path) {
  if (!root.has_attribute(name)) return {};
  const auto texts = root.texts(name);
  return in_file(c10::str(path, ", attribute ", name), "", [&] {
    if (texts.size() != 1) throw DataError(c10::str("must be one text, got ", texts.size()));
    return Config::from_json(texts.front());
  });
}

// Keras 2 orders and names the optimizer's variables otherwise.
void restore_legacy_state(Model& model, const saving::H5Group& root, const std::string& path) {
  for (const char* group : {kLegacyOptimizer, kKerasLegacyOptimizer}) {
    if (!root.has_group(group)) continue;
    const bool keras3 = root.has_attribute("keras_version") && !root.texts("keras_version").empty() &&
                        root.texts("keras_version").front().starts_with("3");
    if (keras3) return model.body().restore_legacy_optimizer(root.group(group));
    if (saving::read_text_list(root.group(group), "weight_names").size() > 2)
      log_warning(c10::str(path, ": the optimizer's state in files of Keras 2 is not read; its slots start anew"));
    return;
  }
}

Model load_legacy(const std::string& path, const LoadModelOptions& options) {
  const auto file = saving::H5File::open(path);
  const auto& root = file.root();
  const Config config = json_attribute(root, "model_config", path);
  const Config training = json_attribute(root, "training_config", path);
  if (config.is_null())
    throw DataError(c10::str(path, ": holds weights only; make the model first, then load_weights reads them"));
  const auto network = in_file(path + ", attribute model_config", "", [&] {
    std::error_code ignored;
    return saving::network_from_file(config, static_cast<int64_t>(std::filesystem::file_size(path, ignored)));
  });
  if (network->built()) saving::load_weights(*network, path);
  Model model = made_of(network, options);
  if (root.has_group(kLegacyPreprocessing)) {
    in_file(path, "its preprocessing: ", [&] {
      model.set_preprocessing(data::Preprocessing::from_state(saving::read_state(root.group(kLegacyPreprocessing))));
    });
  }
  if (!options.compile || !training.is_object()) return model;
  in_file(path, kCompileFailed,
          [&] { model.compile(compile_options_from_training_config(training, network->output_names())); });
  if (network->built()) restore_legacy_state(model, root, path);
  return model;
}

}  // namespace

Model load_model(const std::string& path, const LoadModelOptions& options) {
  const std::string start = saving::first_bytes(path, "a .keras or .h5 file");
  if (start.starts_with("PK\x03\x04")) return load_archive(path, options);
  if (start.starts_with("\x89HDF\r\n")) return load_legacy(path, options);
  throw DataError(c10::str(path, ": is neither a .keras archive nor an HDF5 file"));
}

}  // namespace tandem
