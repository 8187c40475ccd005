#include "trained_weights.h"

#include <c10/util/StringUtil.h>

#include "tandem/network/mask_operations.h"
#include "tandem/saving/h5_file.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::conformance {
namespace {

void compare_groups(Differences& differences, const saving::H5Group& got, const saving::H5Group& want,
                    const std::string& path, const Tolerance& tolerance) {
  for (const auto& name : want.names()) {
    const auto where = path + "/" + name;
    if (want.has_group(name)) {
      if (got.has_group(name)) {
        compare_groups(differences, got.group(name), want.group(name), where, tolerance);
      } else {
        differences.push_back("weights: group " + where + " must be there");
      }
      continue;
    }
    const auto names = got.names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      differences.push_back("weights: " + where + " must be there");
      continue;
    }
    const auto shape = want.dataset_shape(name);
    if (got.dataset_shape(name) != shape) {
      differences.push_back(
          c10::str("weights: ", where, " must have shape ", shape, ", has ", got.dataset_shape(name)));
      continue;
    }
    compare(differences, "weights " + where, got.read(name, shape), want.read(name, shape), tolerance);
  }
}

// The first member that differs, with its path; empty when none does.
std::string difference(const Config& got, const Config& want, const std::string& path) {
  if (got == want) return {};
  if (got.is_object() && want.is_object()) {
    for (const auto& [key, value] : want.as_object()) {
      if (!got.contains(key)) return path + "." + key + " must be there";
      if (auto found = difference(got.at(key), value, path + "." + key); !found.empty()) return found;
    }
    for (const auto& [key, value] : got.as_object()) {
      if (!want.contains(key)) return path + "." + key + " must not be there";
    }
    return {};  // the same members in another order
  }
  return path + " must be " + want.to_json() + ", is " + got.to_json();
}

}  // namespace

void compare_trained_weights(Differences& differences, const CaseFolder& folder, Model& model) {
  const testing::TemporaryFolder scratch;
  model.save_weights(scratch.file("own.weights.h5"));
  const auto got = saving::H5File::open(scratch.file("own.weights.h5"));
  const auto want = saving::H5File::open(folder.file("trained.weights.h5"));
  compare_groups(differences, got.root(), want.root(), "", folder.tolerance());
}

void compare_config(Differences& differences, const CaseFolder& folder, const Model& model) {
  const auto got = Config::from_json(model.to_json());
  const auto want = folder.json("config.json");
  if (got.at("class_name") != want.at("class_name"))
    differences.push_back("config: class_name must be " + want.at("class_name").as_string());
  if (got.at("config").at("name") != want.at("config").at("name"))
    differences.push_back("config: name must be " + want.at("config").at("name").as_string());
  const auto& got_layers = got.at("config").at("layers").as_list();
  // Keras makes the operations of masks anew when it reads the config.
  const auto without_masks = without_mask_operations(want.at("config"));
  const auto& want_layers = without_masks.at("layers").as_list();
  if (got_layers.size() != want_layers.size()) {
    differences.push_back(c10::str("config: must have ", want_layers.size(), " layers, has ", got_layers.size()));
    return;
  }
  for (std::size_t i = 0; i < want_layers.size(); ++i) {
    const auto found = difference(got_layers[i], want_layers[i], c10::str("layers[", i, "]"));
    if (!found.empty()) differences.push_back("config: " + found);
  }
}

}  // namespace tandem::conformance
