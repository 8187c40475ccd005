#include "sidecar.h"

#include <filesystem>
#include <iostream>
#include <string_view>

#include "exit_status.h"
#include "tandem/callbacks/model_checkpoint.h"
#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"

namespace tandem::cli {
namespace {

constexpr std::string_view kWeights = ".weights.h5", kSafetensors = ".safetensors";

std::string name_of_evaluator(const std::string& path) {
  if (path.empty()) return path;
  auto end = path.size() - std::filesystem::path(path).extension().string().size();
  if (path.ends_with(kWeights)) end = path.size() - kWeights.size();
  return path.substr(0, end) + "-evaluator" + path.substr(end);
}

}  // namespace

bool is_evaluator() { return cluster::who_am_i(cluster::Environment()).role == cluster::Role::evaluator; }

ResultFiles of_evaluator(const ResultFiles& files) {
  auto model = files.model;
  // What keeps the best weights writes no safetensors.
  if (model.ends_with(kSafetensors)) model.replace(model.size() - kSafetensors.size(), kSafetensors.size(), kWeights);
  // Layers are traced where they train.
  return {name_of_evaluator(files.plot), name_of_evaluator(files.history), name_of_evaluator(model), ""};
}

int evaluate_beside(Model& model, const Dataset& rows, SidecarEvaluatorOptions options, const ResultFiles& files,
                    Interruption& interruption) {
  if (!files.model.empty()) {
    options.callbacks.push_back(callbacks::ModelCheckpoint(
        files.model, {.verbose = 1, .save_best_only = true, .save_weights_only = !files.model.ends_with(".keras")}));
  }
  SidecarEvaluator evaluator(model, rows, options);
  interruption.on_signal([&] {
    evaluator.stop();
    std::cerr << "tandem: interrupted: the evaluator ends after this batch; another signal leaves at once\n";
  });
  auto figures = files;
  figures.model.clear();  // is written already
  const auto write = [&](const History& history) {
    interruption.on_signal({});
    if (!history.by_epoch().empty()) figures.write(model, history, "Evaluations while workers train");
  };
  try {
    write(evaluator.start());
  } catch (const PeerError&) {
    write(evaluator.history());
    throw;
  }
  return interruption.signal() != 0 ? 128 + interruption.signal() : kOk;
}

}  // namespace tandem::cli
