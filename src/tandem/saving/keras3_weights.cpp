#include "tandem/saving/keras3_weights.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>

#include "tandem/core/error.h"
#include "tandem/saving/assignments.h"
#include "tandem/saving/stored_layers.h"

namespace tandem::saving {
namespace {

// State of other things than layers. At the top: of the optimizer and of metrics.
bool is_of_no_layer(const std::string& name, bool top) {
  return name == "seed_generator" || (top && (name == "optimizer" || name == "metrics"));
}

// Paths of all groups `vars` with something in them.
class FilledVars {
 public:
  explicit FilledVars(const H5Group& root) { enter(root, "", 0); }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  void enter(const H5Group& group, const std::string& path, int depth) {
    // Hard links can make a file without end.
    constexpr int kMaxDepth = 64, kMaxGroups = 1000000;
    if (depth > kMaxDepth || ++groups_ > kMaxGroups)
      throw DataError(c10::str(group.where(), ": the file's groups are nested without end"));
    for (const auto& name : group.names()) {
      if (is_of_no_layer(name, depth == 0) || !group.has_group(name)) continue;
      const H5Group inner = group.group(name);
      const std::string inner_path = path.empty() ? name : c10::str(path, "/", name);
      if (name == "vars" && !inner.names().empty()) paths_.push_back(inner_path);
      enter(inner, inner_path, depth + 1);
    }
  }

  std::vector<std::string> paths_;
  int groups_ = 0;
};

// Why the group's values cannot be those of the layer; empty when they can.
std::string misfit(const StoredLayer& stored, const H5Group& vars) {
  const std::size_t count = vars.names().size(), wanted = stored.weights.size();
  if (count != wanted) return c10::str(vars.where(), ": must hold ", wanted, " weights, has ", count);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto difference = shape_difference(stored.weights[i], vars, std::to_string(i));
    if (!difference.empty()) return c10::str(vars.where(), "/", i, ": ", difference);
  }
  return "";
}

// The title of a layer that only the file knows, from the name that Keras notes with it.
std::string title_in_file(const H5Group& root, const std::string& vars) {
  const H5Group group = root.group(vars);
  const std::string path = vars.substr(0, std::max<std::size_t>(vars.size(), 5) - 5);  // without "/vars"
  if (!group.has_attribute("name")) return path.empty() ? "vars" : path;
  return c10::str(list_names(group.texts("name")), path.empty() ? "" : c10::str(" (", path, ")"));
}

}  // namespace

void write_keras3_weights(const Network& network, const H5Group& root) {
  for (const auto& stored : stored_layers(network)) {
    const H5Group vars = root.create_group(stored.vars());
    vars.set_text("name", stored.layer->name());
    for (std::size_t i = 0; i < stored.weights.size(); ++i)
      vars.write(std::to_string(i), stored.weights[i].variable().value);
  }
}

bool holds_keras3_weights(const H5Group& root) { return !FilledVars(root).paths().empty(); }

LoadReport read_keras3_weights(const Network& network, const H5Group& root, const LoadWeightsOptions& options) {
  LoadReport report;
  Assignments assignments;
  std::set<std::string> known;
  for (const auto& stored : stored_layers(network)) {
    const std::string path = stored.vars();
    known.insert(path);
    const bool there = root.has_group(path) && !root.group(path).names().empty();
    if (!there && stored.weights.empty()) continue;
    if (!there) {
      report.missing.push_back(stored.title());
      continue;
    }
    const H5Group vars = root.group(path);
    const std::string why = misfit(stored, vars);
    if (!why.empty()) {
      if (!options.skip_mismatch) throw DataError(c10::str(why, "; layer '", stored.layer->name(), "'"));
      report.skipped.push_back(stored.title());
      continue;
    }
    for (std::size_t i = 0; i < stored.weights.size(); ++i)
      assignments.read(stored.weights[i], vars, std::to_string(i));
    report.loaded.push_back(stored.title());
  }
  const FilledVars filled(root);
  for (const auto& path : filled.paths()) {
    if (!known.contains(path)) report.surplus.push_back(title_in_file(root, path));
  }
  const bool nothing = report.loaded.empty() && !report.complete();
  if (nothing || (!options.skip_mismatch && !report.complete())) {
    throw DataError(c10::str(root.where(), ": must hold the weights of model '", network.name(), "'; missing: ",
                             list_names(report.missing), "; not in the model: ", list_names(report.surplus)));
  }
  assignments.assign();
  return report;
}

}  // namespace tandem::saving
